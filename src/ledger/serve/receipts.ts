import type { Shelves } from '../../store/store.ts'
import { parseId } from '../protocol/names.ts'
import type { Receipt } from '../protocol/transactions.ts'

/** What became of a transaction. A node forgets it after three minutes, a mirror here after a day. */
export interface Outcome {
  readonly status: number
  readonly consensusAt: string
  /** As mirrors call its kind, such as `CONSENSUSSUBMITMESSAGE`. */
  readonly name: string
  readonly memo: string
  readonly validSeconds: number
  /** SHA-384 of what was signed, in base64. */
  readonly hash: string
  readonly accountId?: string
  readonly topicId?: string
  readonly sequence?: number
  /** In hex. */
  readonly runningHash?: string
}

export const RECEIPT_MS = 180_000

export async function keepOutcome(tx: Shelves, id: string, outcome: Outcome, createdAt: number): Promise<void> {
  const { topicId = null, accountId: account = null, sequence = null, runningHash = null } = outcome
  const receipt = JSON.stringify(outcome)
  await tx.ledger.putTransaction({ id, topicId, account, sequence, runningHash, receipt, createdAt })
}

/** Also of what happened before a restart. */
export async function outcomeOf(shelves: Shelves, id: string): Promise<Outcome | undefined> {
  const transaction = await shelves.ledger.getTransaction({ id })
  return transaction?.receipt ? (JSON.parse(transaction.receipt) as Outcome) : undefined
}

export async function isTaken(shelves: Shelves, id: string): Promise<boolean> {
  return (await shelves.ledger.getTransaction({ id })) !== undefined
}

export function receiptOf({ status, accountId, topicId, sequence, runningHash }: Outcome): Partial<Receipt> {
  return {
    status,
    ...(accountId !== undefined && { account: { ...parseId(accountId), alias: undefined } }),
    ...(topicId !== undefined && { topic: parseId(topicId) }),
    ...(sequence !== undefined && { sequence, runningHashVersion: 3 }),
    ...(runningHash !== undefined && { runningHash: Buffer.from(runningHash, 'hex') }),
  }
}
