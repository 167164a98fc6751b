import { escapeUnseen } from '../kit/pure/escape-unseen.ts'
import { asPosternError, PosternError } from '../model/errors.ts'
import { withoutPlaces } from '../model/network/without-places.ts'
import type { Reply } from './exchange.ts'

/** A refusal or failure as RFC 9457 writes it, with all that a client needs to make the same error of it. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly next: string
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

export function problemOf(thrown: unknown, requestId: string): Problem {
  const { code, message, next, http, retryable, details } = fitToBeShown(asPosternError(thrown), requestId)
  return {
    type: `/docs#${code}`,
    title: titleOf(code),
    status: http,
    detail: message,
    code,
    next,
    retryable,
    details,
    requestId,
  }
}

/** The log has more of what nobody expected, under the id of the request. */
function fitToBeShown(error: PosternError, requestId: string): PosternError {
  if (error.code === 'INTERNAL') return new PosternError('INTERNAL', { reason: `see ${requestId} in the server's log` })
  return withoutPlaces(error)
}

/** `AGENT_NOT_FOUND` reads as `Agent not found`. */
export function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** Refusals that may say when to ask again. */
const SAY_WHEN: readonly string[] = ['RATE_LIMITED', 'SERVER_UNAVAILABLE']

/** A problem repeats what its caller has sent, and many read it on a terminal. */
export function problemReply(problem: Problem): Reply {
  const { status, code, details } = problem
  const seconds = details['seconds']
  const headers: Record<string, string> = {}
  if (SAY_WHEN.includes(code) && seconds !== undefined) headers['retry-after'] = String(seconds)
  if (code === 'NOT_AUTHENTICATED') headers['www-authenticate'] = 'Bearer'
  if (code === 'METHOD_REFUSED') headers['allow'] = String(details['allowed'])
  return { status, body: escapeUnseen(JSON.stringify(problem)), type: PROBLEM_TYPE, headers }
}

/** The line that somebody who runs the server should find, if any. What strangers can cause has one of its own. */
export function eventOf({ code, status }: Problem): 'request.failed' | 'request.refused' | undefined {
  if (code === 'ORIGIN_REFUSED') return 'request.refused'
  // The server itself has ended the wait.
  if (code === 'SERVER_UNAVAILABLE') return undefined
  return status >= 500 ? 'request.failed' : undefined
}
