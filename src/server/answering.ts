import type { ServerResponse } from 'node:http'
import { reasonOf } from '../kit/pure/reason-of.ts'
import type { Exchange } from './exchange.ts'
import type { AccessLog, Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Pipeline } from './pipeline.ts'
import { eventOf, problemOf, problemReply } from './problem.ts'
import { send } from './send.ts'

export interface Opening {
  readonly request: Exchange['request']
  readonly response: ServerResponse
  readonly isLocal: boolean
  readonly requestId: string
  readonly waits: Waits
}

/** Exchanges that have to be told when the server stops. */
export interface Waits {
  readonly open: Set<AbortController>
  isStopping: boolean
}

export function createExchange({ request, response, isLocal, requestId, waits }: Opening): Exchange {
  const { authority, rest: url } = splitTarget(request.url ?? '')
  const queryAt = url.indexOf('?')
  let gone: AbortController | undefined
  return {
    request,
    response,
    isLocal,
    requestId,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    authority,
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt)),
    // Few requests wait for anything, so few need it.
    gone() {
      gone ??= track(response, waits)
      return gone.signal
    },
    isStopping: () => waits.isStopping,
  }
}

/** Proxies are sent the whole URL, and a server must understand it as well. */
function splitTarget(target: string): { readonly authority: string | undefined; readonly rest: string } {
  const [whole, authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? []
  if (whole === undefined) return { authority: undefined, rest: target }
  const rest = target.slice(whole.length)
  return { authority, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

function track(response: ServerResponse, { open, isStopping }: Waits): AbortController {
  const controller = new AbortController()
  if (!response.closed) open.add(controller)
  // Whoever is given the signal listens to it first.
  if (isStopping || response.closed) queueMicrotask(() => controller.abort())
  response.once('close', () => {
    open.delete(controller)
    controller.abort()
  })
  return controller
}

export interface Answering {
  readonly respond: Pipeline
  readonly log: Log
  /** Told of every request once its connection is done with it. */
  readonly accessLog?: AccessLog | undefined
  readonly metrics: Metrics
}

/** Answers an exchange whatever happens, and counts it. It never throws. */
export async function answer(exchange: Exchange, { respond, log, accessLog, metrics }: Answering): Promise<void> {
  const { response, requestId } = exchange
  const startedAt = performance.now()
  let name = 'none'
  let isWait = false
  let caller: string | null = null
  if (accessLog)
    response.once('close', () => accessLog({ ...answeredBy(exchange), ms: elapsedSince(startedAt), caller }))
  const reply = await respond(exchange, {
    onRouted(routed) {
      name = routed.name
      isWait = routed.isWait
    },
    onIdentified({ id }) {
      caller = id
    },
  }).catch((error: unknown) => {
    const problem = problemOf(error, requestId)
    const event = eventOf(problem)
    // The stack of a refusal only says where it was created, so it is left out.
    const reason = problem.status >= 500 ? stackOf(error) : reasonOf(error)
    if (event) log.note(event, { requestId, name, code: problem.code, reason })
    return problemReply(problem)
  })
  if (!reply) return
  const seconds = (performance.now() - startedAt) / 1_000
  metrics.answered({ name, status: reply.status, ...(!isWait && { seconds }) })
  try {
    send(exchange, reply)
  } catch (error) {
    log.note('response.failed', { requestId, name, reason: stackOf(error) })
    response.destroy()
  }
}

function answeredBy({ request, response, requestId, path }: Exchange) {
  const status = response.headersSent ? response.statusCode : null
  return { requestId, method: request.method ?? '', path, status }
}

function elapsedSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error)
  const cause = error.cause instanceof Error ? `; because of ${error.cause.message}` : ''
  return `${error.stack ?? error.message}${cause}`
}
