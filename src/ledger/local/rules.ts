import { PosternError } from '../../model/errors.ts'
import { ENTRY_BYTES, MAX_CHUNKS } from '../../model/ledger/entry.ts'
import { isLedgerId, MEMO_BYTES } from '../../model/ledger/topic.ts'
import { accountsOfKey } from '../../model/ledger/topic-key.ts'
import type { LedgerShelf } from '../../store/store.ts'
import type { Submission } from '../ledger.ts'

export function requireMemo(memo: string): void {
  const bytes = Buffer.byteLength(memo)
  if (bytes > MEMO_BYTES) throw new PosternError('LEDGER_MEMO_INVALID', { memo, reason: `it has ${bytes} bytes` })
  if (memo.includes('\0')) throw new PosternError('LEDGER_MEMO_INVALID', { memo, reason: 'it has a zero byte' })
}

const KEY = /^key:(?:[0-9a-f]{2})+$/

export function requireKey(key: string | null): void {
  if (key === null) return
  const isKnown = accountsOfKey(key)?.every(isLedgerId) ?? KEY.test(key)
  if (!isKnown) throw refused('BAD_ENCODING')
}

/** A message in base64, as the parts that each are an entry. */
export function splitMessage({ message, memo, mayChunk }: Pick<Submission, 'message' | 'memo' | 'mayChunk'>): string[] {
  requireMemo(memo)
  const bytes = message.byteLength
  const limit = mayChunk ? ENTRY_BYTES * MAX_CHUNKS : ENTRY_BYTES
  if (bytes === 0) throw refused('INVALID_TOPIC_MESSAGE')
  if (bytes > limit) throw new PosternError('LEDGER_MESSAGE_TOO_LARGE', { bytes, limit })
  const whole = Buffer.from(message.buffer, message.byteOffset, bytes)
  return Array.from({ length: Math.ceil(bytes / ENTRY_BYTES) }, (_, at) =>
    whole.toString('base64', at * ENTRY_BYTES, Math.min(bytes, (at + 1) * ENTRY_BYTES)),
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
