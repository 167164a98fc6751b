const nothing = new Int32Array(new SharedArrayBuffer(4))

/** Stops this thread for a time, which may be far shorter than a timer can be. Nothing else of the process runs meanwhile. */
export function sleepSync(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms)
}
