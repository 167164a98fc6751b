import type { Ledger } from '../../ledger/ledger.ts'
import type { LedgerLabel } from '../../model/ledger/ledgers.ts'

/** Which ledger it is. Every answer that speaks of entries says so. */
export function labelOf({ kind, network, isPublic }: Ledger): LedgerLabel {
  return { kind, network, public_consensus: isPublic }
}
