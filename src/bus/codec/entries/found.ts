import type { BusEntry } from '../../../model/bus/entry.ts'
import type { ScannedEntry, ScannedFault } from '../scanned.ts'
import type { Said } from './frame.ts'
import type { Source } from './source.ts'

type Unsaid = { -readonly [K in keyof BusEntry as Exclude<K, 'body'>]: BusEntry[K] } & { body?: string }

/** What stands between two places. */
export interface Extent {
  readonly at: number
  readonly end: number
  /** How it must be closed before something is written after it. */
  readonly closing?: string | undefined
}

export function foundEntry({ offset }: Source, { at, end, closing }: Extent, fields: Unsaid, said: Said): ScannedEntry {
  if (typeof said === 'string') fields.body = said
  else {
    fields.body = said.toString()
    fields.body_base64 = said.toString('base64')
  }
  const entry = fields as BusEntry
  if (closing === undefined) return { kind: 'entry', start: offset + at, end: offset + end, entry }
  return { kind: 'entry', start: offset + at, end: offset + end, entry, closing }
}

export function foundFault({ offset }: Source, extent: Extent, reason: string, msgId?: string): ScannedFault {
  const { at, end, closing } = extent
  return {
    kind: 'fault',
    start: offset + at,
    end: offset + end,
    reason,
    ...(msgId !== undefined && { msgId }),
    ...(closing !== undefined && { closing }),
  }
}
