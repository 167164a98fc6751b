import type { BusPage } from '../../model/bus/bus.ts'
import type { BusEntry } from '../../model/bus/entry.ts'
import { Faults, fetchPages, formatCursor, inTurn, type Position, type Reading } from './pages.ts'
import { type EntryFilter, isFiltered, isWanted } from './wanted.ts'

interface Tail {
  readonly filter: EntryFilter
  readonly tail: number
}

/** An entry, and where one stands after it. */
interface Step {
  readonly entry: BusEntry
  readonly at: Position
}

/** Where only some are wanted, so many times more are looked at before everything is. */
const REACH = 10
const LEAST_REACH = 1_000
const SCAN = 5_000

/** The last entries, or the last of those that are wanted. */
export async function readTail(reading: Reading, { filter, tail }: Tail): Promise<BusPage> {
  const reach = isFiltered(filter) ? Math.max(tail * REACH, LEAST_REACH) : tail
  const isPlain = reading.places.length === 1 && !isFiltered(filter)
  const { pages, from } = isPlain
    ? { pages: await fetchPages(reading, [], { limit: reach, tail: reach }), from: [] }
    : await fetchTails(reading, reach)
  const { steps, at } = stepThrough(pages, from)
  const faults = new Faults()
  faults.add(pages)
  if (pages.some(({ hasMore }) => hasMore)) {
    // The last ones are too large for one page: it begins with the first of them, and the rest comes after it.
    return isFiltered(filter)
      ? scanForTail(reading, { filter, tail })
      : { ...pageOf(reading, steps, { at, faults }), hasMore: true }
  }
  const wanted = steps.filter(({ entry }) => isWanted(entry, filter)).slice(-tail)
  const isEnough = wanted.length === tail || !isFiltered(filter) || from.every((id) => id === undefined)
  return isEnough ? pageOf(reading, wanted, { at, faults }) : scanForTail(reading, { filter, tail })
}

/** Reads everything and keeps the last ones: what is rare may stand anywhere. */
async function scanForTail(reading: Reading, { filter, tail }: Tail): Promise<BusPage> {
  const faults = new Faults()
  let found: readonly Step[] = []
  let from: Position = []
  for (;;) {
    const pages = await fetchPages(reading, from, { limit: SCAN })
    faults.add(pages)
    const { steps, at } = stepThrough(pages, from)
    found = [...found, ...steps.filter(({ entry }) => isWanted(entry, filter))].slice(-tail)
    if (!pages.some(({ hasMore }) => hasMore)) return pageOf(reading, found, { at, faults })
    from = at
  }
}

function stepThrough(pages: readonly BusPage[], from: Position): { readonly steps: readonly Step[]; at: Position } {
  let at: readonly (string | undefined)[] = pages.map((_, side) => from[side])
  const steps = [...inTurn(pages)].map(({ side, entry }): Step => {
    at = at.with(side, entry.msg_id)
    return { entry, at }
  })
  return { steps, at }
}

/** The last entries of each bus, and the one before them: undefined where they are all there are. */
async function fetchTails(
  reading: Reading,
  reach: number,
): Promise<{ readonly pages: readonly BusPage[]; readonly from: Position }> {
  const pages = await fetchPages(reading, [], { limit: reach + 1, tail: reach + 1 })
  const firsts = await fetchPages(reading, [], { limit: 1 })
  const from = pages.map(({ items }, side) => {
    const isWhole = items.length <= reach && items[0]?.msg_id === firsts[side]?.items[0]?.msg_id
    return isWhole ? undefined : items[0]?.msg_id
  })
  const tails = pages.map((page, side) => (from[side] === undefined ? page : { ...page, items: page.items.slice(1) }))
  return { pages: tails, from }
}

function pageOf(
  reading: Reading,
  steps: readonly Step[],
  { at, faults }: { readonly at: Position; readonly faults: Faults },
): BusPage {
  return {
    items: steps.map(({ entry }) => entry),
    cursor: formatCursor(at),
    ...(reading.places.length > 1 && { cursors: steps.map((step) => formatCursor(step.at) ?? '') }),
    hasMore: false,
    hasGap: false,
    faults: faults.all(),
  }
}
