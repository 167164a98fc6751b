import type { BusShelf, ShelfQuery } from '../../bus/bus-shelf.ts'
import type { BusFault, BusPage } from '../../model/bus/bus.ts'
import { type BusEntry, type BusPlace, entryTime } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'

/** One page is no larger, whatever was asked for. */
export const PAGE_BYTES = 8 * 1024 * 1024

/** Where somebody reads on in one bus or two: after an entry of each, or from its beginning. */
export type Position = readonly (string | undefined)[]

export interface Reading {
  readonly shelf: BusShelf
  readonly places: readonly BusPlace[]
  /** True for whoever follows: what is not there may still come, and what is gone is no reason to stop. */
  readonly isPatient: boolean
}

export type Part = Pick<ShelfQuery, 'limit' | 'tail'>

const NOTHING: BusPage = { items: [], cursor: null, hasMore: false, hasGap: false, faults: [] }

/** A page of each bus. Where there are two, one of them need not exist. */
export async function fetchPages(reading: Reading, from: Position, part: Part): Promise<readonly BusPage[]> {
  const { places, isPatient } = reading
  const found = await Promise.all(places.map((place, side) => fetchPage(reading, place, from[side], part)))
  if (!isPatient && found.every((page) => page === undefined)) throw nowhere(places)
  return found.map((page) => page ?? NOTHING)
}

async function fetchPage(
  { shelf, places, isPatient }: Reading,
  place: BusPlace,
  after: string | undefined,
  part: Part,
): Promise<BusPage | undefined> {
  const query = { ...part, maxBytes: Math.floor(PAGE_BYTES / places.length) }
  try {
    if (after === undefined) return await shelf.read(place, query)
    return await (isPatient ? shelf.readOn(place, { ...query, after }) : shelf.read(place, { ...query, after }))
  } catch (error) {
    if (error instanceof PosternError && error.code === 'BUS_NOT_FOUND') return undefined
    throw error
  }
}

function nowhere(places: readonly BusPlace[]): PosternError {
  const place = places.at(-1)
  return new PosternError('BUS_NOT_FOUND', { place: place ? placeName(place) : '' })
}

export interface Turn {
  readonly side: number
  readonly entry: BusEntry
}

/**
 * The entries of the pages by time, those of each bus in its own order, so that no cursor ever passes one that comes late.
 * It stops where it is not known which is next.
 */
export function* inTurn(pages: readonly BusPage[]): Generator<Turn> {
  const taken = pages.map(() => 0)
  for (;;) {
    const heads = pages.map(({ items }, side) => items[taken[side] ?? 0])
    if (heads.some((head, side) => !head && pages[side]?.hasMore)) return
    const turn = earliest(heads)
    if (!turn) return
    taken[turn.side] = (taken[turn.side] ?? 0) + 1
    yield turn
  }
}

function earliest(heads: readonly (BusEntry | undefined)[]): Turn | undefined {
  let first: Turn | undefined
  for (const [side, entry] of heads.entries())
    if (entry && (!first || isBefore(entry, first.entry))) first = { side, entry }
  return first
}

/** By time, then by id. What has no readable time comes first: nothing may wait for it. */
function isBefore(one: BusEntry, other: BusEntry): boolean {
  const [left, right] = [entryTime(one), entryTime(other)]
  return left === right ? one.msg_id < other.msg_id : left < right
}

/**
 * Of one bus the id of an entry; of two the ids of both, with a comma between. Null where there is none yet. Other programs
 * may have written ids with commas in them, which are escaped there.
 */
export function formatCursor(position: Position): string | null {
  if (position.every((id) => id === undefined)) return null
  if (position.length === 1) return position[0] ?? null
  return position.map((id = '') => id.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')
}

/** The position of two buses that a cursor stands for. */
export function parseCursor(cursor: string): Position {
  const [project = '', task = ''] = cursor.split(',')
  return [project, task].map((id) => id.replaceAll('%2C', ',').replaceAll('%25', '%') || undefined)
}

/** So many are told of at once; `verify` tells of more. */
const MAX_FAULTS = 1_000

/** What is wrong with the files, each told once, however often the same part of one was read. */
export class Faults {
  readonly #told = new Map<string, BusFault>()

  add(pages: readonly BusPage[]): void {
    for (const { faults } of pages)
      for (const fault of faults)
        if (this.#told.size < MAX_FAULTS) this.#told.set(`${fault.file}:${fault.offset}`, fault)
  }

  all(): readonly BusFault[] {
    return [...this.#told.values()]
  }
}
