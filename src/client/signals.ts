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
