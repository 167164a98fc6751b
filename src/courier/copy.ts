import { unwrapReminder } from '../render/reminder.ts'
import { parseEntry, type SpoolEntry } from '../spool/entry.ts'

/** A parsed line from a wire. */
export interface CarriedCopy {
  readonly entry: SpoolEntry
  /** True for a copy of a message that is in the store. A line that others published may exist nowhere else. */
  readonly isOfMessage: boolean
}

export type ParsedCopy = CarriedCopy | { readonly fault: string }

/** Enough for the longest content with every character escaped, and for the rest of an entry. */
const MAX_LINE_CHARACTERS = 512 * 1024

const MESSAGE_ID = /^msg_[0-9A-Z]{26}$/

/**
 * Parses a line from a wire. Anybody who can publish there can send anything. A line that no inbox would accept is a
 * fault, so that it is dropped and not sent again for ever. Only the fields of an entry are read, so a line cannot
 * choose its spool.
 */
export function parseCopy(line: string, { contentBytes, now }: CopyLimits): ParsedCopy {
  if (line.length > MAX_LINE_CHARACTERS) return { fault: `it is longer than ${MAX_LINE_CHARACTERS} characters` }
  const parsed = parseEntry(line)
  if ('fault' in parsed) return parsed
  const { entry } = parsed
  const content = unwrapReminder(entry.content)
  if (content.trim() === '') return { fault: 'its content is empty' }
  if (!content.isWellFormed() || content.includes('\0')) return { fault: 'its content cannot be stored' }
  if (Buffer.byteLength(content) > contentBytes) return { fault: `its content is longer than ${contentBytes} bytes` }
  if (isOver(entry, now)) return { fault: 'its time to live is over' }
  return { entry, isOfMessage: MESSAGE_ID.test(entry.id ?? '') }
}

export interface CopyLimits {
  readonly contentBytes: number
  readonly now: number
}

function isOver({ writtenAt, ttlMs }: SpoolEntry, now: number): boolean {
  return writtenAt !== undefined && ttlMs !== undefined && Math.min(writtenAt, now) + ttlMs <= now
}
