/**
 * Something that a test waits for instead of sleeping.
 *
 *   const rung = createSignal<string>()
 *   await doorbell.listen(['quinn'], () => rung.fire('quinn'))
 *   await rung.fired
 */
export interface Signal<T> {
  /** Resolves with the first value. */
  readonly fired: Promise<T>
  /** Every value so far. */
  readonly values: readonly T[]
  fire(value: T): void
  /** Resolves with the value that comes next, whatever came before. */
  next(): Promise<T>
  /** Resolves once so many values have come, with those. */
  times(count: number): Promise<readonly T[]>
}

export function createSignal<T = void>(): Signal<T> {
  const values: T[] = []
  const waiting = new Set<() => boolean>()

  const until = <R>(take: () => R | undefined): Promise<R> =>
    new Promise((resolve) => {
      const settle = () => {
        const taken = take()
        if (taken !== undefined) resolve(taken)
        return taken !== undefined
      }
      if (!settle()) waiting.add(settle)
    })
  const from = (index: number) => until(() => (values.length > index ? { value: values[index] as T } : undefined))

  return {
    fired: from(0).then(({ value }) => value),
    values,
    fire(value) {
      values.push(value)
      for (const settle of waiting) if (settle()) waiting.delete(settle)
    },
    next: async () => (await from(values.length)).value,
    times: (count) => until(() => (values.length >= count ? values.slice(0, count) : undefined)),
  }
}
