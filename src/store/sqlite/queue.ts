import { monotonicMs } from '../../kit/node/monotonic.ts'
import { type Flock, openFlock } from '../../kit/node/native/flock.ts'

/** Where writers of many processes stand in line: SQLite itself lets in whoever happens to ask at the right moment. */
export interface Queue {
  /** Resolves when it is our turn, or with undefined where nobody can tell whose it is. */
  wait(timeoutMs: number): Promise<Turn | undefined>
  close(): void
}

export interface Turn {
  /** Never throws. */
  end(): void
}

/** Turns are short. A writer that waits this long stands behind a stopped process, and does without a turn for a while. */
const PATIENCE = { longestWaitMs: 200, withoutMs: 10_000 }

/** The line is a lock on a file beside the store. It only keeps order: who may write is still for SQLite to say. */
export function createQueue(path: string, { longestWaitMs, withoutMs } = PATIENCE): Queue {
  let lock: Flock | undefined
  let withoutUntil = 0
  const doWithout = () => {
    withoutUntil = monotonicMs() + withoutMs
  }
  const close = () => {
    lock?.close()
    lock = undefined
  }
  const turn: Turn = {
    end() {
      try {
        lock?.unlock()
      } catch {
        close()
      }
    },
  }
  return {
    async wait(timeoutMs) {
      if (monotonicMs() < withoutUntil) return undefined
      try {
        lock ??= openFlock(`${path}-queue`)
        if (await lock?.lock(Math.min(timeoutMs, longestWaitMs))) return turn
        if (!lock || timeoutMs >= longestWaitMs) doWithout()
      } catch {
        doWithout()
      }
      return undefined
    },
    close,
  }
}
