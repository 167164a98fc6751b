import { consensusMs, type LedgerEntry } from '../../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { Shelves } from '../../../store/store.ts'
import { PATIENCE_MS, payerOfChunk } from './assemble.ts'

/** More than so many in one batch are somebody's game, and need not be counted exactly. */
const MOST = 100

/**
 * How many messages have parts that nobody waits for any longer now that these entries are there, though others of their
 * parts never came. Each is counted once: with the entries that come ten minutes after its first part.
 */
export async function countUnfinished(
  tx: Shelves,
  { id: topicId }: LedgerTopic,
  entries: readonly LedgerEntry[],
): Promise<number> {
  const [first, last] = [entries.at(0), entries.at(-1)]
  if (!first || !last) return 0
  const before = await tx.ledger.getEntry({ topicId, sequence: first.sequence - 1 })
  const span = { after: before ? patienceBefore(before) : '', upTo: patienceBefore(last) }
  if (before && span.after === span.upTo) return 0
  return countIn(tx, topicId, span, last.sequence)
}

/** Whether a topic is quiet since somebody left a message there of which parts never came: no entry brings that to light. */
export async function endsUnfinished(
  tx: Pick<Shelves, 'ledger'>,
  { id, sequence, consensusAt }: LedgerTopic,
  now: number,
): Promise<boolean> {
  if (consensusAt === null || now - consensusMs(consensusAt) <= PATIENCE_MS) return false
  const span = { after: patienceBefore({ consensusAt }), upTo: consensusAt }
  return (await countIn(tx, id, span, sequence)) > 0
}

/** Consensus times. */
interface Span {
  readonly after: string
  readonly upTo: string
}

/** Of those whose first part came in that time. */
async function countIn(tx: Pick<Shelves, 'ledger'>, topicId: string, span: Span, upTo: number): Promise<number> {
  let count = 0
  for (const transaction of await tx.ledger.chunkTransactions({ topicId, ...span, limit: MOST })) {
    const parts = (await tx.ledger.chunksOf({ topicId, transaction })).filter(isOfPayer)
    const begin = parts.reduce((least, { consensusAt }) => (consensusAt < least ? consensusAt : least), span.upTo)
    if (begin > span.after && isUnfinished(parts, upTo)) count++
  }
  return count
}

/** The latest time of a first part for which nobody waits any longer when an entry is there. */
function patienceBefore({ consensusAt }: Pick<LedgerEntry, 'consensusAt'>): string {
  const seconds = Math.max(0, Math.floor((consensusMs(consensusAt) - PATIENCE_MS) / 1000))
  return `${seconds}.${consensusAt.slice(consensusAt.indexOf('.') + 1)}`
}

function isOfPayer({ payer, chunk }: LedgerEntry): boolean {
  return chunk !== null && payerOfChunk(chunk) === payer
}

function isUnfinished(parts: readonly LedgerEntry[], upTo: number): boolean {
  const there = parts.filter(({ sequence }) => sequence <= upTo)
  const numbers = new Set(there.map(({ chunk }) => chunk?.number))
  return there.length > 0 && numbers.size < (there[0]?.chunk?.total ?? 0)
}
