import { PosternError } from '../model/errors.ts'
import type { Message } from '../model/message.ts'
import type { PushItem } from './store.ts'

/**
 * A message with a used dedup key must repeat the earlier one: the same words from the same sender. Times and the time
 * to live do not count, because a retry happens later.
 */
export function requireRepetition(earlier: Message, later: Message, agent: string): void {
  if (fingerprint(earlier) === fingerprint(later)) return
  throw new PosternError('DEDUP_CONFLICT', { key: later.dedupKey ?? '', agent, id: earlier.id })
}

/** Whether a repeated push delivers anew what will never be shown otherwise. `later` says what time it is. */
export function isRevived(
  { revives = false, message: later }: PushItem,
  { state, expiresAt }: { readonly state: string; readonly expiresAt: number | null },
): boolean {
  if (!revives || (later.expiresAt !== null && later.expiresAt <= later.createdAt)) return false
  return isOver(state, expiresAt, later.createdAt)
}

/** Whether a delivery has expired or was cancelled. Upkeep records the end of a time to live a while later. */
export function isOver(state: string, expiresAt: number | null, now: number): boolean {
  if (state === 'pending') return expiresAt !== null && expiresAt <= now
  return state === 'expired' || state === 'cancelled'
}

/** A delivery as `isRevived` found it becomes like new, in its old place. */
export const REVIVE = `UPDATE deliveries SET state = ?3, expires_at = ?4, moved_at = ?5, offer_id = NULL
  WHERE agent_id = ?1 AND inbox_seq = ?2 AND (state IN ('expired', 'cancelled') OR (state = 'pending' AND expires_at <= ?5))`

/** A message gets further recipients. The last parameters are those of `proofsAfter`. */
export const READDRESS = 'UPDATE messages SET addressed = ?2, checksum = ?3, mac = ?4 WHERE seq = ?1'

export const REVIVED = 'pushed again under its key'

function fingerprint(message: Message): string {
  const { type, from, subject, content, payload, context, priority, ref, replyTo, attachments } = message
  return JSON.stringify([type, from.id, subject, content, payload, context, priority, ref, replyTo, attachments])
}
