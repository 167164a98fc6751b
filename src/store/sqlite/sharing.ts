import { nextTurn } from '../../kit/node/event-loop.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import type { LogKeeper } from './log/log.ts'
import { createLogMover } from './log/log-mover.ts'

/** How a process that many ask at once, as a server's clients do, uses its store. */
export interface Sharing {
  /** Resolves when whoever else is about to write has had the time to say so. */
  readonly gather: () => Promise<void>
  readonly log: LogKeeper
}

/** Whoever comes after so long a pause comes alone, and need not wait for company. */
const ALONE_MS = 4

export function createSharing(now: () => number = monotonicMs): Sharing {
  let gatheredAt = Number.NEGATIVE_INFINITY
  return {
    async gather() {
      const isAlone = now() - gatheredAt > ALONE_MS
      gatheredAt = now()
      // Requests that wait on other connections are all read before this goes on.
      if (!isAlone) await nextTurn()
    },
    log: createLogMover(),
  }
}
