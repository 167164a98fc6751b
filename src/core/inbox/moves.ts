import { parseAgentId } from '../../model/agent.ts'
import { isProgram } from '../../model/caller.ts'
import type { Delivery, DeliveryState, InboxMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY } from '../../model/message.ts'
import type { AckMessages, AckResult, DeliveryRef } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { resolveByReply } from '../gates/tend.ts'
import { requirePerson } from '../registry/require-person.ts'
import { ring } from '../rings/ring.ts'
import { requireVisible } from '../visible.ts'
import { takeUpBroadcasts } from './broadcasts.ts'
import { mayMove } from './state-moves.ts'

const LIST_LIMIT = 1_000
const EVERY_RECIPIENT = 'all its recipients'

/** The agent has dealt with these messages. To say so of one it was only offered proves that it was seen. */
export async function ackMessages(ctx: Context, { agent, ids }: AckMessages): Promise<readonly AckResult[]> {
  const acting = parseAgentId(agent)
  await takeUpBroadcasts(ctx, acting)
  const results = await ctx.store.transact(async (tx) => {
    const acked: AckResult[] = []
    for (const id of ids) acked.push(await ackOne(ctx, tx, id, acting))
    return acked
  })
  ring(ctx, [RING_RECEIPTS])
  return results
}

async function ackOne(ctx: Context, tx: Shelves, id: string, agent: string): Promise<AckResult> {
  const known = await requireDelivery(ctx, tx, { id, agent })
  if (known.state === 'acted') return { id, state: 'acted' }
  const acked: Move = { from: ['seen', 'offered'], to: 'acted', reason: 'acknowledged' }
  const moved = await tryMove(ctx, tx, { id, agent }, acked)
  if (moved.length > 0) return { id, state: 'acted' }
  // Somebody else may have acked it between the look and the move.
  const { state } = await requireDelivery(ctx, tx, { id, agent })
  if (state !== 'acted') throw new PosternError('DELIVERY_STATE', { id, agent, state, wanted: 'acted' })
  return { id, state }
}

/** Takes a message back from whoever has not been shown it yet; what somebody saw and has put off stays with them. */
export async function cancelMessage(ctx: Context, ref: DeliveryRef): Promise<{ readonly cancelled: number }> {
  const moved = await ctx.store.transact(
    async (tx) => {
      if (isProgram(ctx.caller)) await requireOwn(ctx, tx, ref)
      await endBroadcast(ctx, tx, ref)
      const seenBy = await tx.snoozes.seenBy(ref.id)
      const wanted: Move = { from: ['pending', 'held'], to: 'cancelled', reason: `cancelled by ${ctx.caller.id}` }
      return seenBy.length === 0 ? move(ctx, tx, ref, wanted) : moveUnseen(ctx, tx, { ref, wanted, seenBy })
    },
    { answers: ['inbox.cancel'] },
  )
  ring(ctx, [RING_RECEIPTS])
  return { cancelled: moved.length }
}

interface MoveUnseen {
  readonly ref: DeliveryRef
  readonly wanted: Move
  readonly seenBy: readonly string[]
}

async function moveUnseen(ctx: Context, tx: Shelves, { ref, wanted, seenBy }: MoveUnseen): Promise<readonly string[]> {
  const { id } = ref
  const agents = ref.agent === undefined ? await recipientsOf(tx, id) : [parseAgentId(ref.agent)]
  const moved: string[] = []
  for (const agent of agents) {
    if (!seenBy.includes(agent)) moved.push(...(await tryMove(ctx, tx, { id, agent }, wanted)))
  }
  if (moved.length > 0) return moved
  const { state } = await requireDelivery(ctx, tx, ref, wanted.from)
  const known = wanted.from.includes(state) ? 'seen' : state
  throw new PosternError('DELIVERY_STATE', { id, agent: ref.agent ?? EVERY_RECIPIENT, state: known, wanted: wanted.to })
}

async function recipientsOf(tx: Shelves, id: string): Promise<readonly string[]> {
  return (await tx.deliveries.ofMessage(id)).map(({ agent }) => agent)
}

