import type { Caller } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import type { AnswerOnce, UnderClaim } from '../model/network/replies.ts'
import { toWire } from '../model/network/wire-json.ts'
import type { Postern } from '../model/postern.ts'
import type { Operation } from '../operations/operation.ts'
import { DECLARED_OPERATIONS } from '../operations/table.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { STREAM_TYPE } from './events/begin.ts'
import { type Asking, type Exchange, jsonReply, type Reply, type Streaming } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import { operate } from './operate.ts'
import { isLinkable } from './pages/web.ts'
import { requireOneHost, requireOwnAddress } from './request/address.ts'
import { authenticate, type Guard, refuseGuess, requireStillGood } from './request/authenticate.ts'
import { readText } from './request/body.ts'
import { allowed, createRouter } from './request/router.ts'
import { readTrigger } from './trigger.ts'

/** Answers an exchange; undefined where somebody else does. Throws what becomes a problem. */
export type Pipeline = (exchange: Exchange, progress: Progress) => Promise<Reply | undefined>

/** Told what is known of an exchange, as soon as it is. */
export interface Progress {
  /** Which operation or endpoint it is for. */
  onRouted(routed: RoutedTo): void
  /** Who asks. */
  onIdentified(caller: Caller): void
}

export interface RoutedTo {
  readonly name: string
  /** It may sleep, so how long it takes says nothing about the server. */
  readonly isWait: boolean
}

/** All that answering takes. */
export interface Means extends Guard {
  readonly postern: Postern
  readonly answerOnce: AnswerOnce
  readonly under: UnderClaim
  readonly metrics: Metrics
  readonly endpoints: readonly Endpoint[]
  /** Names of this server beside those of the machine. */
  readonly names: readonly string[]
  /** Answers an exchange with a stream of events, for as long as the client stays. */
  openEventStream(streaming: Streaming): Promise<void>
}

type Target = { readonly operation: Operation; readonly route: string } | { readonly endpoint: Endpoint }

/** Whoever triggers an agent proves itself in the request and is nobody before. */
const STRANGER: Caller = { id: 'local', kind: 'local', verified: false, via: 'http' }

/** Looks at a request step by step: where it comes from, what it asks for, who asks, and then asks the heart. */
export function createPipeline(given: Means): Pipeline {
  const means = { ...given, postern: rememberBound(given.postern) }
  const router = createRouter<Target>()
  for (const operation of DECLARED_OPERATIONS)
    for (const route of operation.http) router.add(route, { operation, route })
  for (const endpoint of means.endpoints) router.add(endpoint.route, { endpoint })

  return async (exchange, progress) => {
    const { request, method, path, authority, isLocal } = exchange
    requireOneHost(request)
    if (!isLocal) requireOwnAddress(request, { names: means.names, authority, isLinkable: isLinkable(path) })
    if (method === 'OPTIONS') return path === '*' ? { status: 204 } : options(router.methods(path), path)
    const { target, params } = router.find(method, path)
    if ('endpoint' in target) {
      progress.onRouted({ name: target.endpoint.name, isWait: false })
      const { endpoint } = target
      return endpoint.isOpen
        ? endpoint.answer(exchange, params)
        : endpoint.answer(await ask(means, exchange, progress), params)
    }
    const { operation, route } = target
    progress.onRouted({ name: operation.name, isWait: operation.kind === 'waits' })
    if (operation.access.to === 'proven') return trigger(means, exchange, params['agent'] ?? '')
    const asked = await ask(means, exchange, progress)
    if (request.method === 'GET' && isStreamed(operation, request))
      return means.openEventStream({ ...asked, metrics: means.metrics }).then(nothing)
    const reply = await operate({ operation, route, params, asking: asked }, means)
    if (operation.kind === 'waits') await requireStillGood(means, request)
    // The headers of a stream, whose body would be one.
    return request.method === 'HEAD' && isStreamed(operation, request) ? { status: 200, type: STREAM_TYPE } : reply
  }
}

/** Who asks often is remembered for a while, and so is the Postern that is bound to them. */
function rememberBound(postern: Postern): Postern {
  const bound = new WeakMap<Caller, Postern>()
  return {
    ...postern,
    as(caller) {
      const known = bound.get(caller) ?? postern.as(caller)
      bound.set(caller, known)
      return known
    },
  }
}

function nothing(): undefined {
  return undefined
}

function options(methods: readonly string[], path: string): Reply {
  if (methods.length === 0) throw new PosternError('ROUTE_NOT_FOUND', { path })
  return { status: 204, headers: { allow: allowed(methods) } }
}

async function ask(means: Means, exchange: Exchange, { onIdentified }: Progress): Promise<Asking> {
  const identity = await authenticate(means, exchange)
  onIdentified(identity.caller)
  return { ...exchange, identity, postern: means.postern.as(identity.caller) }
}

function isStreamed({ name }: Operation, { headers }: Exchange['request']): boolean {
  return name === 'events.list' && (headers.accept ?? '').includes('text/event-stream')
}

async function trigger(means: Means, { request, response }: Exchange, agent: string): Promise<Reply> {
  const address = request.socket.remoteAddress ?? ''
  // The right key is refused as well, so whoever guesses keys never learns which one was right.
  means.rates.requireUnlocked(address)
  const body = await readText(request, response)
  try {
    const input = readTrigger({ agent, headers: request.headers, body })
    const triggered = await means.postern.as(STRANGER).services.trigger(input)
    if (!triggered.duplicate) means.metrics.pushed(1)
    return jsonReply(202, toWire(triggered))
  } catch (error) {
    if (!(error instanceof PosternError) || error.code !== 'TRIGGER_REFUSED') throw error
    throw refuseGuess(means, address, error)
  }
}
