import type { Context } from '../context.ts'
import { JOBS, runJobs } from './jobs.ts'

/**
 * The longest rest between two rounds. Another process may set a plan meanwhile, a person may change the clock, or
 * the machine may have slept.
 */
export const UPKEEP_REST_MS = 1_000

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
  /** How long to pause before the next slice of a job that has more to do. */
  let pauseMs: number | undefined
  const untilNext = async () => {
    const next = await ctx.store.read.upkeep.nextAt({ after: heldUpUntil })
    return next === undefined ? UPKEEP_REST_MS : Math.min(UPKEEP_REST_MS, next - ctx.store.now())
  }
  return async () => {
    const now = ctx.store.now()
    const isEveryJobDue = now >= ranAt + shortest || now < ranAt
    if (isEveryJobDue || pauseMs !== undefined || (await untilNext()) <= 0) {
      const run = await runJobs(ctx)
      const { isHeldUp } = run
      pauseMs = run.pauseMs
      if (isHeldUp || isEveryJobDue) heldUpUntil = isHeldUp ? now : -1
      if (isEveryJobDue) {
        ranAt = now
        await (await import('../handoff/clean.ts')).cleanAll(ctx)
      }
    }
    return pauseMs === undefined ? Math.max(AGAIN_MS, await untilNext()) : Math.max(1, pauseMs)
  }
}
