import type { BusPage } from '../../model/bus/bus.ts'
import { formatCursor } from '../../model/bus/cursor-text.ts'
import type { BusEntry } from '../../model/bus/entry.ts'
import { toWire } from '../../model/network/wire-json.ts'
import type { Bundle } from '../events/frame.ts'

/** The entries of a page as they go over the wire, each with the cursor by which a client goes on after it. */
export function formatEntries({ items, cursors }: BusPage): readonly Bundle[] {
  return items.map((entry, at) => formatEntry(entry, cursors?.[at] ?? entry.msg_id))
}

/** The whole entry, and what seed 002 calls its body and its time in a stream. */
function formatEntry(entry: BusEntry, cursor: string): Bundle {
  const data = JSON.stringify(toWire({ ...entry, content: entry.body, timestamp: entry.ts }))
  return { cursor, bytes: Buffer.from(`${idLine(cursor)}event: message\ndata: ${data}\n\n`) }
}

/** Says that entries after a cursor may have been missed. Whoever is cut off now is told so again. */
export function formatGap(after: string, at: number): Buffer {
  return Buffer.from(`event: gap\ndata: ${JSON.stringify({ after, timestamp: timeOf(at) })}\n\n`)
}

/** A sign of life; with an id where entries went by that the client does not want. */
export function formatHeartbeat(at: number, cursor: string | undefined): Buffer {
  const id = cursor === undefined ? '' : idLine(cursor)
  return Buffer.from(`${id}event: heartbeat\ndata: ${JSON.stringify({ timestamp: timeOf(at) })}\n\n`)
}

/** Where the client is, which it takes over without a word. */
export function formatPlace(cursor: string): Buffer {
  return Buffer.from(`${idLine(cursor)}\n`)
}

/** Whoever could not say where it was if it came back is not told so: it goes on from before. */
function idLine(cursor: string): string {
  const id = formatCursor(cursor)
  return id === undefined ? '' : `id: ${id}\n`
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
