import { isAgentId } from '../agent.ts'
import { isJson, type Json } from '../json.ts'
import { isMessageType } from '../message.ts'
import { type JsonFields, parseFields, textOf } from './json-fields.ts'
import { seedPriorityOf } from './message-data.ts'
import type { SeedPriority } from './seed-priority.ts'
import { ENTITY_TYPES, type EntityType } from './work-item.ts'

/** What stands on the topic of a work item, with the seed's names. No standard covers it: it has neither `p` nor `op`. */
export type WorkEntry = WorkNote | WorkEvent

export interface WorkNote {
  readonly kind: 'note'
  readonly type: NoteType
  /** As it says itself; the payer tells whether it is so. */
  readonly from_agent: string
  readonly note: string
  /** Slugs, each once. */
  readonly notify: readonly string[]
  readonly priority: SeedPriority
  /** Ours; the seed's own form has none. */
  readonly note_id: string | null
  readonly ts: string | null
}

/** `task.note`, `phase.note`, `stage.note` or `project.note`. */
export type NoteType = `${EntityType}.note`

export interface WorkEvent {
  readonly kind: 'event'
  /** Such as `task.blocked`. */
  readonly type: string
  readonly from_agent: string
  readonly subject: string | null
  readonly payload: Json | null
  readonly event_id: string | null
  readonly ts: string | null
}

/** Who has sent what names no sender. */
const NOBODY = 'unknown'
const AGENT_LENGTH = 64
const NOTE_LENGTH = 64 * 1024
const SUBJECT_LENGTH = 16 * 1024
const ID_LENGTH = 64
const TIME_LENGTH = 40
export const MAX_NOTIFY = 100

export function formatWorkEntry(entry: WorkEntry): string {
  const { kind, ...fields } = entry
  const said = Object.entries(fields).filter(([, value]) => value !== null)
  return JSON.stringify(Object.fromEntries(said))
}

/** Undefined where it is neither a note nor an event. Of an event that has no payload, what else it names is its payload. */
export function parseWorkEntry(text: string): WorkEntry | undefined {
  const fields = parseFields(text)
  if (!fields || !isMessageType(fields['type'])) return undefined
  const { type } = fields
  if (isNoteType(type)) return parseNote(type, fields)
  // A note of something that has no topics is none, and must not be taken for an event either.
  return type.endsWith('.note') ? undefined : parseEvent(type, fields)
}

export function isNoteType(type: string): type is NoteType {
  return ENTITY_TYPES.some((entity) => type === `${entity}.note`)
}

function parseNote(type: NoteType, fields: JsonFields): WorkNote | undefined {
  const note = textOf(fields['note'], NOTE_LENGTH)
  if (note === null || note.trim() === '') return undefined
  return {
    kind: 'note',
    type,
    from_agent: textOf(fields['from_agent'], AGENT_LENGTH) ?? NOBODY,
    note,
    notify: parseNotify(fields['notify']),
    priority: seedPriorityOf(fields['priority']),
    note_id: textOf(fields['note_id'], ID_LENGTH),
    ts: textOf(fields['ts'], TIME_LENGTH),
  }
}

function parseEvent(type: string, fields: JsonFields): WorkEvent {
  const { type: _type, from_agent, subject, payload, event_id, ts, ...others } = fields
  const rest = Object.keys(others).length > 0 && isJson(others) ? others : null
  return {
    kind: 'event',
    type,
    from_agent: textOf(from_agent, AGENT_LENGTH) ?? NOBODY,
    subject: textOf(subject, SUBJECT_LENGTH),
    payload: payload ?? rest,
    event_id: textOf(event_id, ID_LENGTH),
    ts: textOf(ts, TIME_LENGTH),
  }
}

function parseNotify(value: Json | undefined): readonly string[] {
  if (!Array.isArray(value)) return []
  const slugs = value.filter((each): each is string => typeof each === 'string' && isAgentId(each))
  return [...new Set(slugs)].slice(0, MAX_NOTIFY)
}
