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

/** Turns are short. Whoever does not get one for so long stands behind a process that was stopped, and does without. */
const LONGEST_WAIT_MS = 200
const WITHOUT_MS = 10_000

/** The line is a lock on a file beside the store. It only keeps order: who may write is still for SQLite to say. */
export function createQueue(path: string): Queue {
  let lock: Flock | undefined
  let withoutUntil = 0
  const doWithout = () => {
    withoutUntil = monotonicMs() + WITHOUT_MS
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
        if (await lock?.lock(Math.min(timeoutMs, LONGEST_WAIT_MS))) return turn
        if (!lock || timeoutMs >= LONGEST_WAIT_MS) doWithout()
      } catch {
        doWithout()
      }
      return undefined
    },
    close,
  }
}
