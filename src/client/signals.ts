/** A signal of its own that any of others aborts; `unlink` forgets those, which may live much longer. */
export interface LinkedSignal {
  readonly signal: AbortSignal
  abort(): void
  unlink(): void
}

export function linkSignals(others: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const linked = others.filter((other) => other !== undefined)
  for (const other of linked) other.addEventListener('abort', abort)
  if (linked.some((other) => other.aborted)) abort()
  return {
    signal: controller.signal,
    abort,
    unlink() {
      for (const other of linked) other.removeEventListener('abort', abort)
    },
  }
}

/** Sleeps for a while, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
