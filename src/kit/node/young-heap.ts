/** Enough that what is under way is mostly over when it is looked for; half of it would cost a server a tenth more. */
const ENOUGH_BYTES = 32 * 1024 * 1024
const LOOK_EVERY_MS = 500

/**
 * Keeps the part of the heap in which everything begins from growing on once it is large enough. V8 would let it grow to
 * 128 MB under load, and would look for what is over only when that is full: most of it would hold nothing. How large it
 * may get can be said only before V8 starts; how fast it grows, at any time.
 */
export function boundYoungHeap(enoughBytes: number = ENOUGH_BYTES): { stop(): void } {
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  function look(): void {
    if (youngHeapBytes() < enoughBytes) return
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }
  look()
  return { stop: () => clearInterval(timer) }
}

export function youngHeapBytes(): number {
  const spaces = process.getBuiltinModule('node:v8').getHeapSpaceStatistics()
  return spaces.find((space) => space.space_name === 'new_space')?.space_size ?? 0
}
