/** A while that is cut into steps of one length, each beginning at a whole multiple of it. */
export interface Steps {
  readonly ms: number
  readonly from: number
  /** When each begins. */
  readonly at: readonly number[]
  /** Below zero for what came before. */
  indexOf(time: number): number
  /** The end of the last one is now. */
  endOf(step: number): number
  fill<T>(value: T): T[]
  /** Adds to the step of a time; what came before is passed over. */
  add(counts: number[], time: number, value: number): void
}

export function createSteps(
  now: number,
  { stepMs, count }: { readonly stepMs: number; readonly count: number },
): Steps {
  const last = Math.floor(now / stepMs) * stepMs
  const from = last - (count - 1) * stepMs
  const indexOf = (time: number) => Math.min(count - 1, Math.floor((time - from) / stepMs))
  return {
    ms: stepMs,
    from,
    at: Array.from({ length: count }, (_, step) => from + step * stepMs),
    indexOf,
    endOf: (step) => Math.min(now, from + (step + 1) * stepMs),
    fill: (value) => Array.from({ length: count }, () => value),
    add(counts, time, value) {
      const step = indexOf(time)
      if (step >= 0) counts[step] = (counts[step] ?? 0) + value
    },
  }
}
