/** Runs a job for every item, so many at a time, and returns what they found in the order of the items. */
export async function inTurn<T, R>(
  items: readonly T[],
  width: number,
  job: (item: T, at: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const lane = async () => {
    while (next < items.length) {
      const at = next++
      results[at] = await job(items[at] as T, at)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}
