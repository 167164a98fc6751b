import type { RelayRecord } from '../store/store.ts'

/** A server's attempt to take a lease. */
export interface LeaseClaim {
  readonly holder: string
  readonly now: number
  readonly leaseMs: number
}

/** How long another server still holds a lease; 0 if it may be taken. */
export function heldByAnotherMs({ holder, heldUntil }: RelayRecord, claim: LeaseClaim): number {
  const leftMs = heldUntil - claim.now
  // The clocks of servers differ a little. A lease that ends much later than a lease can last was taken before a clock
  // was set back, so it does not count.
  const isHeld = holder !== claim.holder && leftMs > 0 && leftMs <= 2 * claim.leaseMs
  return isHeld ? Math.min(leftMs, claim.leaseMs) : 0
}
