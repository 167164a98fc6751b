import type { RelayRecord } from '../store/store.ts'

export interface Claim {
  readonly holder: string
  readonly now: number
  readonly leaseMs: number
}

/** How long another server still holds a lease; 0 if it may be taken. */
export function heldByAnotherMs({ holder, heldUntil }: RelayRecord, claim: Claim): number {
  const leftMs = heldUntil - claim.now
  // The clocks of servers differ a little. A lease that ends later than any lease can was taken before its server's clock
  // was set back.
  const isHeld = holder !== claim.holder && leftMs > 0 && leftMs <= 2 * claim.leaseMs
  return isHeld ? Math.min(leftMs, claim.leaseMs) : 0
}
