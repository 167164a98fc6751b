/** Where randomness comes from: a number from 0 up to, but not including, 1. */
export type Random = () => number

export interface Backoff {
  /** How long to wait before the next try. */
  next(): number
  /** Begins again, as after a success. */
  reset(): void
}

export interface BackoffOptions {
  readonly minMs: number
  readonly maxMs: number
  readonly random: Random
}

/** Some time between the bounds, so that those who failed together do not try again together. */
export function jitter(fromMs: number, toMs: number, random: Random): number {
  return fromMs + (toMs - fromMs) * random()
}

/** Waits between `minMs` and a ceiling that doubles with every try, up to `maxMs`. */
export function createBackoff({ minMs, maxMs, random }: BackoffOptions): Backoff {
  let ceilingMs = minMs
  return {
    next() {
      ceilingMs = Math.min(ceilingMs * 2, maxMs)
      return jitter(Math.min(minMs, maxMs), ceilingMs, random)
    },
    reset() {
      ceilingMs = minMs
    },
  }
}
