import { PosternError } from '../../model/errors.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { accountsOfKey } from '../../model/ledger/topic-key.ts'
import type { LedgerShelf } from '../../store/store.ts'
import type { Submission } from '../ledger.ts'
import { requireMemo, splitMessage } from '../rules.ts'

const KEY = /^key:(?:[0-9a-f]{2})+$/

export function requireKey(key: string | null): void {
  if (key === null) return
  const isKnown = accountsOfKey(key)?.every(isLedgerId) ?? KEY.test(key)
  if (!isKnown) throw refused('BAD_ENCODING')
}

/** A message as the entries that it becomes, in base64. */
export function entriesOf({ message, memo, mayChunk }: Pick<Submission, 'message' | 'memo' | 'mayChunk'>): string[] {
  requireMemo(memo)
  if (message.byteLength === 0) throw refused('INVALID_TOPIC_MESSAGE')
  return splitMessage(message, mayChunk).map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  )
}

/** Why an entry could not be added. */
export async function refusalOf(
  shelf: Pick<LedgerShelf, 'getTopic'>,
  { topicId, payer }: Pick<Submission, 'topicId' | 'payer'>,
): Promise<PosternError> {
  const topic = await shelf.getTopic({ id: topicId })
  if (topic?.network !== 'local')
    return new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: topicId, network: 'local' })
  if (topic.deletedAt !== null) return new PosternError('LEDGER_TOPIC_DELETED', { topic: topicId })
  const isOpen = topic.submitKey === null || accountsOfKey(topic.submitKey)?.includes(payer)
  // Somebody has changed the topic since, and whoever tries again may succeed.
  return refused(isOpen ? 'BUSY' : 'INVALID_SIGNATURE')
}

function refused(status: string): PosternError {
  return new PosternError('LEDGER_REFUSED', { network: 'local', status })
}
