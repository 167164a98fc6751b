import { BUS_LIMITS } from '../../model/bus/entry.ts'
import { parseMsgId } from '../codec/msg-id.ts'
import { findEntry, idAt } from '../codec/scan.ts'
import { MAX_ITEM_BYTES } from '../codec/scanned.ts'
import { readAt, type Volume } from './volumes.ts'

/** An entry whose id has a time. */
export interface Timed {
  readonly offset: number
  readonly time: string
}

interface Found {
  readonly offset: number
  readonly id: string | undefined
}

/** Part of a file, from the beginning of an entry that is earlier than what is sought to one that is not. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

const PROBE_BYTES = 4 * 1024
const GROWTH = 8
/** What is left is read at once. */
const CLOSE_BYTES = 4 * 1024
const MAX_UNTIMED = 16

/**
 * Finds out by the times in the ids where a time belongs in a file whose ids rise. In any other file it leads somewhere,
 * so what is found there must be looked at.
 */
export function bisect(volume: Volume, time: string): Stretch {
  let from = 0
  let to = volume.size
  let end = volume.size
  while (end - from > CLOSE_BYTES) {
    const middle = from + Math.floor((end - from) / 2)
    const probe = timedFrom(volume, middle, end)
    if (probe && probe.time < time) from = probe.offset
    else {
      end = middle
      to = probe?.offset ?? to
    }
  }
  return { from, to }
}

/** The first entry with a time that begins in a part of a file; ids of other forms are passed over, up to a number. */
export function timedFrom(volume: Volume, from: number, end: number): Timed | undefined {
  let at = from
  for (let tries = 0; tries < MAX_UNTIMED && at < end; tries++) {
    const found = entryFrom(volume, at, end)
    if (!found) return undefined
    const time = found.id === undefined ? undefined : parseMsgId(found.id)?.time
    if (time !== undefined) return { offset: found.offset, time }
    at = found.offset + 1
  }
  return undefined
}

/** The first entry that begins in a part of a file. */
export function entryFrom(volume: Volume, from: number, end: number): Found | undefined {
  const lead = Math.min(from, 1)
  const most = Math.min(end - from + BUS_LIMITS.headerBytes, MAX_ITEM_BYTES)
  for (let length = PROBE_BYTES; ; length = Math.min(length * GROWTH, most)) {
    const bytes = readAt(volume, from - lead, length + lead)
    const at = findEntry(bytes, lead)
    const offset = from - lead + at
    if (at >= 0) return offset < end ? { offset, id: idAt(bytes, at) } : undefined
    if (length >= most || bytes.length < length) return undefined
  }
}
