const NANOS_PER_MS = 1_000_000
const NANOS_PER_SECOND = 1_000_000_000n

/** Names transactions by an account and the time at which they begin: never the same here, and hardly anywhere else. */
export function createStarts(now: () => number): (account: string) => string {
  let last = 0n
  return (account) => {
    const soon = BigInt(Math.floor(now())) * BigInt(NANOS_PER_MS) + BigInt(Math.floor(Math.random() * NANOS_PER_MS))
    last = soon > last ? soon : last + 1n
    return `${account}@${last / NANOS_PER_SECOND}.${String(last % NANOS_PER_SECOND).padStart(9, '0')}`
  }
}
