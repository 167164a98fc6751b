import { PosternError } from '../model/errors.ts'
import type { Message } from '../model/message.ts'

/**
 * A message with a used dedup key must repeat the earlier one: the same words from the same sender. Times and the time
 * to live do not count, because a retry happens later.
 */
export function requireRepetition(earlier: Message, later: Message, agent: string): void {
  if (fingerprint(earlier) === fingerprint(later)) return
  throw new PosternError('DEDUP_CONFLICT', { key: later.dedupKey, agent, id: earlier.id })
}

function fingerprint(message: Message): string {
  const { type, from, subject, content, payload, context, priority, ref, replyTo, attachments } = message
  return JSON.stringify([type, from.id, subject, content, payload, context, priority, ref, replyTo, attachments])
}
