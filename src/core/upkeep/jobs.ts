import { LOSS_JOB } from '../../model/loss.ts'
import type { UpkeepReport } from '../../model/postern.ts'
import { RING_RECEIPTS } from '../../model/ring.ts'
import type { Session } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { type ClosedOffer, closeOffer, lapseReason } from '../offers/offers.ts'
import type { Firing } from '../plans/fire.ts'
import { ring } from '../rings/ring.ts'
import { type RunSlice, SLICE, type Slice } from './slice.ts'

/**
 * Something that has to be done from time to time. A slice is bounded, so that any command may do one in passing. A job
 * that has more to do is due again after a pause as long as the slice took, so that writers get in; otherwise after its
 * interval.
 */
interface Job {
  readonly name: Exclude<keyof UpkeepReport, 'gates' | 'plans'> | 'events' | 'unanswerable' | 'indexed'
  readonly intervalMs: number
  /** Loads the work of a slice. It is called before the transaction, in which nothing may be loaded. */
  load(): Promise<RunSlice>
}

const SECOND_MS = 1_000

/** Whoever holds the store is busy with something else; the next passer-by does what is due. */
const PATIENCE_MS = 50

export const JOBS: readonly Job[] = [
  {
    name: 'expired',
    intervalMs: 10 * SECOND_MS,
    load: async () => async (ctx, tx) => {
      const done = await tx.deliveries.expire({ now: ctx.store.now(), limit: SLICE })
      return { done, hasMore: done === SLICE, rings: done > 0 ? [RING_RECEIPTS] : [] }
    },
  },
  {
    name: 'released',
    intervalMs: 10 * SECOND_MS,
    load: async () => {
      const { goneSessions, goneWithOffers, takeBackOf } = await import('../sessions/gone-hosts.ts')
      return async (ctx, tx) => {
        const lapsed = await tx.offers.lapsed({ now: ctx.store.now(), limit: SLICE })
        const closed: ClosedOffer[] = []
        for (const offer of lapsed) closed.push(await closeOffer(ctx, tx, offer.id, 'lapsed', lapseReason(offer)))
        const orphaned = await takeBackOf(ctx, tx, { gone: await goneWithOffers(ctx, tx), limit: SLICE })
        closed.push(...orphaned)
        // A host that was killed never says that its sessions ended. What they were shown is taken back before.
        if (orphaned.length < SLICE) await endAll(ctx, tx, await goneSessions(ctx, tx))
        const awake = await tx.snoozes.due({ now: ctx.store.now(), limit: SLICE })
        const isDue = awake.length > 0 && (await tx.snoozes.hasDue({ now: ctx.store.now() }))
        const hasMore = lapsed.length === SLICE || orphaned.length === SLICE || isDue
        return { done: closed.length, hasMore, rings: [...closed.flatMap(({ rings }) => rings), ...awake] }
      }
    },
  },
  {
    name: 'unanswerable',
    intervalMs: 10 * SECOND_MS,
    load: async () => (await import('./reap.ts')).endUnanswerable,
  },
  {
    name: 'reaped',
    intervalMs: 600 * SECOND_MS,
    load: async () => (await import('./reap.ts')).reapFinished,
  },
  {
    name: 'events',
    intervalMs: 60 * SECOND_MS,
    load: async () => (await import('./reap.ts')).reapEvents,
  },
  {
    name: 'indexed',
    intervalMs: 10 * SECOND_MS,
    load: async () => (await import('./reap.ts')).indexMessages,
  },
]

/** One that a new process has taken over meanwhile goes on. */
async function endAll(ctx: Context, tx: Shelves, gone: readonly Session[]): Promise<void> {
  for (const { id, pid } of gone) await tx.sessions.end({ id, at: ctx.store.now(), ...(pid !== null && { pid }) })
}

/** Runs one slice of every job that is due and that no other process has run within its interval. */
export async function runUpkeep(ctx: Context): Promise<UpkeepReport> {
  return (await runJobs(ctx)).report
}

interface JobsRun {
  readonly report: UpkeepReport
  /** Some plans that are due could not be fired. */
  readonly isHeldUp: boolean
  /** How long to pause before the next slice; undefined if no job has more to do. */
  readonly pauseMs: number | undefined
}

export async function runJobs(ctx: Context): Promise<JobsRun> {
  const gates = await tendGatesIfDue(ctx)
  // A gate that has closed may be what a plan has waited for.
  const { fired, isHeldUp } = await firePlansIfDue(ctx)
  const report = { expired: 0, released: 0, reaped: 0, gates, plans: fired }
  const ranAt = await ctx.store.read.upkeep.ranAt()
  if (ranAt.has(LOSS_JOB)) await (await import('./report-loss.ts')).reportLoss(ctx)
  const pauses: number[] = []
  for (const job of JOBS) {
    // A read first, so that a process that comes often takes no lock for what is not due.
    const since = ctx.store.now() - (ranAt.get(job.name) ?? 0)
    if (since >= 0 && since < job.intervalMs) continue
    const work = await job.load()
    const { done, rings, pauseMs } = await ctx.store.transact((tx) => runSlice(ctx, tx, job, work), {
      patienceMs: PATIENCE_MS,
    })
    if (job.name in report) report[job.name as keyof UpkeepReport] = done
    if (pauseMs !== undefined) pauses.push(pauseMs)
    ring(ctx, [...new Set(rings)])
  }
  return { report, isHeldUp, pauseMs: pauses.length === 0 ? undefined : Math.max(...pauses) }
}

async function runSlice(
  ctx: Context,
  tx: Shelves,
  job: Job,
  work: RunSlice,
): Promise<Pick<Slice, 'done' | 'rings'> & { readonly pauseMs?: number }> {
  const begunAt = ctx.store.now()
  if (!(await tx.upkeep.claim({ job: job.name, now: begunAt, intervalMs: job.intervalMs })))
    return { done: 0, rings: [] }
  const { done, rings, hasMore } = await work(ctx, tx)
  if (!hasMore) return { done, rings }
  const endedAt = ctx.store.now()
  const pauseMs = Math.min(Math.max(0, endedAt - begunAt), job.intervalMs)
  await tx.upkeep.rest({ job: job.name, ranAt: endedAt + pauseMs - job.intervalMs })
  return { done, rings, pauseMs }
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
