/** Counts the calls that are running, so that the store is not closed under one of them. */
export interface InFlightCalls {
  run<T>(call: Promise<T>): Promise<T>
  /** Returns the same calls, each of them counted while it runs. */
  track<Calls extends Readonly<Record<string, (...args: never) => Promise<unknown>>>>(calls: Calls): Calls
  /** Resolves once no call is running. */
  idle(): Promise<void>
}

export function createInFlightCalls(): InFlightCalls {
  const running = new Set<Promise<unknown>>()

  async function run<T>(call: Promise<T>): Promise<T> {
    running.add(call)
    try {
      return await call
    } finally {
      running.delete(call)
    }
  }

  return {
    run,
    track: (calls) =>
      Object.fromEntries(
        Object.entries(calls).map(([name, call]) => [name, (...args: never) => run(call(...args))]),
      ) as typeof calls,
    async idle() {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
