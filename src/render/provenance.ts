import type { InboxMessage } from '../model/delivery.ts'
import { formatPriority } from '../model/priority.ts'
import { neutraliseTo, QUOTED, TOKEN } from './neutralise.ts'

const TOKEN_CHARACTERS = 100
const REF_CHARACTERS = 200
const ADDRESSES_NAMED = 3

/**
 * The line that says where a message comes from. Every part is an identifier, a number, a time or quoted, and the
 * parts are kept apart by a sign that none of them can contain: nothing in a message can add to it.
 */
export function provenanceLine(message: InboxMessage, number: string): string {
  const { from } = message
  const trust = from.verified ? 'verified' : 'unverified'
  const parts = [
    number,
    `from ${token(from.id)} (${token(from.kind)}, ${trust}, via ${token(from.via)})`,
    token(message.type),
    formatPriority(message.priority),
    formatTime(message.createdAt),
    token(message.id),
    ...circumstances(message),
  ]
  return `├─ ${parts.join(' · ')}`
}

function circumstances(message: InboxMessage): readonly string[] {
  const parts: string[] = []
  if (message.attempt >= 2) parts.push(`shown before: attempt ${message.attempt}`)
  const others = message.to.filter((address) => address !== message.agent)
  if (others.length > 0) parts.push(`${message.to.includes(message.agent) ? 'also to' : 'to'} ${listed(others)}`)
  if (message.replyTo !== null) parts.push(`reply to ${token(message.replyTo)}`)
  if (message.ref !== null) parts.push(`about ${quoted(REF_CHARACTERS, message.ref)}`)
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
