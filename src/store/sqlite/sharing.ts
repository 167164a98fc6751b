import { nextTurn } from '../../kit/node/event-loop.ts'
import { type Aside, createAside } from './aside.ts'
import type { LogKeeper } from './log.ts'
import { createLogMover } from './log-mover.ts'
import { readLongAside } from './long-reads.ts'

/** How a process that many ask at once, as a server's clients do, uses its store. */
export interface Sharing {
  /** Resolves when whoever else is about to write has had the time to say so. */
  readonly gather: () => Promise<void>
  readonly log: LogKeeper
  /** For reads that take as long as the store is large. */
  readonly aside?: Aside
  /** The shelves that use it. */
  readonly readAside?: typeof readLongAside
}

/** Whoever comes to a process that had nothing to do for so long comes alone, and need not wait for company. */
const ALONE_MS = 1

/** How long this process has had nothing to do, all in all. What keeps it busy, be it the disk, is no part of that. */
const idleTime = () => performance.eventLoopUtilization().idle

export function createSharing(idleMs: () => number = idleTime): Sharing {
  let before = Number.NEGATIVE_INFINITY
  return {
    async gather() {
      const now = idleMs()
      const isAlone = now - before > ALONE_MS
      before = now
      // Requests that wait on other connections are all read before this goes on.
      if (!isAlone) await nextTurn()
    },
    log: createLogMover(),
    aside: createAside(),
    readAside: readLongAside,
  }
}
