/** The outcome, or something else where it comes too late; whatever it was goes on by itself. */
export async function within<T>(ms: number, outcome: Promise<T>, late: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>()
  const timer = setTimeout(() => resolve(late), ms)
  try {
    return await Promise.race([outcome, promise])
  } finally {
    clearTimeout(timer)
  }
}
