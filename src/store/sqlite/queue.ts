import { type Flock, openFlock } from '../../kit/node/flock.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'

/** Where writers of many processes stand in line: SQLite itself lets in whoever happens to ask at the right moment. */
export interface Queue {
  /** Resolves when it is our turn, or with undefined where nobody can tell whose it is. */
  wait(timeoutMs: number): Promise<Turn | undefined>
}

export interface Turn {
  end(): void
}

/** Turns are short. Whoever does not get one for so long stands behind a process that was stopped, and does without. */
const LONGEST_WAIT_MS = 200
const WITHOUT_MS = 10_000

/** The line is a lock on a file beside the store. It only keeps order: who may write is still for SQLite to say. */
export function createQueue(path: string): Queue {
  let idle: Flock | undefined
  let withoutUntil = 0

  async function tryWait(timeoutMs: number): Promise<Turn | undefined> {
    const lock = idle ?? openFlock(`${path}-queue`)
    idle = undefined
    if (!(await lock?.lock(Math.min(timeoutMs, LONGEST_WAIT_MS)))) return undefined
    return {
      end() {
        lock?.unlock()
        idle = lock
      },
    }
  }

  return {
    async wait(timeoutMs) {
      if (monotonicMs() < withoutUntil) return undefined
      const turn = await tryWait(timeoutMs).catch(() => undefined)
      if (!turn) withoutUntil = monotonicMs() + WITHOUT_MS
      return turn
    },
  }
}
