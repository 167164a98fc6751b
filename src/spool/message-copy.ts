import type { InboxMessage } from '../model/delivery.ts'
import type { Message } from '../model/message.ts'
import { toInboxEvent } from '../model/sources/inbox-event.ts'
import { formatEntry } from './entry.ts'

/**
 * Seed 001's JSON of a message. The id of the event is always that of the message, by which readers tell it from others
 * and anybody may trace it. It stands first: what looks for it in a list need not read on.
 */
export function formatInboxEvent(message: InboxMessage): string {
  const { eventId: _, ...event } = toInboxEvent(message)
  return JSON.stringify({ eventId: message.id, ...event })
}

/** Seed 000's entry of a message, without the end of its line. Whoever has it in the store knows it by its id. */
export function formatSpoolCopy(message: Message): string {
  const { id, type, from, content, priority, createdAt, dedupKey, expiresAt } = message
  const ttlMs = expiresAt === null ? undefined : Math.max(1, expiresAt - createdAt)
  const entry = { id, type, source: from.id, content, priority, writtenAt: createdAt, dedupKey: dedupKey ?? id }
  return formatEntry({ ...entry, ...(ttlMs !== undefined && { ttlMs }) }).trimEnd()
}
