export interface SleepOptions {
  /** Ends the sleep when it is aborted. */
  readonly signal?: AbortSignal | undefined
  /** Subscribes to whatever else ends the sleep, and returns how to unsubscribe. */
  readonly subscribe?: (wake: () => void) => () => void
  /** True: this sleep alone does not keep the process alive. */
  readonly isBackground?: boolean
}

export type Sleep = typeof sleep

/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Resolves after a time, or as soon as something ends it early. It never rejects. It runs in a browser too. */
export function sleep(ms: number, options: SleepOptions = {}): Promise<void> {
  const { signal, subscribe, isBackground = false } = options
  if (signal?.aborted === true) return Promise.resolve()
  return new Promise((resolve) => {
    let unsubscribe: (() => void) | undefined
    let isOver = false
    const end = () => {
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      unsubscribe?.()
      unsubscribe = undefined
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS))
    if (isBackground) (timer as Partial<typeof timer>).unref?.()
    signal?.addEventListener('abort', end)
    unsubscribe = subscribe?.(end)
    // Whatever it subscribed to may have ended it already.
    if (isOver) unsubscribe?.()
  })
}
