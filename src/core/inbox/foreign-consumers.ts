import type { InboxMessage } from '../../model/delivery.ts'
import { requireStorable } from '../../model/ids.ts'
import { POPPED_STEP } from '../../model/receipt.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { takeUpBroadcasts } from './broadcasts.ts'
import { quarantineDamaged } from './quarantine.ts'

/**
 * The pending messages of an agent whose inbox a foreign consumer reads (such as a program that pops a Redis list), oldest
 * first. Such a consumer acknowledges nothing. A message that it took a whole retention ago expires instead of being
 * published again as news.
 */
export async function pendingForForeign(
  ctx: Context,
  { agent, limit }: { readonly agent: string; readonly limit: number },
): Promise<readonly InboxMessage[]> {
  await takeUpBroadcasts(ctx, agent)
  const now = ctx.store.now()
  const listed = await ctx.store.read.deliveries.list({ agent, states: ['pending'], now, limit })
  const pending = await quarantineDamaged(ctx, agent, listed)
  const again = pending.filter(({ attempt }) => attempt > 0)
  if (again.length === 0) return pending
  const over = new Set<string>()
  for (const { id } of again) {
    const steps = await ctx.store.read.deliveries.steps(id)
    const taken = steps.filter((each) => each.agent === agent && each.step === POPPED_STEP).map(({ at }) => at)
    if (taken.length > 0 && Math.max(...taken) <= now - ctx.limits.retentionMs) over.add(id)
  }
  await expireAll(ctx, agent, over)
  return pending.filter(({ id }) => !over.has(id))
}

async function expireAll(ctx: Context, agent: string, ids: ReadonlySet<string>): Promise<void> {
  if (ids.size === 0) return
  const at = ctx.store.now()
  const move = { agent, from: ['pending'], to: 'expired', at, by: 'system', reason: 'nobody acknowledged it' } as const
  await ctx.store.transact(async (tx) => {
    for (const id of ids) await tx.deliveries.move({ ...move, id })
  })
  ring(ctx, [RING_RECEIPTS])
}

/** Whether a message still waits for an agent. */
export async function isPending(ctx: Context, agent: string, id: string): Promise<boolean> {
  requireStorable(id, 'MESSAGE_NOT_FOUND')
  const delivery = (await ctx.store.read.deliveries.ofMessage(id)).find((each) => each.agent === agent)
  const isOver = (delivery?.expiresAt ?? Number.POSITIVE_INFINITY) <= ctx.store.now()
  return delivery?.state === 'pending' && !isOver
}

export interface ForeignTake {
  readonly agent: string
  readonly ids: readonly string[]
  /** How the consumer got it, as offers name it, such as `redis`. */
  readonly via: string
  readonly evidence: string
}

/**
 * Records that a foreign consumer has taken messages: each becomes a printed offer and no more, because only an
 * acknowledgement proves that somebody has read it. Messages that are no longer pending stay as they are.
 */
export async function recordForeignTake(ctx: Context, take: ForeignTake): Promise<void> {
  const count = await ctx.store.transact(async (tx) => {
    let offered = 0
    for (const id of take.ids) if (await offerTaken(ctx, tx, take, id)) offered += 1
    return offered
  })
  if (count > 0) ring(ctx, [RING_RECEIPTS])
}

/** Each message is an offer of its own, so that it is acknowledged or released by itself. */
async function offerTaken(
  ctx: Context,
  tx: Shelves,
  { agent, via, evidence }: ForeignTake,
  id: string,
): Promise<boolean> {
  const message = await tx.messages.get(id)
  const delivery = (await tx.deliveries.ofMessage(id)).find((each) => each.agent === agent)
  if (!message || delivery?.state !== 'pending') return false
  const { attempt, inboxSeq } = delivery
  const at = ctx.store.now()
  const expiresAt = at + ctx.limits.retentionMs
  const open = { printedAt: null, closedAt: null, outcome: null, evidence: null }
  const offer = { id: ctx.newId('off'), agent, sessionId: null, via, offeredAt: at, ...open, expiresAt, size: 1 }
  const taken: InboxMessage = { ...message, agent, state: 'pending', attempt, inboxSeq }
  if (!(await tx.offers.open({ offer, taken: [taken], headlines: [] }))) return false
  await tx.offers.setPrinted({ id: offer.id, at, expiresAt })
  await tx.deliveries.record({ id, agents: [agent], step: POPPED_STEP, at, by: via, evidence })
  return true
}
