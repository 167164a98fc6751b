import { ulidFloor } from '../../kit/pure/ulid.ts'
import type { UpkeepReport } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type ClosedOffer, closeOffer, lapseReason } from '../offers/offers.ts'
import type { Firing } from '../plans/fire.ts'
import { ring } from '../rings/ring.ts'
import { livenessOf } from '../sessions/sessions.ts'

/** Something that has to be done from time to time. A slice is bounded, so that any command may do one in passing. */
interface Job {
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

const JOBS: readonly Job[] = [
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

/** Runs one slice of every job that is due and that no other process has run within its interval. */
export async function runUpkeep(ctx: Context): Promise<UpkeepReport> {
  return (await runJobs(ctx)).report
}

interface JobsRun {
  readonly report: UpkeepReport
  /** Some plans that are due could not be fired. */
  readonly isHeldUp: boolean
}

async function runJobs(ctx: Context): Promise<JobsRun> {
  const gates = await tendGatesIfDue(ctx)
  // A gate that has closed may be what a plan has waited for.
  const { fired, isHeldUp } = await firePlansIfDue(ctx)
  const report = { expired: 0, released: 0, reaped: 0, gates, plans: fired }
  const ranAt = await ctx.store.read.upkeep.ranAt()
  for (const job of JOBS) {
    // A read first, so that a process that comes often takes no lock for what is not due.
    const since = ctx.store.now() - (ranAt.get(job.name) ?? 0)
    if (since >= 0 && since < job.intervalMs) continue
    const { done, rings } = await ctx.store.transact(
      async (tx): Promise<Slice> => {
        const isDue = await tx.upkeep.claim({ job: job.name, now: ctx.store.now(), intervalMs: job.intervalMs })
        return isDue ? job.slice(ctx, tx) : { done: 0, rings: [] }
      },
      { patienceMs: PATIENCE_MS },
    )
    if (job.name !== 'events') report[job.name] = done
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
 * The longest rest between two rounds. Another process may set a plan meanwhile, somebody may set the clock, or the
 * machine may have slept.
 */
export const UPKEEP_REST_MS = SECOND_MS

/** A job that is due while another process holds the store is tried again after this time. */
const AGAIN_MS = 50

/**
 * Creates the rounds of a process that does upkeep for as long as it runs. A round runs the jobs that are due and resolves
 * with the time until the next one. One indexed read tells whether anything is due.
 */
export function createUpkeepRound(ctx: Context): () => Promise<number> {
  const shortest = Math.min(...JOBS.map((job) => job.intervalMs))
  let ranAt = Number.NEGATIVE_INFINITY
  /** Plans that were due before this time are held up; they wait until every job is due again. */
  let heldUpUntil = -1
  const untilNext = async () => {
    const next = await ctx.store.read.upkeep.nextAt({ after: heldUpUntil })
    return next === undefined ? UPKEEP_REST_MS : Math.min(UPKEEP_REST_MS, next - ctx.store.now())
  }
  return async () => {
    const now = ctx.store.now()
    const isEveryJobDue = now >= ranAt + shortest || now < ranAt
    if (isEveryJobDue || (await untilNext()) <= 0) {
      const { isHeldUp } = await runJobs(ctx)
      if (isHeldUp || isEveryJobDue) heldUpUntil = isHeldUp ? now : -1
      if (isEveryJobDue) {
        ranAt = now
        await (await import('../handoff/clean.ts')).cleanAll(ctx)
      }
    }
    return Math.max(AGAIN_MS, await untilNext())
  }
}
