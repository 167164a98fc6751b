import { reasonOf } from '../../kit/pure/reason-of.ts'
import { parseAgentId } from '../../model/agent.ts'
import type { DeliveryState } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import type { AckResult, PickMessages, SnoozeMessages } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'
import { requireVisible } from '../visible.ts'
import { takeUpBroadcasts } from './broadcasts.ts'
import { draftOffer } from './drain.ts'
import { requireDelivery } from './moves.ts'
import { quarantineDamaged } from './quarantine.ts'

/** At once, as with acknowledging: more are more calls. */
const MOST = 1_000
const SLICE = 1_000
const DAY_MS = 24 * 60 * 60_000

/**
 * Somebody reads these very messages, as a person does who opens one: what is pending of them is offered, shown and seen
 * in one step. Everything else stays what it is.
 */
export async function readMessages(ctx: Context, input: PickMessages): Promise<readonly AckResult[]> {
  const { agent, ids } = await requirePicked(ctx, input)
  const pending = await ctx.store.read.snoozes.pendingOf({ agent, ids, now: ctx.store.now() })
  await quarantineDamaged(ctx, agent, pending)
  const results = await ctx.store.transact(async (tx) => {
    await readPending(ctx, tx, agent, ids)
    return statesOf(ctx, tx, agent, ids)
  })
  ring(ctx, [RING_RECEIPTS])
  return results
}

async function readPending(ctx: Context, tx: Shelves, agent: string, ids: readonly string[]): Promise<void> {
  const now = ctx.store.now()
  const taken = (await tx.snoozes.pendingOf({ agent, ids, now })).filter(({ damaged }) => !damaged)
  if (taken.length === 0) return
  const offer = draftOffer(ctx, { agent, via: ctx.caller.via }, taken.length)
  await tx.offers.open({ offer, taken, headlines: [] })
  const evidence = `read by ${ctx.caller.id}`
  const confirmed = { outcome: 'confirmed', evidence, maxAttempts: ctx.limits.attempts } as const
  await tx.offers.close({ id: offer.id, at: now, printedAt: now, ...confirmed })
}

/** Puts messages off until a time, or takes them up again before it. All of them, or none. */
export async function snoozeMessages(ctx: Context, input: SnoozeMessages): Promise<readonly AckResult[]> {
  const { agent, ids } = await requirePicked(ctx, input)
  const untilAt = input.untilAt === null ? null : requireTime(ctx, input.untilAt)
  const results = await ctx.store.transact(async (tx) => {
    for (const id of ids) await snoozeOne(ctx, tx, { id, agent, untilAt })
    return statesOf(ctx, tx, agent, ids)
  })
  ring(ctx, untilAt === null ? [RING_RECEIPTS, agent] : [RING_RECEIPTS])
  return results
}

interface Snooze {
  readonly id: string
  readonly agent: string
  readonly untilAt: number | null
}

async function snoozeOne(ctx: Context, tx: Shelves, { id, agent, untilAt }: Snooze): Promise<void> {
  const by = ctx.caller.id
  const pick = { id, agent, at: ctx.store.now(), by }
  const isDone =
    untilAt === null
      ? await tx.snoozes.wake({ ...pick, reason: `taken up again by ${by}` })
      : await tx.snoozes.snooze({
          ...pick,
          untilAt,
          reason: `put off by ${by} until ${new Date(untilAt).toISOString()}`,
        })
  if (isDone) return
  const { state } = await requireDelivery(ctx, tx, { id, agent })
  // To take up what waits already changes nothing.
  if (untilAt === null && AWAKE.includes(state)) return
  throw new PosternError('DELIVERY_STATE', { id, agent, state, wanted: untilAt === null ? 'pending' : 'held' })
}

const AWAKE: readonly DeliveryState[] = ['pending', 'offered', 'seen']

/** Brings back what was put off and whose time has come, so that whoever looks sees it. */
export async function takeUpSnoozed(ctx: Context, agent?: string): Promise<void> {
  const now = ctx.store.now()
  if (!(await ctx.store.read.snoozes.hasDue({ agent, now }))) return
  try {
    ring(ctx, await ctx.store.transact((tx) => tx.snoozes.due({ agent, now, limit: SLICE })))
  } catch (error) {
    ctx.note('snoozed.failed', { error: reasonOf(error) })
  }
}

interface Picked {
  readonly agent: string
  readonly ids: readonly string[]
}

/** Whose messages they are, each once. What was sent to everybody, or put off until now, is taken up first. */
async function requirePicked(ctx: Context, { agent: named, ids }: PickMessages): Promise<Picked> {
  const agent = parseAgentId(named)
  if (ids.length > MOST) {
    throw new PosternError('VALUE_INVALID', {
      field: 'number of messages',
      value: ids.length,
      next: `Name at most ${MOST.toLocaleString('en')} at once.`,
    })
  }
  for (const id of ids) requireStorable(id, 'MESSAGE_NOT_FOUND')
  await requireAgent(ctx.store.read, agent)
  await takeUpBroadcasts(ctx, agent)
  await takeUpSnoozed(ctx, agent)
  return { agent, ids: [...new Set(ids)] }
}

function requireTime({ store, limits }: Context, untilAt: number): number {
  const now = store.now()
  if (Number.isSafeInteger(untilAt) && untilAt > now && untilAt <= now + limits.ttlMs) return untilAt
  throw new PosternError('VALUE_INVALID', {
    field: 'time until which it is put off',
    value: untilAt,
    next: `Use a time to come, at most ${Math.floor(limits.ttlMs / DAY_MS)} days from now.`,
  })
}

async function statesOf(
  ctx: Context,
  tx: Shelves,
  agent: string,
  ids: readonly string[],
): Promise<readonly AckResult[]> {
  const results: AckResult[] = []
  for (const id of ids) {
    const message = await tx.messages.get(id)
    // Whose a damaged message is only its delivery tells.
    if (!message?.damaged) requireVisible(ctx, id, message)
    results.push({ id, state: (await requireDelivery(ctx, tx, { id, agent })).state })
  }
  return results
}
