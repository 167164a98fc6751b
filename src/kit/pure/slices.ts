/** Runs work that yields after each slice, with a pause in between, in which timers and other callers run. */
export async function runInSlices<T>(slices: Iterator<void, T>, pause: () => Promise<void>): Promise<T> {
  let slice = slices.next()
  while (!slice.done) {
    await pause()
    slice = slices.next()
  }
  return slice.value
}
