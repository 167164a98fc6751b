import { parseAgentId } from '../../model/agent.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { InboxPage, ListInbox, ShownInFull } from '../../model/postern.ts'
import type { InboxCursor } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { isVisible, requireVisible } from '../visible.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1_000
const THREAD_LIMIT = 200

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
  const limit = parsePageLimit(input.limit)
  if (input.agent !== undefined) await requireAgent(ctx.store.read, input.agent)
  const { which = 'pending', order = 'oldest' } = input
  if (order === 'newest' && input.agent === undefined) throw new PosternError('VALUE_INVALID', NEWEST_OF_NOBODY)
  const { items, next } = await ctx.store.read.inboxes.page({
    states: STATES[which],
    isNewestFirst: order === 'newest',
    ...(which === 'snoozed' && { snoozed: true }),
    now: ctx.store.now(),
    limit,
    ...(input.agent !== undefined && { agent: input.agent }),
    ...(input.after !== undefined && { after: parseCursor(input.after) }),
  })
  return { items, next: next ? formatCursor(next) : null }
}

/** Inboxes are numbered each for itself. */
const NEWEST_OF_NOBODY = { field: 'order', value: 'newest', next: 'Name the agent whose inbox is meant.' } as const

function formatCursor({ agent, inboxSeq, broadcastSeq }: InboxCursor): string {
  return [agent, inboxSeq, ...(broadcastSeq === undefined ? [] : [broadcastSeq])].join(':')
}

function parseCursor(text: string): InboxCursor {
  const [, agent = '', inboxSeq = '', broadcastSeq] = /^([^:]*):(\d{1,15})(?::(\d{1,15}))?$/.exec(text) ?? []
  if (inboxSeq === '') {
    throw new PosternError('VALUE_INVALID', {
      field: 'cursor',
      value: text,
      next: 'Use the "next" of an earlier page.',
    })
  }
  const place = { agent: parseAgentId(agent), inboxSeq: Number(inboxSeq) }
  return broadcastSeq === undefined ? place : { ...place, broadcastSeq: Number(broadcastSeq) }
}

/** One message with the thread around it. */
export async function showMessage(ctx: Context, { id }: { readonly id: string }): Promise<ShownInFull> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const { messages } = ctx.store.read
  const message = requireVisible(ctx, id, await messages.get(id))
  const thread = await messages.thread({ threadId: message.threadId, limit: THREAD_LIMIT })
  return { message, thread: thread.filter((each) => isVisible(ctx, each)) }
}

/** How many items a page holds; 50 unless the caller says otherwise. */
export function parsePageLimit(wanted: number | undefined): number {
  const value = wanted ?? DEFAULT_LIMIT
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value
  throw new PosternError('VALUE_INVALID', { field: 'limit', value, next: `Use a whole number from 1 to ${MAX_LIMIT}.` })
}
