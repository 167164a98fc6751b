/**
 * Whether the machine's clock was changed, judged by the machine's uptime, which cannot be set. Since an anchor,
 * clock and uptime advance together, also during sleep. If they differ by more than clocks drift, the
 * wall clock has made a step.
 */
export interface Sighting {
  /** The start of the machine. */
  readonly boot: string
  /** Since that start, with the time that it has slept. */
  readonly uptimeMs: number
  readonly wallMs: number
}

/** A time that the store's clock has left out: it went from the first to the second at once. */
export type Gap = readonly [number, number]

export interface Step {
  /** By the store's clock: when it was noticed, or when the store followed it. */
  readonly at: number
  readonly byMs: number
  /** The store goes by the changed clock since. */
  readonly isFollowed?: true
}

/** What the processes of a store remember of the clock: the anchor, and what became of it. */
export interface ClockRecord extends Sighting {
  /**
   * The uptime since which every process that looked has seen the last step; undefined if one saw the time of the
   * anchor.
   */
  readonly heldSinceMs?: number | undefined
  /** The last step. */
  readonly step?: Step
  /** Oldest first. */
  readonly gaps: readonly Gap[]
}

export interface Verdict {
  /** The same object if there is nothing new to remember. */
  readonly record: ClockRecord
  /** What the store's clock adds to the wall clock. */
  readonly correctionMs: number
  /** True if the step has lasted, so that the store should follow it. */
  readonly isLasting: boolean
}

const MINUTE_MS = 60_000

/** Less than this is a correction that clocks are given all the time. */
const TOLERANCE_MS = MINUTE_MS
const DRIFT = 0.001
/** So often the anchor is renewed, so that it follows drift and slow corrections. */
const RENEW_MS = 60 * MINUTE_MS
/** A step that everybody has seen for so long is the new time. */
const LASTING_MS = 10 * MINUTE_MS
const MAX_GAPS = 50

export function judgeClock(known: ClockRecord | undefined, seen: Sighting): Verdict {
  const elapsedMs = seen.uptimeMs - (known?.uptimeMs ?? 0)
  // Nobody knows how long the machine was off, so its clock counts.
  if (known?.boot !== seen.boot || elapsedMs < 0) return going({ ...seen, gaps: known?.gaps ?? [] })
  const wallMs = known.wallMs + elapsedMs
  const byMs = seen.wallMs - wallMs
  if (Math.abs(byMs) <= TOLERANCE_MS + elapsedMs * DRIFT) {
    return going(known.heldSinceMs !== undefined || elapsedMs > RENEW_MS ? anchor(known, seen) : known)
  }
  const { heldSinceMs, step } = known
  const isKnown = heldSinceMs !== undefined && step && Math.abs(byMs - step.byMs) <= TOLERANCE_MS
  const record = isKnown ? known : { ...known, heldSinceMs: seen.uptimeMs, step: { at: wallMs, byMs } }
  return { record, correctionMs: -byMs, isLasting: isKnown === true && seen.uptimeMs - heldSinceMs >= LASTING_MS }
}

/** The store goes by the changed clock from now on. */
export function followClock(known: ClockRecord, seen: Sighting): ClockRecord {
  const byMs = -judgeClock(known, seen).correctionMs
  const gaps = byMs > 0 ? [...known.gaps, [seen.wallMs - byMs, seen.wallMs] as const].slice(-MAX_GAPS) : known.gaps
  return { ...anchor(known, seen), step: { at: seen.wallMs, byMs, isFollowed: true }, gaps }
}

/** The time so long before another one, not counting what the clock has left out between. */
export function timeBefore(at: number, ms: number, gaps: readonly Gap[]): number {
  return gaps.reduceRight((before, [from, to]) => (before < to ? before - (to - from) : before), at - ms)
}

function going(record: ClockRecord): Verdict {
  return { record, correctionMs: 0, isLasting: false }
}

function anchor(known: ClockRecord, seen: Sighting): ClockRecord {
  return { ...known, ...seen, heldSinceMs: undefined }
}
