/** What is under way, so that nobody closes the store under it. */
export interface Work {
  run<T>(work: Promise<T>): Promise<T>
  /** The same calls, each of them known while it runs. */
  tracked<Calls extends Readonly<Record<string, (...args: never) => Promise<unknown>>>>(calls: Calls): Calls
  /** Resolves once nothing is under way. */
  rest(): Promise<void>
}

export function createWork(): Work {
  const running = new Set<Promise<unknown>>()

  async function run<T>(work: Promise<T>): Promise<T> {
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  return {
    run,
    tracked: (calls) =>
      Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [name, (...args: never) => run(call(...args))]),
      ) as typeof calls,
    async rest() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
