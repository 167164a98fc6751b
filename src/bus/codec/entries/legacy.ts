import type { BusEntry, BusPlace } from '../../../model/bus/entry.ts'
import { canonicalType } from '../aliases.ts'
import type { Source } from './source.ts'

const RECORD = /^\[(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\] ([A-Za-z][A-Za-z0-9_-]{0,63}):[ \t]?/
/** No longer than this is what stands before the body. */
const HEAD_BYTES = 100

/** The older form of an entry: `[YYYY-MM-DD HH:MM:SS] TYPE: body`, on one line, its time taken for UTC. */
export interface LegacyRecord {
  readonly ts: string
  readonly type: string
  readonly bodyAt: number
}

export function readLegacyRecord({ text }: Source, at: number): LegacyRecord | undefined {
  if (text[at] !== '[') return undefined
  const [head = '', day, time, type = ''] = RECORD.exec(text.slice(at, at + HEAD_BYTES)) ?? []
  const ts = `${day}T${time}Z`
  if (head === '' || Number.isNaN(Date.parse(ts))) return undefined
  return { ts, type: canonicalType(type), bodyAt: at + head.length }
}

/** It has no id of its own: it is named for its line, which is the `line`th of its file. */
export function legacyFields(record: LegacyRecord, line: number, place: BusPlace): Omit<BusEntry, 'body'> {
  const { project_id, task_id } = place
  return {
    msg_id: `LEGACY-LINE-${line}`,
    ts: record.ts,
    type: record.type,
    project_id,
    ...(task_id !== undefined && { task_id }),
  }
}
