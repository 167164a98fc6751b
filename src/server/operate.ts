import type { BusPage } from '../model/bus/bus.ts'
import { PosternError } from '../model/errors.ts'
import type { SentMessages } from '../model/ledger/ledgers.ts'
import { type ReplyClaim, withDedupKeys } from '../model/network/replies.ts'
import { parseTraceContext, type TraceContext } from '../model/network/trace-context.ts'
import { toWire } from '../model/network/wire-json.ts'
import type { Postern } from '../model/postern.ts'
import { successStatus } from '../operations/answers.ts'
import { readQuery } from '../operations/input.ts'
import type { Operation } from '../operations/operation.ts'
import { admit, perform } from '../operations/perform.ts'
import { entryListReply, isEntryList } from './bus/entry-list.ts'
import { type Asking, jsonReply, type Reply } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import { requireToken } from './request/authenticate.ts'
import { bodyBytesFor, hasBody, parseBody, readText, requireJsonType } from './request/body.ts'
import { requireSeen, withEtag } from './request/etags.ts'
import { answerKeyed, dedupKeyFor, idempotencyKey, type Keeping } from './request/idempotency.ts'

type Input = Readonly<Record<string, unknown>>

export interface Errand {
  readonly operation: Operation
  /** Which of its routes was asked for. */
  readonly route: string
  /** Fields of the input that stand in the path. */
  readonly params: Readonly<Record<string, string>>
  readonly asking: Asking
}

/** A request may wait no longer than proxies and clients let a connection rest. */
const MAX_WAIT_MS = 110_000

/** Answers a request that asks for an operation. */
export async function operate(
  errand: Errand,
  { metrics, ...keeping }: Keeping & { readonly metrics: Metrics },
): Promise<Reply> {
  const { operation, asking } = errand
  // The answer holds a credential.
  if (operation.isSecret && operation.access.to !== 'proven') requireToken(asking.identity)
  const key = idempotencyKey(asking)
  const { text, input } = await readInput(errand)
  const answer = async (postern: Postern, claim?: ReplyClaim) => {
    const result = await call(errand, postern, await readied(errand, withKey(errand, input, key), claim))
    metrics.pushed(countPushed(operation, result))
    return withEtag(operation, asking, replyTo(errand, result))
  }
  if (key === undefined || operation.answersByKey) return answer(asking.postern)
  return answerKeyed(keeping, { asking, operation, key, text }, answer)
}

async function readInput({ operation, params, asking }: Errand): Promise<{ text: string; input: Input }> {
  const { request, response, method, query } = asking
  if (method === 'GET' || method === 'DELETE') {
    const asked = new URLSearchParams(query)
    asked.delete('ticket')
    return { text: '', input: { ...readQuery(operation, asked), ...params } }
  }
  if (query.size > 0)
    throw new PosternError('INPUT_INVALID', { reason: 'the input belongs into the body, not the URL' })
  if (hasBody(request)) requireJsonType(request)
  const text = await readText(request, response, bodyBytesFor(operation.name))
  const body = parseBody(text)
  for (const [name, value] of Object.entries(params)) {
    if (!Object.hasOwn(body, name) || body[name] === value) continue
    throw new PosternError('INPUT_INVALID', { reason: `the field "${name}" differs from the path` })
  }
  return { text, input: { ...body, ...params } }
}

/**
 * A push uses the Idempotency-Key as its dedup key. The key is stored with the message, so it survives a lost reply and
 * outlives the replies, which are kept for a day.
 */
function withKey({ operation, asking }: Errand, input: Input, key: string | undefined): Input {
  return key === undefined ? input : withDedupKeys(operation, input, (suffix) => dedupKeyFor(asking, `${key}${suffix}`))
}

/** The input as it is handed to the heart: checked, allowed, and with what the connection knows. */
async function readied({ operation, asking }: Errand, given: Input, claim?: ReplyClaim): Promise<Input> {
  const input = withTrace(operation, asking, await admit(operation, asking, given))
  // A change that was carried out has made a new version itself.
  return claim?.outcome == null ? requireSeen(operation, asking, input) : input
}

/** Messages keep the trace context of the request that pushed them. */
function withTrace({ pushes }: Operation, { request }: Asking, input: Input): Input {
  const trace = pushes === 'one' || pushes === 'many' ? traceContextOf(request) : undefined
  if (!trace) return input
  if (pushes === 'one') return { trace, ...input }
  const messages = input['messages'] as readonly Input[]
  return { ...input, messages: messages.map((message) => ({ trace, ...message })) }
}

function call({ operation, asking }: Errand, bound: Postern, input: Input): Promise<unknown> {
  const { identity, request } = asking
  const peer = request.socket.remoteAddress ?? 'UNIX socket'
  const postern = operation.isAudited ? bound.as({ ...identity.caller, peer }) : bound
  if (operation.kind !== 'waits') return perform(postern, operation.name, input)
  return wait(asking, input, (bounded) => perform(postern, operation.name, bounded))
}

/**
 * A wait that the stop of this server cuts short has no outcome: its time is not over. So the client is told to ask
 * again, whatever the wait ended with. A wait may fire due plans or take back lapsed offers. Both are committed, so asking
 * again loses nothing.
 */
async function wait(asking: Asking, input: Input, ask: (input: Input) => Promise<unknown>): Promise<unknown> {
  const timeoutMs = boundedTime(input['timeoutMs'])
  try {
    return await ask({ ...input, timeoutMs, signal: asking.gone() })
  } finally {
    if (asking.isStopping() && timeoutMs > 0) requestAgain(asking)
  }
}

function requestAgain({ request }: Asking): never {
  const url = request.headers.host ?? 'of this store'
  throw new PosternError('SERVER_UNAVAILABLE', { url, reason: 'it is being stopped', seconds: 1 })
}

/** What is no time at all is for the heart to refuse. */
function boundedTime(asked: unknown): number {
  return typeof asked === 'number' ? Math.min(asked, MAX_WAIT_MS) : MAX_WAIT_MS
}

/** How many messages an operation has stored that were not there before. */
function countPushed({ pushes }: Operation, result: unknown): number {
  if (pushes === undefined) return 0
  const stored = pushes === 'ledger' ? (result as SentMessages).messages : pushes === 'many' ? result : [result]
  const results = stored as readonly { readonly duplicate: boolean }[]
  return results.filter(({ duplicate }) => !duplicate).length
}

function replyTo({ operation, route, asking }: Errand, result: unknown): Reply {
  if (isEntryList(operation, route)) return entryListReply(asking, result as BusPage)
  const status = successStatus(operation)
  return status === 204 ? { status } : jsonReply(status, toWire(result))
}

function traceContextOf({ headers }: Asking['request']): TraceContext | undefined {
  const state = headers['tracestate']
  return parseTraceContext(headers['traceparent'], Array.isArray(state) ? state.join(',') : state)
}
