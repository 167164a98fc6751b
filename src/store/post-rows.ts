import { checksumOf } from '../kit/pure/checksum.ts'
import type { SpacePost } from '../model/sources/space.ts'
import { formatTrust, readSender } from './rows.ts'
import type { SqlRow, SqlValue } from './sql.ts'

/** Of a post, in the order of `postValues`; `p` is the table of posts. */
export const POST_COLUMNS = [
  'space_id',
  'seq',
  'message_id',
  'from_id',
  'from_as',
  'sender_name',
  'content',
  'priority',
  'reply_to',
  'dedup_key',
  'created_at',
  'checksum',
] as const

export const SELECT_POST = POST_COLUMNS.map((column) => `p.${column}`).join(', ')

interface StoredPost extends SpacePost {
  readonly spaceId: string
  readonly dedupKey: string | null
}

export function postValues(post: StoredPost): SqlValue[] {
  const { spaceId, seq, messageId, from, senderName, content, priority, replyTo, dedupKey, createdAt } = post
  const author = [from.id, formatTrust(from), senderName]
  const values = [spaceId, seq, messageId, ...author, content, priority, replyTo, dedupKey, createdAt]
  return [...values, checksumOf(values)]
}

/** A post in the order of `POST_COLUMNS`. If it is damaged, nothing of it is returned but its number and its id. */
export function readPost(row: SqlRow): SpacePost {
  const [, seq, messageId, fromId, fromAs, senderName, content, priority, replyTo, , createdAt, checksum] = row
  if (checksum !== null && checksum !== checksumOf(row.slice(0, POST_COLUMNS.length - 1))) {
    return { ...DAMAGED, seq, messageId }
  }
  return { seq, messageId, from: readSender(fromId, fromAs), senderName, content, priority, replyTo, createdAt }
}

const DAMAGED = {
  from: { id: 'system', kind: 'system', verified: false, via: 'store' },
  senderName: 'system',
  content: 'The stored post does not match its checksum, so it is not shown.',
  damaged: true,
  priority: 2,
  replyTo: null,
  createdAt: 0,
} as const
