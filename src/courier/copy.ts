import { unwrapReminder } from '../render/reminder.ts'
import { parseEntry, type SpoolEntry } from '../spool/entry.ts'

/** A line that came through a wire, understood. */
export interface CarriedCopy {
  readonly entry: SpoolEntry
  /** A copy of a message that the store has. Others publish too, and of theirs this may be all there is. */
  readonly isOfMessage: boolean
}

export type ParsedCopy = CarriedCopy | { readonly fault: string }

/** The longest content there may be, with every character of it escaped, and room for the rest of an entry. */
const MAX_LINE_CHARACTERS = 512 * 1024

const MESSAGE_ID = /^msg_[0-9A-Z]{26}$/

/**
 * Reads what came through a wire. Whoever can publish there can send anything, and what no inbox would take must not
 * come again and again: that is a fault. Only the fields of an entry count, so no line chooses whose spool it goes to.
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
