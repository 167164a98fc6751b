import { reasonOf } from '../../kit/pure/reason-of.ts'
import { ulidFloor } from '../../kit/pure/ulid.ts'
import type { UpkeepReport } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type ClosedOffer, closeOffer, lapseReason } from '../offers/offers.ts'
import type { Firing } from '../plans/fire.ts'
import { ring } from '../rings/ring.ts'
import { livenessOf } from '../sessions/sessions.ts'

/** What has to be done from time to time. A slice is bounded, so that any command may do one in passing. */
interface Loop {
  readonly name: Exclude<keyof UpkeepReport, 'gates' | 'plans'> | 'events'
  readonly intervalMs: number
  slice(ctx: Context, tx: Shelves): Promise<Slice>
}

interface Slice {
  readonly done: number
  /** Whom to ring after the commit. */
  readonly rings: readonly string[]
}

const SLICE = 500
const SECOND_MS = 1_000

/** Whoever holds the store is busy with something else; the next passer-by does what is due. */
const PATIENCE_MS = 50

/** So long, and about so many, events are kept; never longer than the messages that they tell of. */
const EVENTS_MS = 7 * 24 * 3_600 * SECOND_MS
const EVENTS_KEPT = 200_000
/** They are small, and many may come in a minute. */
const EVENTS_SLICE = 50_000

/** So long a request may be repeated with its key. */
const REPLIES_MS = 24 * 3_600 * SECOND_MS

const LOOPS: readonly Loop[] = [
  {
    name: 'expired',
    intervalMs: 10 * SECOND_MS,
    async slice(ctx, tx) {
      const done = await tx.deliveries.expire({ now: ctx.store.now(), limit: SLICE })
      return { done, rings: done > 0 ? [RING_RECEIPTS] : [] }
    },
  },
  {
    name: 'released',
    intervalMs: 10 * SECOND_MS,
    async slice(ctx, tx) {
      const lapsed = await tx.offers.lapsed({ now: ctx.store.now(), limit: SLICE })
      const closed: ClosedOffer[] = []
      for (const offer of lapsed) closed.push(await closeOffer(ctx, tx, offer.id, 'lapsed', lapseReason(offer)))
      const orphaned = (await tx.offers.withHost({ limit: SLICE })).filter(
        ({ session }) => livenessOf(ctx, session) === 'gone',
      )
      for (const { offer } of orphaned) {
        closed.push(await closeOffer(ctx, tx, offer.id, 'lapsed', 'its host process is gone'))
      }
      await endGoneSessions(ctx, tx)
      const awake = await tx.snoozes.due({ now: ctx.store.now(), limit: SLICE })
      return { done: closed.length, rings: [...closed.flatMap(({ rings }) => rings), ...awake] }
    },
  },
  {
    name: 'reaped',
    intervalMs: 600 * SECOND_MS,
    async slice(ctx, tx) {
      const finishedBefore = ctx.store.now() - ctx.limits.retentionMs
      await tx.upkeep.forgetSessions({ unheardSince: finishedBefore, limit: SLICE })
      await tx.gates.reap({ closedBefore: finishedBefore, limit: SLICE })
      await tx.plans.reap({ finishedBefore, limit: SLICE })
      await tx.replies.reap({ begunBefore: ctx.store.now() - REPLIES_MS, limit: SLICE })
      await tx.ledger.reapParcels({ before: finishedBefore, limit: SLICE })
      await tx.ledger.reapTransactions({ before: ctx.store.now() - REPLIES_MS, limit: SLICE })
      const idBefore = `msg_${ulidFloor(finishedBefore)}`
      return { done: await tx.upkeep.reap({ finishedBefore, idBefore, limit: SLICE }), rings: [] }
    },
  },
  {
    name: 'events',
    intervalMs: 60 * SECOND_MS,
    async slice(ctx, tx) {
      const before = ctx.store.now() - Math.min(EVENTS_MS, ctx.limits.retentionMs)
      return { done: await tx.events.reap({ before, keep: EVENTS_KEPT, limit: EVENTS_SLICE }), rings: [] }
    },
  },
]

/** A host that was killed never says that its sessions ended. What they were shown is taken back before. */
async function endGoneSessions(ctx: Context, tx: Shelves): Promise<void> {
  for (const session of await tx.sessions.withHost({ machine: ctx.machine.name, limit: SLICE })) {
    if (livenessOf(ctx, session) === 'gone') await tx.sessions.end({ id: session.id, at: ctx.store.now() })
  }
}

