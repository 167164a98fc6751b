import type { LedgerEntry } from '../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../model/ledger/topic.ts'
import type { LedgerShelf } from '../../store/store.ts'
import { nanosOf } from './times.ts'

/** Sequence numbers from one to another, both included. Empty where the first is the greater. */
export interface Span {
  readonly first: number
  readonly last: number
}

/** The sequence number of the first entry at or after a time, or one past the last entry. Times only ever rise. */
export async function sequenceAt(shelf: LedgerShelf, topic: LedgerTopic, nanos: bigint): Promise<number> {
  if (topic.consensusAt === null || nanosOf(topic.consensusAt) < nanos) return topic.sequence + 1
  let [low, high] = [1, topic.sequence]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const entry = await shelf.getEntry({ topicId: topic.id, sequence: middle })
    if (entry && nanosOf(entry.consensusAt) >= nanos) high = middle
    else low = middle + 1
  }
  return low
}

/** At most `limit` entries of a span, from its beginning or from its end. */
export async function entriesIn(
  shelf: LedgerShelf,
  topicId: string,
  { first, last, limit, isBackwards }: Span & { readonly limit: number; readonly isBackwards: boolean },
): Promise<readonly LedgerEntry[]> {
  const count = Math.min(limit, last - first + 1)
  if (count <= 0) return []
  const after = isBackwards ? last - count : first - 1
  const entries = await shelf.entriesAfter({ topicId, after, limit: count })
  return isBackwards ? entries.toReversed() : entries
}
