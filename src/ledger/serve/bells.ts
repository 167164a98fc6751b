import { sleep } from '../../kit/clock/sleep.ts'

/** Wakes the streams that wait for entries of a topic. They also read after a while, because other processes write too. */
export interface Bells {
  ring(topicId: string): void
  ringAll(): void
  /** Resolves on a ring, after a while, or when the signal aborts. */
  wait(topicId: string, ms: number, signal: AbortSignal): Promise<void>
}

export function createBells(): Bells {
  const waiting = new Map<string, Set<() => void>>()

  return {
    ring(topicId) {
      for (const wake of waiting.get(topicId) ?? []) wake()
    },
    ringAll() {
      for (const those of waiting.values()) for (const wake of those) wake()
    },
    wait: (topicId, ms, signal) =>
      sleep(ms, {
        signal,
        subscribe(wake) {
          const those = waiting.get(topicId) ?? new Set()
          waiting.set(topicId, those.add(wake))
          return () => {
            those.delete(wake)
            if (those.size === 0) waiting.delete(topicId)
          }
        },
      }),
  }
}
