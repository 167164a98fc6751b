/**
 * Runs a task one round at a time, for all callers. Each call gets a round that begins after it, so calls that come
 * during a round share the next one.
 */
export function coalesce<T>(run: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined

  return () => {
    next ??= current.then(() => {
      const round = run()
      current = round.catch(() => {})
      next = undefined
      return round
    })
    return next
  }
}
