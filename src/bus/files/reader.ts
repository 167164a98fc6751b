import { nextTurn } from '../../kit/node/event-loop.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import type { BusPage } from '../../model/bus/bus.ts'
import type { BusEntry } from '../../model/bus/entry.ts'
import { canonicalMsgId } from '../../model/bus/legacy-id.ts'
import { placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'
import type { ShelfQuery } from '../bus-shelf.ts'
import { createProver, type MacKeys } from '../codec/mac.ts'
import { lastEntryId } from './end.ts'
import { type FoundSpot, findId, findLater, type Spot } from './find.ts'
import { type PageBounds, readPage, tailSpot } from './page.ts'
import { bytesFor, idOf, scanFrom } from './pieces.ts'
import type { Location } from './places.ts'
import type { Positions } from './positions.ts'
import { Volumes } from './volumes.ts'

/** What the reads of a process share. */
export interface ReadState {
  readonly positions: Positions
  readonly macKeys: MacKeys | undefined
}

/** Opens the files of a bus that is there, for as long as something is done with them. */
export async function withVolumes<T>(location: Location, act: (volumes: Volumes) => Promise<T>): Promise<T> {
  const volumes = new Volumes(location)
  try {
    if (!volumes.newest) throw new PosternError('BUS_NOT_FOUND', { place: placeName(location.place) })
    return await act(volumes)
  } finally {
    volumes.close()
  }
}

/** Reads a page after an entry that must be there, or of the last entries, or from the beginning. */
export function readBus(location: Location, query: ShelfQuery, state: ReadState): Promise<BusPage> {
  return withVolumes(location, async (volumes) => {
    const { place } = location
    const { after, tail = 0, ...bounds } = query
    if (after === undefined) {
      const spot = tail > 0 ? await tailSpot(volumes, tail, place) : beginOf(volumes)
      return readFrom(volumes, spot, location, query, state)
    }
    const page = await readAfter(volumes, canonicalMsgId(after), location, bounds, state)
    if (!page) throw new PosternError('BUS_ENTRY_NOT_FOUND', { place: placeName(place), id: after })
    return page
  })
}

/** The same after an entry that may be gone. */
export function readOnBus(
  location: Location,
  query: ShelfQuery & { readonly after: string },
  state: ReadState,
): Promise<BusPage> {
  return withVolumes(location, async (volumes) => {
    const { place } = location
    const { after, ...bounds } = query
    const known = await readAfter(volumes, canonicalMsgId(after), location, bounds, state)
    if (known) return known
    const page = await readFrom(volumes, findLater(volumes, after, place), location, bounds, state)
    // Where nothing is later, whoever asked goes on after what is there.
    return { ...page, cursor: page.cursor ?? lastEntryId(volumes, place) ?? null, hasGap: true }
  })
}

/** A page after an entry; undefined where the bus does not have it. */
async function readAfter(
  volumes: Volumes,
  after: string,
  location: Location,
  bounds: PageBounds,
  state: ReadState,
): Promise<BusPage | undefined> {
  const { place } = location
  const spot: FoundSpot | undefined = await findId(volumes, after, { place, known: state.positions.get(place, after) })
  if (!spot) return undefined
  const page = await readFrom(volumes, spot, location, { ...bounds, after }, state)
  return spot.isAmbiguous ? { ...page, hasGap: true } : page
}

/** One entry; undefined where neither it nor the bus need be there. */
export async function findInBus(location: Location, msgId: string, state: ReadState): Promise<BusEntry | undefined> {
  const { place } = location
  const id = canonicalMsgId(msgId)
  const volumes = new Volumes(location)
  try {
    const spot = await findId(volumes, id, { place, known: state.positions.get(place, id) })
    const [item] = spot ? scanFrom(spot.volume, spot.offset, place, bytesFor(1)).items : []
    return item?.kind === 'entry' && idOf(item) === id ? createProver(place, state.macKeys)(item) : undefined
  } finally {
    volumes.close()
  }
}

function beginOf({ oldest }: Volumes): Spot | undefined {
  return oldest && { volume: oldest, offset: 0 }
}

async function readFrom(
  volumes: Volumes,
  spot: Spot | undefined,
  { place }: Location,
  { after, limit, maxBytes }: ShelfQuery,
  { positions, macKeys }: ReadState,
): Promise<BusPage> {
  if (!spot) return { items: [], cursor: after ?? null, hasMore: false, hasGap: false, faults: [] }
  const prove = createProver(place, macKeys)
  const wanted = { place, after, bounds: { limit, maxBytes }, prove }
  const { items, faults, hasMore, last } = await readPage(volumes, spot, wanted)
  await letOthersRun()
  const cursor = items.at(-1)?.msg_id ?? after ?? null
  if (cursor !== null)
    positions.remember(place, canonicalMsgId(cursor), last ?? { identity: spot.volume.identity, offset: spot.offset })
  return { items, cursor, hasMore, hasGap: false, faults }
}

/** Nothing else of the process waits for longer, though whoever follows a busy bus always finds something. */
const MAX_BUSY_MS = 2
let yieldedAt = 0

async function letOthersRun(): Promise<void> {
  if (monotonicMs() - yieldedAt <= MAX_BUSY_MS) return
  await nextTurn()
  yieldedAt = monotonicMs()
}
