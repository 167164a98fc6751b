import { isMessageType } from '../model/message.ts'
import { NORMAL, type Priority, parsePriority } from '../model/priority.ts'
import { utf8Length } from '../model/text.ts'

/** One line of a spool, in our words. Its producer is whoever could write the file. */
export interface SpoolEntry {
  readonly content: string
  readonly id?: string
  readonly type?: string
  /** Who wrote it, by its own word. */
  readonly source?: string
  readonly priority: Priority
  /** When it was written, by the clock of whoever did. */
  readonly writtenAt?: number
  readonly dedupKey?: string
  readonly ttlMs?: number
}

export type ParsedLine = { readonly entry: SpoolEntry } | { readonly fault: string }

/**
 * Reads seed 000's entry. Only what cannot be shown is a fault: a line that is no JSON object, or one without content.
 * A field that is missing, empty, zero or not understood counts as absent, because producers of many ages write here and
 * what they have to say matters more than how they label it. Further fields are ignored.
 */
export function parseEntry(line: string): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { fault: 'it is not JSON' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'it is not a JSON object' }
  const fields = value as Readonly<Record<string, unknown>>
  const { content } = fields
  if (typeof content !== 'string') return { fault: 'it has no content' }
  return {
    entry: {
      content,
      priority: readPriority(fields['priority']),
      ...optional('id', readKey(fields['id'])),
      ...optional('type', readType(fields['type'])),
      ...optional('source', readName(fields['source'])),
      ...optional('writtenAt', readTime(fields['timestamp'])),
      ...optional('dedupKey', readKey(fields['dedup_key'])),
      ...optional('ttlMs', readSeconds(fields['ttl_seconds'])),
    },
  }
}

/** The line of an entry, with its end. JSON writes every line break within it as an escape. */
export function formatEntry(entry: SpoolEntry): string {
  const { content, id, type, source, priority, writtenAt, dedupKey, ttlMs } = entry
  const fields = {
    id,
    type,
    source,
    content,
    priority,
    timestamp: writtenAt,
    dedup_key: dedupKey,
    ttl_seconds: ttlMs === undefined ? undefined : ttlMs / SECOND_MS,
  }
  return `${JSON.stringify(fields)}\n`
}

const SECOND_MS = 1_000

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: T })
}

function readName(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

const MAX_KEY_BYTES = 300

/**
 * What two entries share makes them one. So a number counts only where JSON keeps it exactly and it is not the zero of a
 * producer that sets none, and a text where it can be stored: to be shown twice is better than not at all.
 */
function readKey(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value !== 0 ? String(value) : undefined
  if (typeof value !== 'string' || value === '' || value.includes('\0') || !value.isWellFormed()) return undefined
  return utf8Length(value) <= MAX_KEY_BYTES ? value : undefined
}

/** Numbers beyond the scale mean its ends. */
function readPriority(value: unknown): Priority {
  if (typeof value === 'number') return Math.min(4, Math.max(0, Math.round(value))) as Priority
  try {
    return parsePriority(value)
  } catch {
    return NORMAL
  }
}

function readType(value: unknown): string | undefined {
  const type = typeof value === 'string' ? value.trim().toLowerCase() : value
  return isMessageType(type) ? type : undefined
}

/** Below this a number of milliseconds would lie before 1973: it is a number of seconds. */
const SECONDS_BELOW = 1e11
const LATEST_MS = 8.64e15

function readTime(value: unknown): number | undefined {
  if (typeof value !== 'number' || value <= 0) return undefined
  const ms = Math.round(value < SECONDS_BELOW ? value * SECOND_MS : value)
  return ms <= LATEST_MS ? ms : undefined
}

function readSeconds(value: unknown): number | undefined {
  if (typeof value !== 'number' || value <= 0) return undefined
  return Math.min(Math.ceil(value * SECOND_MS), Number.MAX_SAFE_INTEGER)
}
