import type { ServerResponse } from 'node:http'
import { reasonOf } from '../kit/pure/reason-of.ts'
import type { Exchange } from './exchange.ts'
import type { Log } from './log.ts'
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
  const url = request.url ?? ''
  const queryAt = url.indexOf('?')
  let gone: AbortController | undefined
  return {
    request,
    response,
    isLocal,
    requestId,
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt)),
    // Few requests wait for anything, so few need it.
    gone() {
      gone ??= track(response, waits)
      return gone.signal
    },
  }
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
  readonly metrics: Metrics
}

/** Answers an exchange whatever happens, and counts it. It never throws. */
export async function answer(exchange: Exchange, { respond, log, metrics }: Answering): Promise<void> {
  const { response, requestId } = exchange
  const startedAt = performance.now()
  let name = 'none'
  let isWait = false
  const reply = await respond(exchange, (routed) => {
    name = routed.name
    isWait = routed.isWait
  }).catch((error: unknown) => {
    const problem = problemOf(error, requestId)
    const event = eventOf(problem)
    if (event) log.warn(event, { requestId, name, code: problem.code, reason: stackOf(error) })
    return problemReply(problem)
  })
  if (!reply) return
  const seconds = (performance.now() - startedAt) / 1_000
  metrics.answered({ name, status: reply.status, ...(!isWait && { seconds }) })
  try {
    send(exchange, reply)
  } catch (error) {
    log.warn('response.failed', { requestId, name, reason: stackOf(error) })
    response.destroy()
  }
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error)
  const cause = error.cause instanceof Error ? `; because of ${error.cause.message}` : ''
  return `${error.stack ?? error.message}${cause}`
}
