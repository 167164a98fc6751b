import type { LedgerEntry } from '../model/ledger/entry.ts'
import type { LedgerLabel } from '../model/ledger/ledgers.ts'
import type { LedgerTopic } from '../model/ledger/topic.ts'

export const PROOF_FORMAT = 'postern-ledger-proof'
export const PROOF_VERSION = 1

/**
 * All entries of a topic in a file that anybody can check without us: one line that says what it is, then one line for
 * each entry, in JSON. The first line names the last entry, so what was cut off is missed.
 */
export interface ProofHeader {
  readonly format: typeof PROOF_FORMAT
  readonly version: typeof PROOF_VERSION
  readonly ledger: LedgerLabel
  /** In words, who vouches for it. */
  readonly label: string
  readonly topic: string
  readonly memo: string
  readonly sequence: number
  readonly runningHash: string
}

export function formatProofHeader(topic: LedgerTopic, ledger: LedgerLabel): string {
  const { id, memo, sequence, runningHash } = topic
  const label = ledger.public_consensus
    ? `${ledger.network}: the entries stand on a public ledger too`
    : `${ledger.network} ledger: no public consensus`
  const header: ProofHeader = {
    format: PROOF_FORMAT,
    version: PROOF_VERSION,
    ledger,
    label,
    topic: id,
    memo,
    sequence,
    runningHash,
  }
  return `${JSON.stringify(header)}\n`
}

export function formatProofEntry({ sequence, consensusAt, payer, message, chunk, runningHash }: LedgerEntry): string {
  return `${JSON.stringify({ sequence, consensusAt, payer, message, chunk, runningHash })}\n`
}
