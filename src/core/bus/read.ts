import type { BusPage, ReadBus } from '../../model/bus/bus.ts'
import type { BusEntry } from '../../model/bus/entry.ts'
import { canonicalMsgId } from '../../model/bus/legacy-id.ts'
import { placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'
import type { Context } from '../context.ts'
import {
  Faults,
  fetchPages,
  formatCursor,
  inTurn,
  PAGE_BYTES,
  type Position,
  parseCursor,
  type Reading,
} from './pages.ts'
import { readTail } from './tail.ts'
import { type EntryFilter, isFiltered, isWanted, parseWanted, type Wanted } from './wanted.ts'

/** Entries that are looked at in one call at most, however few of them are wanted. */
const MAX_LOOKED_AT = 20_000
const FEWEST = 100

/** Entries in the order of the file, or of two by time. */
export async function readBus(ctx: Context, input: ReadBus): Promise<BusPage> {
  const wanted = parseWanted(input)
  const { shelf } = await ctx.bus()
  const reading: Reading = { shelf, places: wanted.places, isPatient: false }
  if (wanted.tail !== undefined) return readTail(reading, { filter: wanted.filter, tail: wanted.tail })
  return readThrough(reading, await positionOf(reading, wanted), wanted)
}

/** Goes through what comes after a position, until there is enough of it or nothing left. */
export async function readThrough(
  reading: Reading,
  from: Position,
  { filter, limit }: { readonly filter: EntryFilter; readonly limit: number },
): Promise<BusPage> {
  const items: BusEntry[] = []
  const cursors: string[] = []
  const at = [...from]
  let [lookedAt, characters, hasGap] = [0, 0, false]
  const faults = new Faults()
  const answer = (hasMore: boolean): BusPage => ({
    items,
    cursor: formatCursor(at),
    ...(reading.places.length > 1 && { cursors }),
    hasMore,
    hasGap,
    faults: faults.all(),
  })
  for (;;) {
    // Whoever wants few of many still gets them in few rounds.
    const part = { limit: isFiltered(filter) ? Math.max(limit, FEWEST) : limit }
    const pages = await fetchPages(reading, at, part)
    hasGap ||= pages.some((page) => page.hasGap)
    faults.add(pages)
    // Whoever went on after an entry that is gone would be told of the same gap for ever.
    for (const [side, page] of pages.entries())
      if (page.hasGap && page.items.length === 0) at[side] = page.cursor ?? undefined
    for (const { side, entry } of inTurn(pages)) {
      if (items.length === limit) return answer(true)
      at[side] = entry.msg_id
      lookedAt++
      if (!isWanted(entry, filter)) continue
      items.push(entry)
      cursors.push(formatCursor(at) ?? '')
      characters += entry.body.length
    }
    const hasMore = pages.some((page) => page.hasMore)
    const isEnough = items.length === limit || characters >= PAGE_BYTES || lookedAt >= MAX_LOOKED_AT
    if (!hasMore || isEnough || !isFiltered(filter)) return answer(hasMore)
  }
}

/** A cursor of two buses, or the id of an entry. */
export async function positionOf(reading: Reading, { places, after }: Wanted): Promise<Position> {
  if (places.length === 1) return [after === '' ? undefined : canonicalMsgId(after)]
  if (after === '' || after.includes(',')) return parseCursor(after).map((id) => id && canonicalMsgId(id))
  return findInTurn(reading, after)
}

/** Where an entry stands among those of two buses. Nobody who goes on with the cursors that he was given needs this. */
async function findInTurn(reading: Reading, id: string): Promise<Position> {
  const wanted = canonicalMsgId(id)
  let at: (string | undefined)[] = reading.places.map(() => undefined)
  for (;;) {
    const pages = await fetchPages(reading, at, { limit: MAX_LOOKED_AT })
    for (const { side, entry } of inTurn(pages)) {
      at = at.with(side, entry.msg_id)
      if (canonicalMsgId(entry.msg_id) === wanted) return at
    }
    if (pages.some(({ hasMore }) => hasMore)) continue
    const place = reading.places.map(placeName).join(', or of ')
    throw new PosternError('BUS_ENTRY_NOT_FOUND', { place, id })
  }
}
