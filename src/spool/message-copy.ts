import type { Message } from '../model/message.ts'
import { formatEntry } from './entry.ts'

/** The spool entry (seed 000's line) of a message, without its line end. A store that has the message knows it by its id. */
export function formatSpoolCopy(message: Message): string {
  const { id, type, from, content, priority, createdAt, dedupKey, expiresAt } = message
  const ttlMs = expiresAt === null ? undefined : Math.max(1, expiresAt - createdAt)
  const entry = { id, type, source: from.id, content, priority, writtenAt: createdAt, dedupKey: dedupKey ?? id }
  return formatEntry({ ...entry, ...(ttlMs !== undefined && { ttlMs }) }).trimEnd()
}
