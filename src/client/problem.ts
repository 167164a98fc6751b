import { reasonOf } from '../kit/pure/reason-of.ts'
import { type ErrorCode, type ErrorDetails, errorOf, errorTable, PosternError } from '../model/errors.ts'

/** What stands between us and the server, or the server itself while it stops: it may be there again soon. */
const AWAY: readonly number[] = [502, 503, 504]

/** Turns what a server refuses with into the error that its heart has thrown. */
export function problemOf(url: string, status: number, body: string): PosternError {
  const { code, detail, details } = readProblem(body)
  if (isKnown(code)) return errorOf(code, isDetails(details) ? details : {})
  if (code !== undefined) return new PosternError('INTERNAL', { reason: `${code}: ${detail ?? 'it says no more'}` })
  if (AWAY.includes(status)) return unreachable(url, `it answers with ${status}`)
  return new PosternError('INTERNAL', { reason: `what answers at ${url} with ${status} is not a Postern server` })
}

/** The server could not be asked, or its answer did not come. */
export function unreachable(url: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('SERVER_UNAVAILABLE', { url, reason }, { cause })
}

/** Why a connection failed. The message stands beside the URL, so the system's code says enough. */
export function connectionFault(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown }
  if (cause instanceof Error) return connectionFault(cause)
  return typeof code === 'string' ? code : reasonOf(error)
}

interface Problem {
  readonly code?: string
  readonly detail?: string
  readonly details?: unknown
}

function readProblem(body: string): Problem {
  try {
    const problem: unknown = JSON.parse(body)
    if (typeof problem !== 'object' || problem === null) return {}
    const { code, detail, details } = problem as Record<string, unknown>
    return {
      ...(typeof code === 'string' && { code }),
      ...(typeof detail === 'string' && { detail }),
      details,
    }
  } catch {
    return {}
  }
}

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(errorTable(), code)
}

function isDetails(value: unknown): value is ErrorDetails {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
