import type { BusFault } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { canonicalMsgId } from '../../model/bus/legacy-id.ts'
import { findEntry, scan } from '../codec/scan.ts'
import { MAX_ITEM_BYTES, type Piece, type Scan, type Scanned, type ScannedFault } from '../codec/scanned.ts'
import { readAt, type Volume } from './volumes.ts'

/** Holds a hundred entries of the usual size. */
export const PIECE_BYTES = 64 * 1024
const LEAST_BYTES = 4 * 1024
const USUAL_BYTES = 512
const GROWTH = 8
const COUNT_BYTES = 1024 * 1024
const LINE_BREAK = 0x0a

/** How much to read for so many entries, if they are as large as most: what is read is looked at, too. */
export function bytesFor(entries: number): number {
  return boundPiece((entries + 1) * USUAL_BYTES)
}

/** The size of a piece that holds so many bytes, or some of them. */
export function boundPiece(bytes: number): number {
  return Math.min(Math.max(bytes, LEAST_BYTES), PIECE_BYTES)
}

/** The items that begin at an offset, as many as a piece holds; at least one, unless nothing is left but blank lines. */
export function scanFrom(volume: Volume, offset: number, place: BusPlace, pieceBytes = PIECE_BYTES): Scan {
  return scanPieces(volume, offset, place, { pieceBytes })
}

/** The same, with faults for entries whose headers were edited. */
export function scanStrictly(volume: Volume, offset: number, place: BusPlace): Scan {
  return scanPieces(volume, offset, place, { pieceBytes: PIECE_BYTES, checksHeaders: true })
}

interface Scanning extends Pick<Piece, 'checksHeaders'> {
  readonly pieceBytes: number
}

function scanPieces(volume: Volume, offset: number, place: BusPlace, { pieceBytes, ...how }: Scanning): Scan {
  for (let length = pieceBytes; ; length = Math.min(length * GROWTH, MAX_ITEM_BYTES)) {
    const bytes = readAt(volume, offset, length)
    const isLast = bytes.length < length || offset + bytes.length >= volume.size
    const found = scan({ ...how, bytes, offset, isLast, line: () => linesBefore(volume, offset) }, place)
    if (found.next > offset || isLast) return found
  }
}

/** Items that end at an offset, in the order of the file. */
export interface Batch {
  readonly items: readonly Scanned[]
  /** Where the first one begins; 0 where nothing is left before it. */
  readonly start: number
}

/**
 * The items before an offset, which is the end of the file or the beginning of an item. Where nothing begins an entry
 * within the size of the largest one, those lines belong to none, and are taken as they come.
 */
export function scanBefore(volume: Volume, end: number, place: BusPlace, pieceBytes = PIECE_BYTES): Batch {
  for (let length = pieceBytes; ; length = Math.min(length * GROWTH, MAX_ITEM_BYTES)) {
    const from = Math.max(0, end - length)
    // With the byte before it, by which the beginning of a line is known.
    const lead = Math.min(from, 1)
    const bytes = readAt(volume, from - lead, end - from + lead)
    const found = from === 0 ? 0 : findEntry(bytes, lead)
    if (found < 0 && length < MAX_ITEM_BYTES) continue
    const at = found < 0 ? afterFirstLine(bytes) : found
    const start = from - lead + at
    const piece = { bytes: bytes.subarray(at), offset: start, isLast: true }
    return { items: scan({ ...piece, line: () => linesBefore(volume, start) }, place).items, start }
  }
}

/** 0 where that is all there is: whoever goes back through a file must get on. */
function afterFirstLine(bytes: Buffer): number {
  const after = bytes.indexOf(LINE_BREAK) + 1
  return after < bytes.length ? after : 0
}

/** A fault as it is told. */
export function faultOf({ name }: Volume, { start, end, reason, msgId }: ScannedFault): BusFault {
  return { file: name, offset: start, bytes: end - start, ...(msgId !== undefined && { msg_id: msgId }), reason }
}

export function idOf(item: Scanned): string | undefined {
  const id = item.kind === 'entry' ? item.entry.msg_id : item.msgId
  return id === undefined ? undefined : canonicalMsgId(id)
}

/** How far lines were counted, so that nobody who reads on counts them again. */
const counted = new WeakMap<Volume, { readonly offset: number; readonly lines: number }>()

/** Only older one-line records are named for their lines, so this is seldom asked. */
function linesBefore(volume: Volume, offset: number): number {
  const known = counted.get(volume)
  let { offset: at, lines } = known && known.offset <= offset ? known : { offset: 0, lines: 0 }
  while (at < offset) {
    const bytes = readAt(volume, at, Math.min(COUNT_BYTES, offset - at))
    if (bytes.length === 0) break
    for (let found = bytes.indexOf(LINE_BREAK); found >= 0; found = bytes.indexOf(LINE_BREAK, found + 1)) lines++
    at += bytes.length
  }
  counted.set(volume, { offset: at, lines })
  return lines
}
