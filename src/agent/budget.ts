const HOUR_MS = 60 * 60_000

/** How often an agent may be woken: a number of times within any hour. */
export interface WakeBudget {
  /** How long until it may be woken again; 0 where it may now. */
  waitMs(now: number): number
  spend(now: number): void
  /** The times that still count, oldest first. */
  readonly spent: readonly number[]
}

/** `earlier` are times at which it was woken before, by whomever. Those that lie ahead, by a clock that was set, do not count. */
export function createWakeBudget(perHour: number, earlier: readonly number[]): WakeBudget {
  let spent = [...earlier].sort((a, b) => a - b)
  const forget = (now: number) => {
    spent = spent.filter((at) => at > now - HOUR_MS && at <= now)
  }
  return {
    waitMs(now) {
      forget(now)
      const oldest = spent.at(-perHour)
      return oldest === undefined ? 0 : oldest + HOUR_MS - now
    },
    spend(now) {
      forget(now)
      spent.push(now)
    },
    get spent() {
      return spent
    },
  }
}
