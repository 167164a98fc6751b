/** Clocks differ, and a transaction whose time has not yet come is refused. */
const BEHIND_MS = 5_000
/** Several processes may name transactions of one account: each rolls dice within so much time. */
const SPREAD_MS = 3_000
/** Names are so far apart that the chunks of a message find room between two of them. */
const STEP_NANOS = 50
const NANOS_PER_MS = 1_000_000
const NANOS_PER_SECOND = 1_000_000_000n
const REMEMBERED = 10_000

export interface NamingOptions {
  readonly now: () => number
  readonly random: () => number
}

/** Names transactions: `0.0.2@1713898880.739044000`. */
export function createTransactionNames({ now, random }: NamingOptions): (account: string) => string {
  const used = new Set<string>()

  function name(account: string): string {
    const ms = BigInt(Math.floor(now()) - BEHIND_MS - SPREAD_MS)
    const steps = Math.floor(random() * ((SPREAD_MS * NANOS_PER_MS) / STEP_NANOS))
    const nanos = ms * BigInt(NANOS_PER_MS) + BigInt(steps * STEP_NANOS)
    return `${account}@${nanos / NANOS_PER_SECOND}.${String(nanos % NANOS_PER_SECOND).padStart(9, '0')}`
  }

  return (account) => {
    let named = name(account)
    while (used.has(named)) named = name(account)
    used.add(named)
    const [oldest] = used
    if (used.size > REMEMBERED && oldest !== undefined) used.delete(oldest)
    return named
  }
}
