const NANOS = 1_000_000_000n

/** `1713898880.739044003` in nanoseconds. */
export function nanosOf(time: string): bigint {
  const [seconds = '0', fraction = ''] = time.split('.')
  return BigInt(seconds) * NANOS + BigInt(fraction.padEnd(9, '0'))
}

export function timeOf(nanos: bigint): string {
  return `${nanos / NANOS}.${String(nanos % NANOS).padStart(9, '0')}`
}

export function timeOfMs(ms: number): string {
  return timeOf(BigInt(ms) * 1_000_000n)
}
