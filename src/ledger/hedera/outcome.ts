import type { Outcome } from '../ledger.ts'
import { laterBy, parseTransaction } from '../protocol/names.ts'
import type { Faults } from './faults.ts'
import type { Mirror } from './mirror.ts'
import type { LedgerNodes } from './nodes.ts'
import { VALID_SECONDS } from './options.ts'
import type { Patience } from './patience.ts'
import { type ReceiptState, tryReceipt } from './receipts.ts'

export interface OutcomeParts {
  readonly nodes: LedgerNodes
  readonly mirror: Mirror
  readonly faults: Faults
  readonly patience: () => Patience
  readonly now: () => number
}

/** Chunks are transactions of their own, each a nanosecond after the one before it. */
export function chunkTransaction(transaction: string, number: number): string {
  const { account, validStart } = parseTransaction(transaction)
  return `${account}@${laterBy(number - 1, validStart)}`
}

/** Of a message in chunks: refused as soon as one is, done where all are. */
export async function findOutcome(parts: OutcomeParts, transaction: string, chunks: number): Promise<Outcome> {
  let last: Outcome = { state: 'unknown' }
  for (let number = 1; number <= chunks; number++) {
    last = await findOne(parts, chunkTransaction(transaction, number))
    if (last.state !== 'done') return last
  }
  return last
}

/** Nodes remember a transaction for three minutes, mirrors for ever. */
async function findOne(parts: OutcomeParts, transaction: string): Promise<Outcome> {
  const answer = await tryReceipt(parts.nodes.next(), transaction, parts.patience().callMs)
  if (answer.state !== 'pending') return fromReceipt(answer)
  const outcome = await parts.mirror.outcome(transaction)
  if (outcome.state === 'unknown') await checkMirror(parts, transaction)
  return isPassing(outcome) ? { state: 'unknown' } : outcome
}

/** It had no effect, and under another name it may have one. */
function isPassing(outcome: Outcome): boolean {
  return outcome.state === 'refused' && outcome.status === 'THROTTLED_AT_CONSENSUS'
}

function fromReceipt(answer: Exclude<ReceiptState, { readonly state: 'pending' }>): Outcome {
  if (answer.state === 'refused') return answer
  return { state: 'done', topicId: answer.topicId, sequence: answer.sequence }
}

/** That a mirror has never heard of an old transaction means something only where it has come so far itself. */
async function checkMirror({ mirror, faults, now }: OutcomeParts, transaction: string): Promise<void> {
  const lastSecond = Number(parseTransaction(transaction).validStart.split('.')[0]) + VALID_SECONDS
  if (now() / 1_000 <= lastSecond) return
  const until = await mirror.knownUntil()
  if (until !== undefined && until <= lastSecond) throw faults.unreachable('the mirror is far behind our clock')
}
