/** A clock that goes on only when it is told to. */
export function createClock(): { now(): number; advance(ms: number): void } {
  let now = 0
  return {
    now: () => now,
    advance(ms) {
      now += ms
    },
  }
}
