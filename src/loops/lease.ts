import type { RelayRecord } from '../store/store.ts'

export interface Claim {
  readonly holder: string
  readonly now: number
  readonly leaseMs: number
}

/** How long another still holds it; 0 where it may be taken. */
export function heldByAnotherMs({ holder, heldUntil }: RelayRecord, claim: Claim): number {
  const leftMs = heldUntil - claim.now
  // Servers do not agree on the time to the millisecond. A lease that lasts much longer than any was taken by a clock
  // that has been set back since.
  const isHeld = holder !== claim.holder && leftMs > 0 && leftMs <= 2 * claim.leaseMs
  return isHeld ? Math.min(leftMs, claim.leaseMs) : 0
}
