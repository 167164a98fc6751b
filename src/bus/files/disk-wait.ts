import { fdatasync, fdatasyncSync } from 'node:fs'
import { monotonicMs } from '../../kit/node/monotonic.ts'

/** For no longer than this may the process stand still. */
const QUICK_MS = 1
/** It takes so much longer to have another thread wait. */
const DETOUR_MS = 1
/** A disk is taken for quick once it was so many times in a row. */
const PROOFS = 8
/** One that always was may be slow once or twice: every disk is, and to doubt it costs eight detours. */
const MAX_TRUST = 2 * PROOFS
const SETBACK = PROOFS / 2

/**
 * Waits until what was written to a file is on the disk. A quick disk takes less time than it costs to hand the wait to
 * another thread and to come back; then the process simply stands still. With any other it goes on with other work.
 */
export class DiskWait {
  #trust = 0

  /** Undefined where it is there already. */
  wait(fd: number): Promise<void> | undefined {
    const begunAt = monotonicMs()
    if (this.#trust < PROOFS) return waitMeanwhile(fd).then(() => this.#note(begunAt, QUICK_MS + DETOUR_MS))
    fdatasyncSync(fd)
    this.#note(begunAt, QUICK_MS)
    return undefined
  }

  #note(begunAt: number, limitMs: number): void {
    const isQuick = monotonicMs() - begunAt < limitMs
    this.#trust = isQuick ? Math.min(MAX_TRUST, this.#trust + 1) : Math.max(0, this.#trust - SETBACK)
  }
}

function waitMeanwhile(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
}
