/**
 * The server's clock as seen from here: our own, corrected by an offset that is measured now and then. So that many
 * machines agree on deadlines, whatever their own clocks say.
 */
export interface ServerClock {
  /** Milliseconds since the epoch; never waits. Asks for a new measurement when the last one is old. */
  now(): number
  measure(): Promise<void>
}

const MEASURE_EVERY_MS = 60_000
/** Our clock was set, or the machine slept: the two clocks of this process have drifted apart. */
const STEP_MS = 500

/** `ask` returns the server's time. */
export function createServerClock(ask: () => Promise<number>): ServerClock {
  let offsetMs = 0
  let measuredAt = 0
  let driftMs = 0
  let isMeasuring = false

  const measure = async () => {
    const askedAt = performance.now()
    const theirs = await ask()
    const answeredAt = performance.now()
    const ours = Date.now()
    offsetMs = theirs + (answeredAt - askedAt) / 2 - ours
    measuredAt = answeredAt
    driftMs = ours - answeredAt
  }

  const isStale = (ours: number) => {
    const elapsed = performance.now()
    return elapsed - measuredAt > MEASURE_EVERY_MS || Math.abs(ours - elapsed - driftMs) > STEP_MS
  }

  return {
    now() {
      const ours = Date.now()
      if (!isMeasuring && isStale(ours)) {
        isMeasuring = true
        // A clock that cannot be asked keeps its last offset; the store's next call says what is wrong.
        measure()
          .catch(() => {})
          .finally(() => {
            isMeasuring = false
          })
      }
      return Math.floor(ours + offsetMs)
    },
    measure,
  }
}
