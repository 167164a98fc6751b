import { nextTurn } from '../../kit/node/event-loop.ts'
import type { BusFault } from '../../model/bus/bus.ts'
import type { BusEntry, BusPlace } from '../../model/bus/entry.ts'
import type { Scanned, ScannedEntry } from '../codec/scanned.ts'
import type { Spot } from './find.ts'
import { bytesFor, faultOf, idOf, PIECE_BYTES, scanBefore, scanFrom } from './pieces.ts'
import type { Position } from './positions.ts'
import { awaitFinished, isUnfinished } from './unfinished.ts'
import type { Volume, Volumes } from './volumes.ts'

export interface PageBounds {
  readonly limit: number
  readonly maxBytes: number
}

/** Entries from a spot on. */
export interface Page {
  readonly items: readonly BusEntry[]
  readonly faults: readonly BusFault[]
  readonly hasMore: boolean
  /** Where the last of them begins. */
  readonly last: Position | undefined
}

export interface PageQuery {
  readonly place: BusPlace
  readonly bounds: PageBounds
  readonly after?: string | undefined
  readonly prove: Prove
}

/** An entry with what Postern can prove of it. */
type Prove = (item: ScannedEntry) => BusEntry

/** What a page may tell of a file that is nothing but faults. */
export const MAX_FAULTS = 1_000

/** Reads entries from a spot on, without the one with the id `after`, which stands there. */
export async function readPage(
  volumes: Volumes,
  start: Spot,
  { place, bounds, after, prove }: PageQuery,
): Promise<Page> {
  const builder = new PageBuilder(bounds, prove)
  let isFirst = after !== undefined
  // With the entry before it, and the one that tells that there are more.
  let pieceBytes = bytesFor(bounds.limit + 2)
  let offset = start.offset
  for (let volume: Volume | undefined = start.volume; volume && !builder.isFull; ) {
    const { items, next } = scanFrom(volume, offset, place, pieceBytes)
    pieceBytes = PIECE_BYTES
    for (const item of items) {
      const isPassed = isFirst && idOf(item) === after
      isFirst = false
      if (isPassed) continue
      const whole = isUnfinished(item) ? await awaitFinished(item, volume, place) : item
      if (whole) builder.add(whole, volume)
    }
    if (next > offset && next < volume.size) {
      offset = next
      await nextTurn()
    } else {
      volume = volumes.after(volume)
      offset = 0
    }
  }
  return builder.page()
}

/** Where the last so many entries begin; where there are fewer, where the first one does. */
export async function tailSpot(volumes: Volumes, count: number, place: BusPlace): Promise<Spot | undefined> {
  let spot: Spot | undefined
  let left = count
  let pieceBytes = bytesFor(count)
  for (let volume = volumes.newest; volume; volume = volumes.before(volume)) {
    for (let end = volume.size; end > 0; ) {
      const { items, start } = scanBefore(volume, end, place, pieceBytes)
      pieceBytes = PIECE_BYTES
      const entries = items.filter((item) => item.kind === 'entry')
      const first = entries.at(-left)
      if (first) return { volume, offset: first.start }
      left -= entries.length
      end = start
      await nextTurn()
    }
    spot = { volume, offset: 0 }
  }
  return spot
}

class PageBuilder {
  isFull = false
  readonly #bounds: PageBounds
  readonly #prove: Prove
  readonly #items: BusEntry[] = []
  readonly #faults: BusFault[] = []
  #bytes = 0
  #volume: Volume | undefined
  #start = 0

  constructor(bounds: PageBounds, prove: Prove) {
    this.#bounds = bounds
    this.#prove = prove
  }

  add(item: Scanned, volume: Volume): void {
    if (this.isFull) return
    if (item.kind === 'fault') {
      if (this.#faults.length < MAX_FAULTS) this.#faults.push(faultOf(volume, item))
      return
    }
    const bytes = item.end - item.start
    const isOver = this.#bytes + bytes > this.#bounds.maxBytes && this.#items.length > 0
    this.isFull = isOver || this.#items.length >= this.#bounds.limit
    if (this.isFull) return
    this.#bytes += bytes
    this.#items.push(this.#prove(item))
    this.#volume = volume
    this.#start = item.start
  }

  page(): Page {
    const last = this.#volume && { identity: this.#volume.identity, offset: this.#start }
    return { items: this.#items, faults: this.#faults, hasMore: this.isFull, last }
  }
}
