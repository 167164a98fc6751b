/**
 * Runs a task in rounds, one at a time, for all who ask. Whoever asks gets a round that begins after that: those who ask
 * while one is under way share the next.
 */
export function createRounds<T>(run: () => Promise<T>): () => Promise<T> {
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
