import type { Plan } from '../../model/sources/plan.ts'

/** Whoever is this late still comes in time, for a plan that skips what it has missed. */
export const GRACE_MS = 60_000

/** How many instants of a plan fire at once; what is left stays due. */
export const MOST_AT_ONCE = 100

/** The first instant of a plan after a time; undefined where there is none. */
export type Next = (after: number) => number | undefined

export interface DueInstants {
  /** The instants that fire now, oldest first. */
  readonly instants: readonly number[]
  /** What comes after them; it is never earlier than what was passed over. */
  readonly nextRunAt: number | null
}

type Timed = Pick<Plan, 'nextRunAt' | 'missed' | 'cron' | 'gateId'>

export interface Moment {
  readonly now: number
  /** At most so many. */
  readonly most: number
}

/** Which instants of a plan fire at this moment. Its policy says so where more than one has come, or one is late. */
export function dueInstants({ nextRunAt, missed, cron, gateId }: Timed, next: Next, moment: Moment): DueInstants {
  const { now } = moment
  if (nextRunAt === null || nextRunAt > now) return { instants: [], nextRunAt }
  // A plan without a rhythm that waits for a gate is not late: it is for the time when the gate is not open.
  const isPatient = cron === null && gateId !== null
  if (missed === 'once' || isPatient) {
    const latest = latestInstant(nextRunAt, next, now)
    return { instants: [latest], nextRunAt: next(latest) ?? null }
  }
  const first = missed === 'skip' && nextRunAt < now - GRACE_MS ? next(now - GRACE_MS - 1) : nextRunAt
  return takeFrom(first, next, moment)
}

function takeFrom(first: number | undefined, next: Next, { now, most }: Moment): DueInstants {
  const instants: number[] = []
  let at = first
  while (at !== undefined && at <= now && instants.length < most) {
    instants.push(at)
    at = next(at)
  }
  return { instants, nextRunAt: at ?? null }
}

/** The last instant until now, found by halving: a year of minutes takes no longer than an hour of them. */
function latestInstant(first: number, next: Next, now: number): number {
  let latest = first
  let end = now
  while (latest < end) {
    const middle = Math.floor((latest + end) / 2)
    const found = next(middle)
    if (found !== undefined && found <= now) latest = found
    else end = middle
  }
  return latest
}

/** The next instants of a plan, as far as they can be told. */
export function upcoming({ nextRunAt, pausedAt }: Plan, next: Next, count: number): readonly number[] {
  const instants: number[] = []
  let at = pausedAt === null ? (nextRunAt ?? undefined) : undefined
  while (at !== undefined && instants.length < count) {
    instants.push(at)
    at = next(at)
  }
  return instants
}
