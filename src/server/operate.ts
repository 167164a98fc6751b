import type { BusPage } from '../model/bus/bus.ts'
import { PosternError } from '../model/errors.ts'
import type { SentMessages } from '../model/ledger/ledgers.ts'
import { parseTraceContext, type TraceContext } from '../model/network/trace-context.ts'
import { toWire } from '../model/network/wire-json.ts'
import { successStatus } from '../operations/answers.ts'
import { readQuery } from '../operations/input.ts'
import type { Operation } from '../operations/operation.ts'
import { admit, perform } from '../operations/perform.ts'
import { entryListReply, isEntryList } from './bus/entry-list.ts'
import { type Asking, jsonReply, type Reply } from './exchange.ts'
import type { Metrics } from './metrics.ts'
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
  const key = idempotencyKey(asking)
  const { text, input } = await readInput(errand)
  const answer = async () => {
    const result = await call(errand, await readied(errand, withKey(errand, input, key)))
    metrics.pushed(countPushed(operation, result))
    return withEtag(operation, asking, replyTo(errand, result))
  }
  if (key === undefined || operation.answersByKey) return answer()
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
  if (key === undefined) return input
  const { pushes, keyField } = operation
  if (pushes === 'many') return withKeys(asking, input, key)
  if (keyField === undefined || input[keyField] !== undefined) return input
  return { ...input, [keyField]: dedupKeyFor(asking, key) }
}

/** A key of the header has no space in it, so none of these is ever that of another request. */
function withKeys(asking: Asking, input: Input, key: string): Input {
  const { messages } = input
  if (!Array.isArray(messages)) return input
  const isKeyless = (message: unknown) => typeof message === 'object' && message !== null && !('dedupKey' in message)
  return {
    ...input,
    messages: messages.map((message, at) =>
      isKeyless(message) ? { ...message, dedupKey: dedupKeyFor(asking, `${key} ${at}`) } : message,
    ),
  }
}

/** The input as it is handed to the heart: checked, allowed, and with what the connection knows. */
async function readied({ operation, asking }: Errand, given: Input): Promise<Input> {
  const input = await admit(operation, asking, given)
  return requireSeen(operation, asking, withTrace(operation, asking, input))
}

/** Messages keep the trace context of the request that pushed them. */
function withTrace({ pushes }: Operation, { request }: Asking, input: Input): Input {
  const trace = pushes === 'one' || pushes === 'many' ? traceContextOf(request) : undefined
  if (!trace) return input
  if (pushes === 'one') return { trace, ...input }
  const messages = input['messages'] as readonly Input[]
  return { ...input, messages: messages.map((message) => ({ trace, ...message })) }
}

function call({ operation, asking }: Errand, input: Input): Promise<unknown> {
  return perform(asking.postern, operation.name, operation.kind === 'waits' ? bounded(input, asking.gone()) : input)
}

function bounded(input: Input, signal: AbortSignal): Input {
  const asked = input['timeoutMs']
  // What is no time at all is for the heart to refuse.
  const timeoutMs = typeof asked === 'number' ? Math.min(asked, MAX_WAIT_MS) : MAX_WAIT_MS
  return { ...input, timeoutMs, signal }
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
