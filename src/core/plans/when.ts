import { parseDuration } from '../../kit/pure/duration.ts'
import { type InstantFault, parseInstant } from '../../kit/pure/instant.ts'
import { PosternError } from '../../model/errors.ts'
import type { Plan } from '../../model/sources/plan.ts'
import type { SetPlan } from '../../model/sources/plans.ts'
import type { Recurrences } from '../context.ts'
import { GRACE_MS } from './instants.ts'

const DAY_MS = 86_400_000
const MAX_DAYS = 5 * 366

/** When somebody wants a plan to fire. */
export interface When {
  /** For a plan that fires once. */
  readonly at?: number
  /** As it was written; it is read once its zone is known. */
  readonly cron?: string
  readonly zone?: string
}

export interface Timing {
  readonly now: number
  readonly recurrences: Recurrences
}

/** Reads the time of a plan: at most one of those that it may have. */
export function parseWhen(input: SetPlan, { now, recurrences }: Timing): When {
  const { runAfter, scheduledAt, cron } = input
  const given = [runAfter, scheduledAt, cron].filter((each) => each !== undefined)
  if (given.length > 1) throw invalid('it names more than one')
  const zone = input.zone === undefined ? {} : { zone: recurrences.parseZone(input.zone) }
  if (cron !== undefined) {
    recurrences.parse({ cron, zone: zone.zone ?? 'UTC' }, now)
    return { cron, ...zone }
  }
  if (runAfter !== undefined) return { at: now + parseWait(runAfter), ...zone }
  if (scheduledAt !== undefined) return { at: parseMoment(scheduledAt, now), ...zone }
  return zone
}

interface Place extends Timing {
  readonly zone: string
  /** The plan is now told to wait for a gate. */
  readonly hasGate: boolean
}

/**
 * What becomes of a plan's time. The same rhythm again changes nothing: whoever sets its plans at every start loses no
 * instant that is due.
 */
export function timingOf(
  known: Plan | undefined,
  { at, cron: written }: When,
  { now, recurrences, zone, hasGate }: Place,
): Pick<Plan, 'cron' | 'zone' | 'nextRunAt'> {
  if (at !== undefined) return { cron: null, zone, nextRunAt: at }
  const cron = written ?? known?.cron ?? null
  if (cron !== null) {
    const recurrence = recurrences.parse({ cron, zone }, now)
    const isSame = known?.cron === recurrence.cron && known.zone === recurrence.zone && known.nextRunAt !== null
    return { ...recurrence, nextRunAt: isSame ? known.nextRunAt : (recurrences.next(recurrence, now) ?? null) }
  }
  const nextRunAt = known?.nextRunAt ?? (hasGate ? now : null)
  if (!known && nextRunAt === null) throw invalid('it names none')
  return { cron, zone, nextRunAt }
}

function parseWait(written: string): number {
  const ms = parseDuration(written)
  if (ms !== undefined && ms > 0 && ms <= MAX_DAYS * DAY_MS) return ms
  throw new PosternError('DURATION_INVALID', { value: written, limit: `${MAX_DAYS} days` })
}

const FAULTS: Readonly<Record<InstantFault, string>> = {
  form: 'is no date such as 2026-02-20T10:00:00Z',
  zone: 'does not say its zone; end it with Z or +01:00',
  value: 'is no date that exists',
}

function parseMoment(written: string, now: number): number {
  if (written.trim() === '') throw invalid('its date is empty')
  const at = parseInstant(written)
  if (typeof at === 'string') throw invalid(`"${written}" ${FAULTS[at]}`)
  if (at < now - GRACE_MS) throw invalid(`"${written}" has passed`)
  if (at > now + MAX_DAYS * DAY_MS) throw invalid(`"${written}" is more than ${MAX_DAYS} days away`)
  return at
}

function invalid(reason: string): PosternError {
  return new PosternError('PLAN_TIME_INVALID', { reason })
}
