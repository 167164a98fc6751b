import { parseAgentId } from '../../model/agent.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { Message } from '../../model/message.ts'
import type { InboxPage, ListInbox, SearchMessages, ShownInFull } from '../../model/postern.ts'
import { parseSearch, type SearchPart } from '../../model/search.ts'
import { parseText } from '../../model/text.ts'
import type { ListParams } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { takeUpBroadcasts } from './broadcasts.ts'
import { takeUpSnoozed } from './read-and-snooze.ts'
import { isConfined, isVisible, requireVisible } from './visible.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1_000
const THREAD_LIMIT = 200
const QUERY_BYTES = 1_000
const INDEX_SLICE = 1_000

const STATES: Readonly<Record<NonNullable<ListInbox['which']>, readonly DeliveryState[]>> = {
  pending: ['pending'],
  delivered: ['seen', 'acted'],
  done: ['acted'],
  open: ['pending', 'offered', 'seen'],
  snoozed: ['held'],
  all: DELIVERY_STATES,
}

/** A page of an inbox, or of all inboxes, in order. Looking takes nothing. */
export async function listInbox(ctx: Context, input: ListInbox): Promise<InboxPage> {
  const limit = parseLimit(input.limit ?? DEFAULT_LIMIT)
  if (input.agent !== undefined) await requireAgent(ctx.store.read, input.agent)
  const { which = 'pending', order = 'oldest' } = input
  if (order === 'newest' && input.agent === undefined) throw new PosternError('VALUE_INVALID', NEWEST_OF_NOBODY)
  await takeUpBroadcasts(ctx, input.agent)
  await takeUpSnoozed(ctx, input.agent)
  const items = await ctx.store.read.deliveries.list({
    states: STATES[which],
    isNewestFirst: order === 'newest',
    ...(which === 'snoozed' && { snoozed: true }),
    now: ctx.store.now(),
    limit: limit + 1,
    ...(input.agent !== undefined && { agent: input.agent }),
    ...(input.after !== undefined && { after: parseCursor(input.after) }),
  })
  const page = items.slice(0, limit)
  const last = page.at(-1)
  return { items: page, next: items.length > limit && last ? `${last.agent}:${last.inboxSeq}` : null }
}

/** Inboxes are numbered each for itself. */
const NEWEST_OF_NOBODY = { field: 'order', value: 'newest', next: 'Name the agent whose inbox is meant.' } as const

function parseCursor(text: string): NonNullable<ListParams['after']> {
  const [agent = '', inboxSeq = ''] = text.split(':')
  if (!/^\d{1,15}$/.test(inboxSeq)) {
    throw new PosternError('VALUE_INVALID', {
      field: 'cursor',
      value: text,
      next: 'Use the "next" of an earlier page.',
    })
  }
  return { agent: parseAgentId(agent), inboxSeq: Number(inboxSeq) }
}

/** One message with the thread around it. */
export async function showMessage(ctx: Context, { id }: { readonly id: string }): Promise<ShownInFull> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const { messages } = ctx.store.read
  const message = requireVisible(ctx, id, await messages.get(id))
  const thread = await messages.thread({ threadId: message.threadId, limit: THREAD_LIMIT })
  return { message, thread: thread.filter((each) => isVisible(ctx, each)) }
}

/** Full-text search. What was pushed since the last query is indexed first, so nothing is missing. */
export async function searchMessages(ctx: Context, input: SearchMessages): Promise<readonly Message[]> {
  const parts = parseSearch(parseText('query', input.query, QUERY_BYTES))
  const limit = parseLimit(input.limit ?? DEFAULT_LIMIT)
  const agent = input.agent === undefined ? undefined : parseAgentId(input.agent)
  if (parts.length === 0) return []
  const indexSlice = () => ctx.store.transact((tx) => tx.messages.indexForSearch({ limit: INDEX_SLICE }))
  while ((await indexSlice()) === INDEX_SLICE);
  if (isConfined(ctx)) return searchOwn(ctx, { parts, limit, about: agent })
  return ctx.store.read.messages.search({ parts, limit, ...(agent !== undefined && { agent }) })
}

/** A program that sees only what concerns it finds nothing else; of another agent it finds what both know. */
async function searchOwn(
  ctx: Context,
  { parts, limit, about }: { parts: readonly SearchPart[]; limit: number; about: string | undefined },
): Promise<readonly Message[]> {
  await takeUpBroadcasts(ctx, ctx.caller.id)
  const found = await ctx.store.read.messages.search({ parts, limit, agent: ctx.caller.id })
  return about === undefined ? found : found.filter(({ from, to }) => from.id === about || to.includes(about))
}

function parseLimit(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value
  throw new PosternError('VALUE_INVALID', { field: 'limit', value, next: `Use a whole number from 1 to ${MAX_LIMIT}.` })
}
