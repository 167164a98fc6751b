import type { BusEntry, BusPlace } from '../../../model/bus/entry.ts'
import { formatLegacyId } from '../../../model/bus/legacy-id.ts'
import { meaningOf } from '../../../model/bus/meaning.ts'
import type { Source } from './source.ts'

/** The time in brackets, with the blanks around it. */
const HEAD = /[ \t]*\[[ \t]*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(Z|[-+]\d\d:?\d\d)?[ \t]*\][ \t]*/y
const TYPE = /([A-Za-z0-9_/-]{1,128})[ \t]*:[ \t]*/y
const UNTYPED = 'INFO'

/**
 * The older form of an entry, on one line: `[time] TYPE: text`, or `[time] text`, which is an INFO. The time is
 * `YYYY-MM-DD HH:MM:SS` or ISO 8601, and UTC where it names no zone. Where nothing follows `TYPE:`, that is the text.
 */
export interface LegacyRecord {
  readonly ts: string
  readonly type: string
  readonly bodyAt: number
  /** The end of the text, without the blanks behind it. */
  readonly bodyEnd: number
}

/** The record on the line at `at`. A line that does not end within the piece is taken to end with it. */
export function readLegacyRecord({ text }: Source, at: number): LegacyRecord | undefined {
  const ts = readTime(text, at)
  if (ts === undefined) return undefined
  const contentAt = HEAD.lastIndex
  const bodyEnd = endOfText(text, contentAt)
  if (bodyEnd === contentAt) return undefined
  TYPE.lastIndex = contentAt
  const [, type] = TYPE.exec(text) ?? []
  if (type === undefined) return { ts, type: UNTYPED, bodyAt: contentAt, bodyEnd }
  return { ts, type: meaningOf(type), bodyAt: TYPE.lastIndex < bodyEnd ? TYPE.lastIndex : contentAt, bodyEnd }
}

function readTime(text: string, at: number): string | undefined {
  HEAD.lastIndex = at
  const [head, day, time, fraction, zone = 'Z'] = HEAD.exec(text) ?? []
  if (head === undefined) return undefined
  const local = `${day}T${time}`
  // The 31st of February is a date for some parsers.
  if (!isTime(local)) return undefined
  const second = new Date(Date.parse(`${local}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`))
  if (Number.isNaN(second.getTime())) return undefined
  return `${second.toISOString().slice(0, -'.000Z'.length)}${fraction === undefined ? '' : `.${fraction}`}Z`
}

function isTime(local: string): boolean {
  const parsed = new Date(`${local}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(local)
}

function endOfText(text: string, from: number): number {
  const lineEnd = text.indexOf('\n', from)
  let end = lineEnd < 0 ? text.length : lineEnd
  while (end > from && BLANKS.includes(text.charAt(end - 1))) end--
  return end
}

const BLANKS = ' \t\r'

/** It has no id of its own: it is named for its line, which is the `line`th of its file. */
export function legacyFields(record: LegacyRecord, line: number, place: BusPlace): Omit<BusEntry, 'body'> {
  const { project_id, task_id } = place
  return {
    msg_id: formatLegacyId(line),
    ts: record.ts,
    type: record.type,
    project_id,
    ...(task_id !== undefined && { task_id }),
  }
}
