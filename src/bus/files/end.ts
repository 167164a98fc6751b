import type { BusFault } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { parseMsgId } from '../codec/msg-id.ts'
import type { Scanned } from '../codec/scanned.ts'
import { faultOf, idOf, scanBefore } from './pieces.ts'
import { readAt, type Volume, type Volumes } from './volumes.ts'

/** How a file ends. */
export interface End {
  /** What must be written before something can follow. */
  readonly closing: string
  /** What was left half written. */
  readonly torn: BusFault | undefined
  /** The latest id near the end, by its time. */
  readonly latestId: string | undefined
}

/** Holds a few entries: whoever writes looks only at the last. */
const END_BYTES = 8 * 1024
/** Faults may hide the last entry; beyond so many pieces of them ids are made by the clock alone. */
const MAX_PIECES = 4

/** Looks at the end of a file that nobody else writes to meanwhile. */
export function endOf(volume: Volume, place: BusPlace): End {
  if (volume.size === 0) return { closing: '', torn: undefined, latestId: undefined }
  const batch = scanBefore(volume, volume.size, place, END_BYTES)
  const last = batch.items.at(-1)
  const isTorn = last?.kind === 'fault' && last.closing !== undefined
  return {
    closing: last?.closing ?? (endsLine(volume) ? '' : '\n'),
    torn: isTorn ? faultOf(volume, last) : undefined,
    latestId: latestIdOf(batch.items) ?? latestId(volume, place, batch.start),
  }
}

/** The latest id near the end of a file, or before an item of it. */
export function latestId(volume: Volume, place: BusPlace, before = volume.size): string | undefined {
  let end = before
  for (let piece = 0; piece < MAX_PIECES && end > 0; piece++) {
    const { items, start } = scanBefore(volume, end, place, END_BYTES)
    const found = latestIdOf(items)
    if (found !== undefined) return found
    end = start
  }
  return undefined
}

/** Foreign writers make their ids before they have the lock, so that the last one need not be the latest. */
function latestIdOf(items: readonly Scanned[]): string | undefined {
  let latest: { readonly id: string; readonly time: string } | undefined
  for (const item of items) {
    const id = idOf(item)
    const time = id === undefined ? undefined : parseMsgId(id)?.time
    if (id !== undefined && time !== undefined && time >= (latest?.time ?? '')) latest = { id, time }
  }
  return latest?.id
}

/** The id of the last entry of a bus. */
export function lastEntryId(volumes: Volumes, place: BusPlace): string | undefined {
  for (let volume = volumes.newest; volume; volume = volumes.before(volume)) {
    for (let end = volume.size; end > 0; ) {
      const { items, start } = scanBefore(volume, end, place, END_BYTES)
      const last = items.findLast((item) => item.kind === 'entry')
      if (last) return idOf(last)
      end = start
    }
  }
  return undefined
}

function endsLine(volume: Volume): boolean {
  return readAt(volume, volume.size - 1, 1)[0] === 0x0a
}
