import { nextTurn } from '../../kit/node/event-loop.ts'
import { BUS_LIMITS, type BusPlace } from '../../model/bus/entry.ts'
import { idAt } from '../codec/scan.ts'
import { idOf, scanFrom } from './pieces.ts'
import { readAt, type Volume } from './volumes.ts'

const CHUNK_BYTES = 1024 * 1024
const BYTE_ORDER_MARK = '\uFEFF'
/** A header, and the line before it. */
const OVERLAP_BYTES = BUS_LIMITS.headerBytes + 64

/**
 * The last entry with an id in a file in which it may be anywhere: all of it is read, but only what has that id in its
 * text is looked at.
 */
export async function searchText(volume: Volume, id: string): Promise<number | undefined> {
  const wanted = Buffer.from(id)
  let last: number | undefined
  for (let at = 0; at < volume.size; at += CHUNK_BYTES) {
    const from = Math.max(0, at - OVERLAP_BYTES)
    const bytes = readAt(volume, from, at + CHUNK_BYTES - from)
    if (bytes.length === 0) break
    const found = lastWith(bytes, wanted, id, from === 0)
    if (found !== undefined) last = from + found
    await nextTurn()
  }
  return last
}

function lastWith(bytes: Buffer, wanted: Buffer, id: string, isBegin: boolean): number | undefined {
  let looked = -1
  for (let hit = bytes.lastIndexOf(wanted); hit >= 0; hit = bytes.lastIndexOf(wanted, hit - 1)) {
    const begin = headerBefore(bytes, hit, isBegin)
    // Its id may stand in a header several times.
    if (begin !== undefined && begin !== looked && idAt(bytes, begin) === id) return begin
    looked = begin ?? looked
    if (hit === 0) break
  }
  return undefined
}

/** The nearest line before it that may begin a header. */
function headerBefore(bytes: Buffer, hit: number, isBegin: boolean): number | undefined {
  const rule = bytes.lastIndexOf('\n---', hit)
  if (rule >= 0) return rule + 1
  const first = bytes.indexOf('---')
  return isBegin && (first === 0 || (first === 3 && bytes.indexOf(BYTE_ORDER_MARK) === 0)) ? first : undefined
}

/**
 * The last item with an id that its text does not show: an older record, which is named for its line, or an entry whose
 * writer has quoted it. Every item is read.
 */
export async function searchItems(volume: Volume, id: string, place: BusPlace): Promise<number | undefined> {
  let last: number | undefined
  for (let at = 0; at < volume.size; ) {
    const { items, next } = scanFrom(volume, at, place)
    last = items.findLast((item) => idOf(item) === id)?.start ?? last
    if (next <= at) break
    at = next
    await nextTurn()
  }
  return last
}
