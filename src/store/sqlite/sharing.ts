import { nextTurn } from '../../kit/node/event-loop.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import type { LogKeeper } from './log/log.ts'
import { createLogMover } from './log/log-mover.ts'

/** How a process that many ask at once, as a server's clients do, uses its store. */
export interface Sharing {
  /** Resolves when whoever else is about to write has had the time to say so. Is told when the last were answered. */
  readonly gather: (answeredAt: number) => Promise<void>
  readonly log: LogKeeper
}

/** Whoever comes so long after the last were answered comes alone, and need not wait for company. */
const ALONE_MS = 2

export function createSharing(now: () => number = monotonicMs): Sharing {
  return {
    async gather(answeredAt) {
      // Requests that wait on other connections are all read before this goes on.
      if (now() - answeredAt <= ALONE_MS) await nextTurn()
    },
    log: createLogMover(),
  }
}
