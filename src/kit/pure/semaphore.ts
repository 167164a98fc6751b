/** Runs at most this many tasks at once; the others wait in the order in which they came. */
export function createSemaphore(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0

  return async (task) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await task()
    } finally {
      // The next task takes over this permit, so that no newcomer overtakes it.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
