import { trustWord } from '../../model/caller.ts'
import type { InboxMessage, ShownForm } from '../../model/delivery.ts'
import type { Message } from '../../model/message.ts'
import { VIA_TOOL } from '../../model/offer.ts'
import type { Drained, InboxPage, ShownInFull } from '../../model/postern.ts'
import type { Trace } from '../../model/receipt.ts'
import { renderDrain } from '../../render/drain.ts'
import { LINE, neutralise } from '../../render/neutralise.ts'
import { TOOLS } from '../../render/quotation.ts'
import { quoteHeadline, quoteMessage } from '../../render/quoted.ts'
import { quote } from '../quote.ts'
import { counted } from './sentences.ts'
import { type Handlers, operate, type ToolAnswer, type ToolCall, waitOf, withoutKey } from './tool-call.ts'

/** What each of these tools does, by its name. */
export const INBOX_HANDLERS: Handlers = {
  inbox_check: checkInbox,
  inbox_ack: ackMessages,
  message_read: readMessage,
  message_search: searchMessages,
  peek_inbox: peekInbox,
}

/** What an answer may cost where the model has not said; hosts cut answers off at 25,000. */
const DEFAULT_TOKENS = 5_000
const MAX_TOKENS = 20_000
const SECOND_MS = 1_000
const PREVIEWS = 20
const MAX_PREVIEWS = 100
const THREAD = 20
/** So much of a thread is shown whole. */
const THREAD_CHARACTERS = 40_000

/**
 * Offers what waits. It is seen with the agent's next call, or when it is acknowledged; whatever keeps the answer from
 * going out gives it back.
 */
async function checkInbox(call: ToolCall): Promise<ToolAnswer> {
  const { connection, input, signal, onSettled } = call
  const { agent, shown } = connection
  await connection.gather()
  const first = await drain(call)
  const seconds = waitOf(input)
  const isEmpty = first.offer === null && first.remaining === 0
  if (isEmpty && seconds > 0) {
    await operate(call, 'inbox.wait', { agent, ...urgency(call), timeoutMs: seconds * SECOND_MS })
  }
  const drained = isEmpty && seconds > 0 && !signal.aborted ? await drain(call) : first
  const { offer } = drained
  if (offer) {
    onSettled((outcome) => {
      const told = outcome === 'lost' ? shown.lose(offer.id) : shown.settle(offer.id, outcome === 'sent')
      void told.catch(() => {})
    })
    await shown.prepare()
  }
  const text = renderDrain(drained, { nonce: connection.nonce(), door: TOOLS }) || nothingText(drained)
  return { structured: { text, messages: drained.messages.map(headlineOf), remaining: drained.remaining }, text }
}

async function drain(call: ToolCall): Promise<Drained> {
  const { connection, input } = call
  const sessionId = await connection.sessionId()
  return operate<Drained>(call, 'inbox.drain', {
    agent: connection.agent,
    via: VIA_TOOL,
    maxTokens: Math.min((input['maxTokens'] as number | undefined) ?? DEFAULT_TOKENS, MAX_TOKENS),
    ...urgency(call),
    ...(sessionId !== undefined && { sessionId }),
  })
}

function urgency({ input: { maxPriority } }: ToolCall) {
  return maxPriority === undefined ? {} : { maxPriority }
}

function nothingText({ remaining }: Drained): string {
  if (remaining === 0) return 'No messages.'
  return `${counted(remaining, 'message')} ${remaining === 1 ? 'waits' : 'wait'}, none of which fits: ask for more tokens.`
}

function headlineOf({ id, type, from, priority, attempt }: InboxMessage) {
  return { id, type, from: from.id, trust: trustWord(from), priority, attempt }
}

async function ackMessages(call: ToolCall): Promise<ToolAnswer> {
  const items = await operate<readonly unknown[]>(call, 'inbox.ack', withoutKey(call))
  return { structured: { items }, text: `${counted(items.length, 'message')} acknowledged.` }
}

/** The end of a thread is what matters; the message itself always stands in it, whole. */
async function readMessage(call: ToolCall): Promise<ToolAnswer> {
  const { id } = call.input as { readonly id: string }
  const { message, thread } = await operate<ShownInFull>(call, 'inbox.show', { id })
  const { deliveries, why } = await operate<Trace>(call, 'inbox.trace', { id })
  const last = thread.slice(-THREAD)
  const kept = last.some((each) => each.id === id) ? last : [message, ...last]
  let room = THREAD_CHARACTERS - message.content.length
  const formOf = (each: Message): ShownForm => {
    if (each.id === id) return 'whole'
    room -= each.content.length
    return room > 0 ? 'whole' : 'headline'
  }
  const text = await quoteMessages(call, 'thread', kept, formOf)
  return { structured: { text, receipts: deliveries, why }, text: `${text}\n${neutralise(why, LINE)}` }
}

/** What is found is told by its beginning; `message_read` shows the rest. */
async function searchMessages(call: ToolCall): Promise<ToolAnswer> {
  const { query, limit = PREVIEWS } = call.input as { readonly query: string; readonly limit?: number }
  const found = await operate<readonly Message[]>(call, 'inbox.search', { query, limit: Math.min(limit, MAX_PREVIEWS) })
  return listed(found, await quoteMessages(call, 'search', found, () => 'headline'))
}

/** Looking takes nothing, so only beginnings are shown: the rest comes with `inbox_check`. */
async function peekInbox(call: ToolCall): Promise<ToolAnswer> {
  const { connection, input } = call
  const { items, next } = await operate<InboxPage>(call, 'inbox.list', {
    agent: connection.agent,
    limit: Math.min((input['limit'] as number | undefined) ?? PREVIEWS, MAX_PREVIEWS),
  })
  const entries = items.map((message, at) => quoteHeadline(message, `${at + 1}/${items.length}`))
  const answer = listed(items, await quote(connection, 'inbox preview', entries))
  return { ...answer, structured: { ...(answer.structured as object), hasMore: next !== null } }
}

async function quoteMessages(
  { connection }: ToolCall,
  what: string,
  messages: readonly Message[],
  formOf: (message: Message) => ShownForm,
): Promise<string> {
  const entries = messages.map((message, at) =>
    quoteMessage(message, connection.agent, `${at + 1}/${messages.length}`, formOf(message)),
  )
  return quote(connection, what, entries)
}

function listed(messages: readonly { readonly id: string }[], rendered: string): ToolAnswer {
  const text = messages.length === 0 ? 'No messages.' : rendered
  return { structured: { text, ids: messages.map(({ id }) => id) }, text }
}
