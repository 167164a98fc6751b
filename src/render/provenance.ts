import { trustWord } from '../model/caller.ts'
import type { InboxMessage } from '../model/delivery.ts'
import type { Sender } from '../model/message.ts'
import { formatPriority } from '../model/priority.ts'
import { neutraliseTo, QUOTED, TOKEN } from './neutralise.ts'

const TOKEN_CHARACTERS = 100
const ADDRESSES_NAMED = 3

/** Of a message whose stored row no key proves. */
export const NOT_AUTHENTICATED = 'not authenticated'

/**
 * The line that says where a message comes from. Every part is an identifier, a number or a time, and the
 * parts are kept apart by a sign that none of them can contain: nothing in a message can add to it.
 */
export function provenanceLine(message: InboxMessage, number: string): string {
  const parts = [
    number,
    `from ${authorOf(message.from)}`,
    token(message.type),
    formatPriority(message.priority),
    formatTime(message.createdAt),
    token(message.id),
    ...circumstances(message),
  ]
  return `├─ ${parts.join(' · ')}`
}

/** Who wrote something, and how far that is known: `rosa (ai, verified, via http)`. */
export function authorOf(author: Sender): string {
  const { id, kind, via } = author
  return `${token(id)} (${token(kind)}, ${trustWord(author)}, via ${token(via)})`
}

function circumstances(message: InboxMessage): readonly string[] {
  const parts: string[] = []
  if (message.authenticated === false) parts.push(NOT_AUTHENTICATED)
  if (message.attempt >= 2) parts.push(`shown before: attempt ${message.attempt}`)
  const others = message.to.filter((address) => address !== message.agent)
  if (others.length > 0) parts.push(`${message.to.includes(message.agent) ? 'also to' : 'to'} ${listed(others)}`)
  if (message.replyTo !== null) parts.push(`reply to ${token(message.replyTo)}`)
  if (message.hops > 0) parts.push(`automatic reply ${message.hops}`)
  if (message.expiresAt !== null) parts.push(`expires ${formatTime(message.expiresAt)}`)
  return parts
}

/** Whom else it went to, which may be a thousand. */
function listed(addresses: readonly string[]): string {
  const named = addresses.slice(0, ADDRESSES_NAMED).map(token).join(', ')
  const more = addresses.length - ADDRESSES_NAMED
  return more > 0 ? `${named} and ${more} more` : named
}

export function token(text: string): string {
  return neutraliseTo(TOKEN_CHARACTERS, text, TOKEN)
}

export function quoted(max: number, text: string): string {
  return `"${neutraliseTo(max, text, QUOTED)}"`
}

const LATEST_DATE_MS = 8.64e15

export function formatTime(at: number): string {
  return Math.abs(at) <= LATEST_DATE_MS ? new Date(at).toISOString() : 'unknown time'
}
