import type { LedgerEntry } from '../../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { LedgerShelf } from '../../../store/store.ts'
import { entriesIn } from '../entry-search.ts'
import { nanosOf, timeOf } from '../times.ts'
import { notFound } from './errors.ts'
import { invalid, isPositive, isTime, nextLink, parseFilters, spanOf } from './filters.ts'

/** `/api/v1/topics/{id}/messages`. A topic that is not there has no messages, and that is all a mirror says. */
export async function listMessages(shelf: LedgerShelf, topicId: string, url: URL): Promise<unknown> {
  const filters = parseFilters(url.searchParams)
  const topic = await localTopic(shelf, topicId)
  if (!topic) return { links: { next: null }, messages: [] }
  const span = await spanOf(shelf, topic, filters)
  const entries = await entriesIn(shelf, topicId, { ...span, ...filters })
  const last = entries.at(-1)
  const isFull = last && entries.length === filters.limit
  const next = isFull ? nextLink(url.pathname, url.searchParams, filters.isBackwards, last.consensusAt) : null
  return { links: { next }, messages: entries.map((entry) => messageShape(entry, filters.isText)) }
}

/** `/api/v1/topics/{id}/messages/{sequence}` */
export async function showMessage(shelf: LedgerShelf, topicId: string, sequence: string): Promise<unknown> {
  if (!isPositive(sequence)) throw invalid('sequencenumber')
  const topic = await localTopic(shelf, topicId)
  // A number may be larger than a store counts.
  if (!topic || Number(sequence) > topic.sequence) throw notFound()
  const entry = await shelf.getEntry({ topicId, sequence: Number(sequence) })
  if (!entry) throw notFound()
  return messageShape(entry, false)
}

/** `/api/v1/topics/messages/{timestamp}` */
export async function showMessageAt(shelf: LedgerShelf, time: string): Promise<unknown> {
  if (!isTime(time)) throw invalid('consensus_timestamp')
  const entry = await shelf.entryAt({ consensusAt: timeOf(nanosOf(time)) })
  if (!entry || !(await localTopic(shelf, entry.topicId))) throw notFound()
  return messageShape(entry, false)
}

/** The store also holds what was read of ledgers elsewhere. */
async function localTopic(shelf: LedgerShelf, id: string): Promise<LedgerTopic | undefined> {
  const topic = await shelf.getTopic({ id })
  return topic?.network === 'local' ? topic : undefined
}

function messageShape({ chunk, message, ...entry }: LedgerEntry, isText: boolean): unknown {
  return {
    chunk_info: chunk && {
      initial_transaction_id: transactionShape(chunk.transaction),
      number: chunk.number,
      total: chunk.total,
    },
    consensus_timestamp: entry.consensusAt,
    message: isText ? Buffer.from(message, 'base64').toString('utf8') : message,
    payer_account_id: entry.payer,
    running_hash: Buffer.from(entry.runningHash, 'hex').toString('base64'),
    running_hash_version: 3,
    sequence_number: entry.sequence,
    topic_id: entry.topicId,
  }
}

function transactionShape(transaction: string): unknown {
  const [account, start] = transaction.split('@')
  return { account_id: account, nonce: 0, scheduled: false, transaction_valid_start: start }
}