/** One slice of every loop that is due and that nobody else has run within its interval. */
export async function runUpkeep(ctx: Context): Promise<UpkeepReport> {
  return (await tend(ctx)).report
}

interface Tended {
  readonly report: UpkeepReport
  /** Some plans that are due could not be fired. */
  readonly isHeldUp: boolean
}

async function tend(ctx: Context): Promise<Tended> {
  const gates = await tendGatesIfDue(ctx)
  // A gate that has closed may be what a plan has waited for.
  const { fired, isHeldUp } = await firePlansIfDue(ctx)
  const report = { expired: 0, released: 0, reaped: 0, gates, plans: fired }
  const ranAt = await ctx.store.read.upkeep.ranAt()
  for (const loop of LOOPS) {
    // A look first: whoever passes by often takes no lock for what is not due.
    const since = ctx.store.now() - (ranAt.get(loop.name) ?? 0)
    if (since >= 0 && since < loop.intervalMs) continue
    const { done, rings } = await ctx.store.transact(
      async (tx): Promise<Slice> => {
        const isDue = await tx.upkeep.claim({ job: loop.name, now: ctx.store.now(), intervalMs: loop.intervalMs })
        return isDue ? loop.slice(ctx, tx) : { done: 0, rings: [] }
      },
      { patienceMs: PATIENCE_MS },
    )
    if (loop.name !== 'events') report[loop.name] = done
    ring(ctx, [...new Set(rings)])
  }
  return { report, isHeldUp }
}

/** Gates say themselves when they have to be looked at, and few commands ever meet one that does. */
async function tendGatesIfDue(ctx: Context): Promise<number> {
  if (!(await ctx.store.read.upkeep.hasDueGates({ now: ctx.store.now() }))) return 0
  const { tendDueGates } = await import('../gates/tend.ts')
  return tendDueGates(ctx, { limit: SLICE, patienceMs: PATIENCE_MS })
}

/** Plans, too, say themselves when their time has come. */
async function firePlansIfDue(ctx: Context): Promise<Firing> {
  if (!(await ctx.store.read.upkeep.hasDuePlans({ now: ctx.store.now() }))) return { fired: 0, isHeldUp: false }
  const { firePlans } = await import('../plans/fire.ts')
  return firePlans(ctx, { patienceMs: PATIENCE_MS })
}

/**
 * Whoever tends a store looks this often at its clock, whatever it waits for: another process may set a plan meanwhile,
 * somebody may set the clock, or the machine may have slept.
 */
const LOOK_MS = SECOND_MS

/** What is due and cannot be had yet is asked for again after this time. */
const AGAIN_MS = 50

/** Runs upkeep for as long as the store is open. Stopping is safe twice and waits for nothing. */
export function startUpkeep(ctx: Context): { stop(): void } {
  const tender = createTender(ctx)
  let cancel = () => {}
  let isStopped = false
  const schedule = (ms: number) => {
    if (isStopped) return
    cancel = ctx.timers.inBackground(ms, () => {
      tender().then(schedule, (error: unknown) => {
        ctx.note('upkeep.failed', { error: reasonOf(error) })
        schedule(LOOK_MS)
      })
    })
  }
  schedule(LOOK_MS)
  return {
    stop() {
      isStopped = true
      cancel()
    },
  }
}

/** Tends what is due, and says how long to wait then. One indexed look tells whether anything is. */
function createTender(ctx: Context): () => Promise<number> {
  const shortest = Math.min(...LOOPS.map((loop) => loop.intervalMs))
  let tendedAt = Number.NEGATIVE_INFINITY
  /** What was due before this time is held up, and has to wait for the next round of everything. */
  let heldUpUntil = -1
  const untilNext = async () => {
    const next = await ctx.store.read.upkeep.nextAt({ after: heldUpUntil })
    return next === undefined ? LOOK_MS : Math.min(LOOK_MS, next - ctx.store.now())
  }
  return async () => {
    const now = ctx.store.now()
    const isRound = now >= tendedAt + shortest || now < tendedAt
    if (isRound || (await untilNext()) <= 0) {
      const { isHeldUp } = await tend(ctx)
      if (isHeldUp || isRound) heldUpUntil = isHeldUp ? now : -1
      if (isRound) {
        tendedAt = now
        await (await import('../handoff/clean.ts')).cleanAll(ctx)
      }
    }
    return Math.max(AGAIN_MS, await untilNext())
  }
}
