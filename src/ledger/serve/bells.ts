import { sleep } from '../../kit/clock/sleep.ts'

/** Wakes up those who wait for entries of a topic, or lets them look after a while: others write to the store too. */
export interface Bells {
  ring(topicId: string): void
  /** Resolves with a ring, after a while, or as soon as the signal is given. */
  wait(topicId: string, ms: number, signal: AbortSignal): Promise<void>
}

export function createBells(): Bells {
  const waiting = new Map<string, Set<() => void>>()

  return {
    ring(topicId) {
      for (const wake of waiting.get(topicId) ?? []) wake()
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
