import { PosternError } from '../model/errors.ts'
import { isConsensusTime, type LedgerEntry } from '../model/ledger/entry.ts'
import type { LedgerLabel, Verified } from '../model/ledger/ledgers.ts'
import { isLedgerId } from '../model/ledger/topic.ts'
import { PROOF_FORMAT, PROOF_VERSION, type ProofHeader } from './proof-text.ts'
import { CHAIN_START, type Chain, walkChain } from './verify.ts'

export { formatProofEntry, formatProofHeader } from './proof-text.ts'

export type ProofVerdict = Omit<Verified, 'heldFrom' | 'mark' | 'isDone'> &
  Pick<ProofHeader, 'label' | 'memo' | 'runningHash'>

/** More than any line of a proof has: an entry has at most 1024 bytes, and a memo 100. */
export const MAX_PROOF_LINE = 16_384

/** Walks a proof by its lines. Throws LEDGER_PROOF_INVALID where it is none; what is wrong with its entries is an answer. */
export async function verifyProofLines(path: string, lines: AsyncIterable<string>): Promise<ProofVerdict> {
  let header: ProofHeader | undefined
  let chain: Chain = { mark: CHAIN_START, bad: null }
  let number = 0
  for await (const line of lines) {
    number++
    const value = parseLine(path, number, line)
    if (!header) header = readHeader(path, value)
    else chain = walkChain(header.topic, chain.mark, [readEntry(path, number, header.topic, value)])
    if (chain.bad) break
  }
  if (!header) throw invalid(path, 'it is empty')
  const { ledger, label, topic, memo, runningHash } = header
  const bad = chain.bad ?? faultOfEnd(header, chain)
  return { ledger, label, topic, memo, runningHash, entries: chain.mark.sequence, bad }
}

function faultOfEnd(header: ProofHeader, { mark }: Chain): Verified['bad'] {
  if (mark.sequence < header.sequence) return { sequence: mark.sequence + 1, reason: 'it is missing' }
  if (mark.sequence === header.sequence && mark.runningHash === header.runningHash) return null
  return { sequence: mark.sequence, reason: 'the first line names another as the last entry' }
}

function parseLine(path: string, number: number, line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Said below.
  }
  throw invalid(path, `line ${number} is not a JSON object`)
}

function readHeader(path: string, value: Record<string, unknown>): ProofHeader {
  const { format, version, ledger, label, topic, memo, sequence, runningHash } = value
  if (format !== PROOF_FORMAT) throw invalid(path, `its first line does not say "${PROOF_FORMAT}"`)
  if (version !== PROOF_VERSION)
    throw invalid(path, `its version is ${String(version)}; only ${PROOF_VERSION} is known here`)
  const isWhole = isLabel(ledger) && typeof label === 'string' && isLedgerId(topic) && typeof memo === 'string'
  if (!isWhole || !isCount(sequence) || !isHash(runningHash)) throw invalid(path, 'its first line is not whole')
  return { format, version, ledger, label, topic, memo, sequence, runningHash }
}

function isLabel(value: unknown): value is LedgerLabel {
  const { kind, network, public_consensus: isPublic } = (value ?? {}) as Record<string, unknown>
  if (kind === 'local') return network === 'local' && isPublic === false
  return kind === 'hedera' && typeof network === 'string' && typeof isPublic === 'boolean'
}

function readEntry(path: string, line: number, topicId: string, value: Record<string, unknown>): LedgerEntry {
  const { sequence, consensusAt, payer, message, chunk, runningHash } = value
  const isWhole = isCount(sequence) && isConsensusTime(consensusAt) && isLedgerId(payer) && isHash(runningHash)
  if (!isWhole || typeof message !== 'string' || !isChunk(chunk)) throw invalid(path, `line ${line} is not an entry`)
  return { topicId, sequence, consensusAt, payer, message, chunk, runningHash }
}

function isChunk(value: unknown): value is LedgerEntry['chunk'] {
  if (value === null) return true
  const { transaction, number, total } = (value ?? {}) as Record<string, unknown>
  return typeof transaction === 'string' && isCount(number) && isCount(total)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

const HASH = /^[0-9a-f]{96}$/

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value)
}

function invalid(path: string, reason: string): PosternError {
  return new PosternError('LEDGER_PROOF_INVALID', { path, reason })
}
