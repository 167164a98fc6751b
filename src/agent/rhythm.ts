import { createBackoff, type Random } from '../kit/pure/backoff.ts'

export const MAX_MESSAGES = 500
export const MAX_CHARACTERS = 1_000_000
/** A batch that fails is tried again in smaller parts, so that one bad message does not take the others with it. */
const PART = 4

export const FIRST_RETRY_MS = 1_000
export const LAST_RETRY_MS = 5 * 60_000

/** How much an agent is given at once, and how long it waits after a failure. */
export interface Rhythm {
  /** So many messages may be in the next batch. */
  readonly maxMessages: number
  succeed(): void
  /** A batch of this size has failed. Says how long to wait before the next. */
  fail(size: number): number
  /** The store was away. Says how long to wait before the next look. */
  miss(): number
}

export interface RhythmOptions {
  readonly maxMessages?: number
  readonly minMs?: number
  readonly maxMs?: number
  readonly random: Random
}

export function createRhythm(options: RhythmOptions): Rhythm {
  const { maxMessages: most = MAX_MESSAGES, minMs = FIRST_RETRY_MS, maxMs = LAST_RETRY_MS, random } = options
  const backoff = createBackoff({ minMs, maxMs, random })
  let maxMessages = most
  return {
    get maxMessages() {
      return maxMessages
    },
    succeed() {
      maxMessages = Math.min(most, maxMessages * PART)
      backoff.reset()
    },
    fail(size) {
      maxMessages = Math.max(1, Math.floor(Math.min(maxMessages, size) / PART))
      return backoff.next()
    },
    miss: () => backoff.next(),
  }
}
