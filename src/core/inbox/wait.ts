import { reasonOf } from '../../kit/pure/reason-of.ts'
import { parseAgentId } from '../../model/agent.ts'
import type { DeliveryState } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import type { WaitForReceipt, WaitInbox } from '../../model/postern.ts'
import { parsePriority } from '../../model/priority.ts'
import type { ReceiptStage, Trace } from '../../model/receipt.ts'
import { RING_ALL, RING_RECEIPTS } from '../../model/ring.ts'
import type { Listener } from '../../wires/wire.ts'
import type { Context } from '../context.ts'
import { unknownAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { takeBack } from './drain.ts'
import { traceMessage } from './trace.ts'

/** Rings are hints: a waiter looks for itself at least this often, and more often where it cannot hear any. */
const SAFETY_POLL_MS = 30_000
const DEAF_POLL_MS = 1_000

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
    if (!waiting.lapsed) return undefined
    if (input.maxPriority === undefined && !input.fromOthers) return 1
    // Only what is back tells how urgent it is, and whose.
    ring(ctx, await ctx.store.transact((tx) => takeBack(ctx, tx, agent, waiting)))
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
  const own = first.filter(({ from, priority }) => from.id === agent && priority <= (maxPriority ?? priority))
  return pending - own.length
}

const REACHED: Readonly<Record<ReceiptStage, readonly DeliveryState[]>> = {
  stored: ['pending', 'held', 'offered', 'seen', 'acted'],
  offered: ['offered', 'seen', 'acted'],
  seen: ['seen', 'acted'],
  acted: ['acted'],
}

const HOPELESS: readonly DeliveryState[] = ['expired', 'cancelled', 'dead']

/** Resolves when every recipient's delivery has come as far as asked; fails as soon as one never can. */
export async function waitForReceipt(ctx: Context, input: WaitForReceipt): Promise<Trace> {
  const { id, stage } = input
  requirePatience(input)
  const { message } = await traceMessage(ctx, { id })
  const untilExpiry = message.expiresAt === null ? Number.POSITIVE_INFINITY : message.expiresAt - ctx.store.now()
  const patience = { ...input, timeoutMs: Math.min(input.timeoutMs, untilExpiry) }
  const trace = await waitUntil(ctx, [RING_RECEIPTS], patience, async () => {
    const current = await traceMessage(ctx, { id })
    const lost = current.deliveries.find((delivery) => HOPELESS.includes(delivery.state))
    if (lost) throw new PosternError('DELIVERY_STATE', { id, agent: lost.agent, state: lost.state, wanted: stage })
    const hasArrived = current.deliveries.every((delivery) => REACHED[stage].includes(delivery.state))
    return hasArrived && current.deliveries.length > 0 ? current : undefined
  })
  if (trace) return trace
  const { why } = await traceMessage(ctx, { id })
  if (message.expiresAt !== null && message.expiresAt <= ctx.store.now()) {
    throw new PosternError('DELIVERY_STATE', { id, agent: message.to.join(', '), state: 'expired', wanted: stage })
  }
  throw new PosternError('TIMED_OUT', {
    id,
    message: `The message ${id} was stored, but not every recipient has it ${stage} yet. ${why}`,
    next: `Look again later with "postern trace ${id}".`,
  })
}

interface Patience {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Look again at this time at the latest, rung or not. */
  readonly wakeAt?: number | null | (() => Promise<number | undefined>)
  /** Look again after this while at the latest, rung or not; asked after every look. */
  readonly pollMs?: () => number
}

/** No time at all means for ever; anything else must be a time. */
export function requirePatience({ timeoutMs = 0 }: Patience): void {
  if (Number.isFinite(timeoutMs) && timeoutMs >= 0) return
  throw new PosternError('VALUE_INVALID', {
    field: 'timeout',
    value: timeoutMs,
    next: 'Use a number of milliseconds, or none to wait for as long as it takes.',
  })
}

/**
 * Looks, and looks again after every ring, until there is an answer or the time is over. It listens before it looks
 * for the first time, so no ring falls between the two.
 */
export async function waitUntil<T>(
  ctx: Context,
  names: readonly string[],
  { timeoutMs = Number.POSITIVE_INFINITY, signal, wakeAt = null, pollMs = () => SAFETY_POLL_MS }: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = ctx.store.now() + timeoutMs
  const bell = createBell(ctx)
  const listener = await tryListen(ctx, names, bell.ring)
  const safetyMs = listener ? SAFETY_POLL_MS : DEAF_POLL_MS
  signal?.addEventListener('abort', bell.ring)
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      const left = deadline - ctx.store.now()
      if (left <= 0 || signal?.aborted) return undefined
      const until = (typeof wakeAt === 'function' ? await wakeAt() : wakeAt) ?? Number.POSITIVE_INFINITY
      const untilWake = until - ctx.store.now()
      await bell.next(Math.min(left, safetyMs, pollMs(), untilWake > 0 ? untilWake : safetyMs))
    }
  } finally {
    signal?.removeEventListener('abort', bell.ring)
    await listener?.close()
  }
}

/** Whoever cannot be rung (too many open files, no rights to the folder, no connection) can still look. */
async function tryListen(ctx: Context, names: readonly string[], onRing: () => void): Promise<Listener | undefined> {
  try {
    return await ctx.wire.listen(names, onRing)
  } catch (error) {
    ctx.note('listen.failed', { error: reasonOf(error) })
    return undefined
  }
}

/** Remembers a ring until somebody asks for the next one. */
function createBell({ timers }: Context): { ring: () => void; next: (ms: number) => Promise<void> } {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    async next(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const cancel = timers.after(ms, resolve)
          wake = () => {
            cancel()
            resolve()
          }
        })
      }
      rung = false
      wake = undefined
    },
  }
}
