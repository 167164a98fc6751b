import { sleep } from '../../kit/clock/sleep.ts'
import { createBackoff } from '../../kit/pure/backoff.ts'
import type { HederaTimes } from './options.ts'

/** Tries again and again, with longer and longer waits, until it is enough. */
export interface Patience {
  /** Waits; false where it is enough. `atLeastMs`: what somebody asked to wait. */
  again(atLeastMs?: number): Promise<boolean>
  /** How long one question may take. */
  readonly callMs: number
}

export interface PatienceOptions {
  readonly times: HederaTimes
  readonly random: () => number
  /** Aborted when all of it is closed. */
  readonly signal: AbortSignal
}

export function createPatience({ times, random, signal }: PatienceOptions): Patience {
  const backoff = createBackoff({ minMs: times.minWaitMs, maxMs: times.maxWaitMs, random })
  const until = performance.now() + times.patienceMs
  return {
    async again(atLeastMs = 0) {
      const waitMs = Math.max(backoff.next(), atLeastMs)
      if (signal.aborted || performance.now() + waitMs >= until) return false
      await sleep(waitMs, { signal })
      return !signal.aborted
    },
    callMs: times.callMs,
  }
}
