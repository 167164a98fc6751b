import { parseAgentId } from '../../model/agent.ts'
import type { Delivery, DeliveryState } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import { isOwnNote } from '../../model/own-note.ts'
import type { WaitForReceipt, WaitInbox } from '../../model/postern.ts'
import { parsePriority } from '../../model/priority.ts'
import type { ReceiptStage, Trace } from '../../model/receipt.ts'
import { RING_ALL, RING_RECEIPTS } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { unknownAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { requirePatience, waitUntil } from '../rings/wait-until.ts'
import { findGone, takeBack } from './drain.ts'
import { traceMessage } from './trace.ts'

/** What an agent has noted for itself is looked through so far. */
const OWN_LIMIT = 1_000

/** Resolves when something waits for the agent; with nothing pending when the time is over. */
export async function waitForMail(ctx: Context, input: WaitInbox): Promise<{ readonly pending: number }> {
  const agent = parseAgentId(input.agent)
  if (input.maxPriority !== undefined) parsePriority(input.maxPriority)
  requirePatience(input)
  const wakeAt = () => ctx.store.read.plans.nextAt({ agent })
  const pending = await waitUntil(ctx, [agent, RING_ALL], { ...input, wakeAt }, async () => {
    const pending = await countWanted(ctx, input)
    if (pending > 0) return pending
    const waiting = await ctx.store.read.deliveries.waiting({ agent, now: ctx.store.now() })
    if (!waiting) throw await unknownAgent(ctx.store.read, agent)
    if (waiting.plans && (await fireOwn(ctx, agent)) > 0) return (await countWanted(ctx, input)) || undefined
    // What lapsed comes back with the next drain and is not counted yet; what expired or was one's own is nothing.
    const takeBackGone = await findGone(ctx, agent, waiting)
    if (!waiting.lapsed && !takeBackGone) return undefined
    if (input.maxPriority === undefined && !input.fromOthers) return 1
    // Only what is back tells how urgent it is, and whose.
    ring(ctx, await ctx.store.transact((tx) => takeBack(ctx, tx, agent, { ...waiting, takeBackGone })))
    return (await countWanted(ctx, input)) || undefined
  })
  return { pending: pending ?? 0 }
}

/** Whoever waits fires the plans that it waits for, so that no server is needed for them. */
async function fireOwn(ctx: Context, agent: string): Promise<number> {
  const { firePlans } = await import('../plans/fire.ts')
  const { fired } = await firePlans(ctx, { agent })
  return fired
}

async function countWanted(ctx: Context, { agent, maxPriority, fromOthers }: WaitInbox): Promise<number> {
  const { deliveries } = ctx.store.read
  const now = ctx.store.now()
  const pending = await deliveries.countPending({ agent, now, ...(maxPriority !== undefined && { maxPriority }) })
  if (pending === 0 || !fromOthers) return pending
  const first = await deliveries.list({ agent, now, states: ['pending'], limit: OWN_LIMIT })
  const own = first.filter((message) => isOwnNote(message) && message.priority <= (maxPriority ?? message.priority))
  return pending - own.length
}

const REACHED: Readonly<Record<ReceiptStage, readonly DeliveryState[]>> = {
  stored: ['pending', 'held', 'offered', 'seen', 'acted'],
  offered: ['offered', 'seen', 'acted'],
  seen: ['seen', 'acted'],
  acted: ['acted'],
}

const HOPELESS: readonly DeliveryState[] = ['expired', 'cancelled', 'dead']

/**
 * Resolves when every recipient's delivery has come as far as asked; fails as soon as one never can. The end of a
 * message's time to live ends the wait only while a delivery is pending: one that was shown can still be acknowledged.
 */
export async function waitForReceipt(ctx: Context, input: WaitForReceipt): Promise<Trace> {
  const { id, stage } = input
  requirePatience(input)
  const { message } = await traceMessage(ctx, { id })
  const trace = await waitUntil(ctx, [RING_RECEIPTS], { ...input, wakeAt: message.expiresAt }, async () => {
    const current = await traceMessage(ctx, { id })
    const states = current.deliveries.map((delivery) => ({ agent: delivery.agent, state: stateNow(ctx, delivery) }))
    if (states.length === 0 && isOver(ctx, current.message)) {
      throw new PosternError('DELIVERY_STATE', { id, agent: message.to.join(', '), state: 'expired', wanted: stage })
    }
    const lost = states.find(({ state }) => HOPELESS.includes(state))
    if (lost) throw new PosternError('DELIVERY_STATE', { id, ...lost, wanted: stage })
    const hasArrived = states.every(({ state }) => REACHED[stage].includes(state))
    return hasArrived && states.length > 0 ? current : undefined
  })
  if (trace) return trace
  const { why } = await traceMessage(ctx, { id })
  throw new PosternError('TIMED_OUT', {
    id,
    message: `The message ${id} was stored, but not every recipient has it ${stage} yet. ${why}`,
    next: `Look again later with "postern trace ${id}".`,
  })
}

/** Upkeep records the end of a time to live a while later. */
function stateNow(ctx: Context, delivery: Delivery): DeliveryState {
  return delivery.state === 'pending' && isOver(ctx, delivery) ? 'expired' : delivery.state
}

function isOver(ctx: Context, { expiresAt }: Pick<Delivery, 'expiresAt'>): boolean {
  return expiresAt !== null && expiresAt <= ctx.store.now()
}
