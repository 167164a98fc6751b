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
      new Promise((resolve) => {
        const those = waiting.get(topicId) ?? new Set()
        const wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          those.delete(wake)
          if (those.size === 0) waiting.delete(topicId)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        waiting.set(topicId, those.add(wake))
        if (signal.aborted) wake()
        else signal.addEventListener('abort', wake, { once: true })
      }),
  }
}
