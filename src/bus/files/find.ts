import type { BusPlace } from '../../model/bus/entry.ts'
import { isLegacyId } from '../../model/bus/legacy-id.ts'
import { parseMsgId } from '../codec/msg-id.ts'
import { idAt } from '../codec/scan.ts'
import { bisect, entryFrom, type Stretch, timedFrom } from './bisect.ts'
import { boundPiece, bytesFor, idOf, scanFrom } from './pieces.ts'
import type { Position } from './positions.ts'
import { searchItems, searchText } from './search.ts'
import { readAt, type Volume, type Volumes } from './volumes.ts'

/** Where an item begins, or a file ends. */
export interface Spot {
  readonly volume: Volume
  readonly offset: number
}

/** An entry that was found by its id. */
export interface FoundSpot extends Spot {
  /** An older file holds a one-line record with the same number: either may be meant. */
  readonly isAmbiguous?: true
}

/** Foreign writers make their ids before they have the lock: such an id stands so far from where it belongs. */
const SLACK_BYTES = 256 * 1024
const HEAD_BYTES = 4 * 1024

/**
 * The entry with an id: where it was seen before, else where its time belongs, else anywhere. Of several with one id the
 * last, so that nobody who reads on is led in a circle.
 */
export async function findId(
  volumes: Volumes,
  id: string,
  { place, known }: { readonly place: BusPlace; readonly known: Position | undefined },
): Promise<FoundSpot | undefined> {
  const found = (known && checkKnown(volumes, id, known, place)) ?? findByTime(volumes, id, place)
  if (found) return found
  for (let volume = volumes.newest; volume; volume = volumes.before(volume)) {
    const offset = await search(volume, id, place)
    if (offset !== undefined) return markTwin(volumes, { volume, offset }, id, place)
  }
  return undefined
}

/** One-line records are named for the lines of their files, so that two files may hold one number. */
async function markTwin(volumes: Volumes, spot: Spot, id: string, place: BusPlace): Promise<FoundSpot> {
  let older = isLegacyId(id) ? volumes.before(spot.volume) : undefined
  while (older && (await search(older, id, place)) === undefined) older = volumes.before(older)
  return older ? { ...spot, isAmbiguous: true } : spot
}

/** Letters and digits stand in a header as they are; what else there is in an id may be quoted, and must be read. */
async function search(volume: Volume, id: string, place: BusPlace): Promise<number | undefined> {
  const isPlain = /^[\w.:@+-]+$/.test(id) && !isLegacyId(id)
  return isPlain ? searchText(volume, id) : searchItems(volume, id, place)
}

/** Where an entry with an id that is gone would be followed: the first one that is not earlier. */
export function findLater(volumes: Volumes, id: string, place: BusPlace): Spot | undefined {
  const time = parseMsgId(id)?.time
  const volume = time === undefined ? undefined : volumeOfTime(volumes, time)
  if (time === undefined || volume === undefined) return volumes.oldest && { volume: volumes.oldest, offset: 0 }
  const offset = walk(volume, bisect(volume, time), place, (found) => {
    const later = found === undefined ? undefined : parseMsgId(found)?.time
    return later !== undefined && later >= time ? 'stop' : 'go on'
  })
  return { volume, offset: offset ?? volume.size }
}

function checkKnown(volumes: Volumes, id: string, { identity, offset }: Position, place: BusPlace): Spot | undefined {
  const volume = volumes.byIdentity(identity)
  if (!volume) return undefined
  const isThere = idAt(readAt(volume, offset, HEAD_BYTES), 0) === id || isItemAt(volume, id, offset, place)
  return isThere ? { volume, offset } : undefined
}

function isItemAt(volume: Volume, id: string, offset: number, place: BusPlace): boolean {
  const isUntimed = offset < volume.size && parseMsgId(id) === undefined
  const [item] = isUntimed ? scanFrom(volume, offset, place, bytesFor(1)).items : []
  return item !== undefined && item.start === offset && idOf(item) === id
}

function findByTime(volumes: Volumes, id: string, place: BusPlace): Spot | undefined {
  const time = parseMsgId(id)?.time
  const volume = time === undefined ? undefined : volumeOfTime(volumes, time)
  if (time === undefined || volume === undefined) return undefined
  const near = bisect(volume, time)
  const offset = lookFor(volume, near, id, place) ?? lookFor(volume, widen(volume, near), id, place)
  return offset === undefined ? undefined : { volume, offset }
}

/** The newest file that begins before a time. */
function volumeOfTime(volumes: Volumes, time: string): Volume | undefined {
  for (let volume = volumes.newest; volume; volume = volumes.before(volume)) {
    const first = timedFrom(volume, 0, volume.size)
    if (first && first.time <= time) return volume
  }
  return undefined
}

function widen(volume: Volume, { from, to }: Stretch): Stretch {
  const begin = Math.max(0, from - SLACK_BYTES)
  return { from: begin === 0 ? 0 : (entryFrom(volume, begin, from)?.offset ?? from), to: to + SLACK_BYTES }
}

function lookFor(volume: Volume, stretch: Stretch, id: string, place: BusPlace): number | undefined {
  let last: number | undefined
  walk(volume, stretch, place, (found, offset) => {
    if (found === id) last = offset
    return 'go on'
  })
  return last
}

/** Goes through the items that begin in a part of a file; says where it was stopped. */
function walk(
  volume: Volume,
  { from, to }: Stretch,
  place: BusPlace,
  visit: (id: string | undefined, offset: number) => 'go on' | 'stop',
): number | undefined {
  for (let at = from; at < volume.size && at <= to; ) {
    const { items, next } = scanFrom(volume, at, place, boundPiece(to - at))
    for (const item of items) {
      if (item.start > to) return undefined
      if (visit(idOf(item), item.start) === 'stop') return item.start
    }
    if (next <= at) break
    at = next
  }
  return undefined
}