/** What others have said, to people above all, is not for a program to take back. */
async function requireOwn(ctx: Context, tx: Shelves, { id }: DeliveryRef): Promise<void> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const { caller } = ctx
  const message = requireVisible(ctx, id, await tx.messages.get(id))
  if (message.from.id === caller.id) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot take back ${id}: it is from ${message.from.id}.`,
    next: `Let ${message.from.id} do it, or a person.`,
  })
}

/**
 * A broadcast can be taken back only from those who have a delivery of it, so whoever has none yet gets one first.
 * Taken back from everybody, its time is over, so that nobody who is registered later is shown it.
 */
async function endBroadcast(ctx: Context, tx: Shelves, { id, agent: only }: DeliveryRef): Promise<void> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const message = await tx.messages.get(id)
  if (message?.to[0] !== EVERYBODY) return
  const agents = await tx.agents.list({ removed: false })
  for (const agent of agents) await tx.deliveries.takeUpBroadcasts({ agent: agent.id, now: ctx.store.now() })
  if (only === undefined) await tx.messages.expire({ id, at: ctx.store.now() })
}

/** What is released arrives only now: a gate that waits for this very reply opens. A program may not lift its own damping. */
export async function releaseHeld(ctx: Context, ref: DeliveryRef): Promise<{ readonly released: number }> {
  requirePerson(ctx.caller, 'release held messages')
  requireStorable(ref.id, 'MESSAGE_NOT_FOUND')
  const { agents, told } = await ctx.store.transact(
    async (tx) => {
      const message = await tx.messages.get(ref.id)
      const waiting = message?.replyTo ? await tx.gates.awaiting({ awaits: message.replyTo }) : []
      const agents = await move(ctx, tx, ref, {
        from: ['held'],
        to: 'pending',
        reason: `released by ${ctx.caller.id}`,
      })
      return { agents, told: message ? await resolveByReply(ctx, tx, message, waiting) : [] }
    },
    { answers: ['inbox.releaseHeld'] },
  )
  ring(ctx, [...agents, ...told])
  return { released: agents.length }
}

export async function retryDead(ctx: Context, ref: DeliveryRef): Promise<{ readonly retried: number }> {
  requirePerson(ctx.caller, 'retry dead messages')
  const agents = await ctx.store.transact(
    (tx) => move(ctx, tx, ref, { from: ['dead'], to: 'pending', reason: `tried again by ${ctx.caller.id}` }),
    { answers: ['inbox.retryDead'] },
  )
  ring(ctx, agents)
  return { retried: agents.length }
}

type OfAgent = { readonly agent?: string }

/** Messages that were held for a person to look at. */
export function listHeld(ctx: Context, input: OfAgent = {}): Promise<readonly InboxMessage[]> {
  return listIn('held', ctx, input)
}

/** Messages that could not be shown after too many attempts. */
export function listDead(ctx: Context, input: OfAgent = {}): Promise<readonly InboxMessage[]> {
  return listIn('dead', ctx, input)
}

async function listIn(state: 'held' | 'dead', ctx: Context, { agent }: OfAgent): Promise<readonly InboxMessage[]> {
  return ctx.store.read.deliveries.list({
    states: [state],
    now: ctx.store.now(),
    limit: LIST_LIMIT,
    snoozed: false,
    ...(agent !== undefined && { agent: parseAgentId(agent) }),
  })
}

interface Move {
  readonly from: readonly DeliveryState[]
  readonly to: DeliveryState
  readonly reason: string
}

/** Moves at least one delivery, or says why none could be. */
async function move(ctx: Context, tx: Shelves, ref: DeliveryRef, wanted: Move): Promise<readonly string[]> {
  const moved = await tryMove(ctx, tx, ref, wanted)
  if (moved.length > 0) return moved
  const { agent, state } = await requireDelivery(ctx, tx, ref, wanted.from)
  // What could be pending again and is not belongs to somebody who left.
  if (wanted.to === 'pending' && wanted.from.includes(state)) throw new PosternError('AGENT_REMOVED', { id: agent })
  const whose = ref.agent ?? EVERY_RECIPIENT
  throw new PosternError('DELIVERY_STATE', { id: ref.id, agent: whose, state, wanted: wanted.to })
}

async function tryMove(
  ctx: Context,
  tx: Shelves,
  { id, agent }: DeliveryRef,
  { from, to, reason }: Move,
): Promise<readonly string[]> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  return tx.deliveries.move({
    id,
    from: mayMove(from, to),
    to,
    reason,
    at: ctx.store.now(),
    by: ctx.caller.id,
    ...(agent !== undefined && { agent: parseAgentId(agent) }),
  })
}

/** The delivery to the agent; where none is named, one in a state that is looked for before any other. */
export async function requireDelivery(
  ctx: Context,
  tx: Shelves,
  { id, agent }: DeliveryRef,
  lookedFor: readonly DeliveryState[] = [],
): Promise<Delivery> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const all = await tx.deliveries.ofMessage(id)
  const delivery =
    agent === undefined
      ? (all.find(({ state }) => lookedFor.includes(state)) ?? all[0])
      : all.find((each) => each.agent === agent)
  if (delivery) return delivery
  requireVisible(ctx, id, await tx.messages.get(id))
  throw new PosternError('DELIVERY_NOT_FOUND', { id, agent: agent ?? 'anybody yet' })
}
