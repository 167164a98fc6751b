import { nextTurn } from '../../kit/node/event-loop.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import type { BusPage } from '../../model/bus/bus.ts'
import type { BusEntry } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'
import type { ShelfQuery } from '../bus-shelf.ts'
import { lastEntryId } from './end.ts'
import { findId, findLater, type Spot } from './find.ts'
import { readPage, tailSpot } from './page.ts'
import { bytesFor, scanFrom } from './pieces.ts'
import type { Location } from './places.ts'
import type { Positions } from './positions.ts'
import { Volumes } from './volumes.ts'

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
export function readBus(location: Location, query: ShelfQuery, positions: Positions): Promise<BusPage> {
  return withVolumes(location, async (volumes) => {
    const { place } = location
    const { after, tail = 0 } = query
    if (after === undefined) {
      const spot = tail > 0 ? await tailSpot(volumes, tail, place) : beginOf(volumes)
      return readFrom(volumes, spot, location, query, positions)
    }
    const spot = await findId(volumes, after, { place, known: positions.get(place, after) })
    if (!spot) throw new PosternError('BUS_ENTRY_NOT_FOUND', { place: placeName(place), id: after })
    return readFrom(volumes, spot, location, query, positions)
  })
}

/** The same after an entry that may be gone. */
export function readOnBus(
  location: Location,
  query: ShelfQuery & { readonly after: string },
  positions: Positions,
): Promise<BusPage> {
  return withVolumes(location, async (volumes) => {
    const { place } = location
    const { after, ...bounds } = query
    const spot = await findId(volumes, after, { place, known: positions.get(place, after) })
    if (spot) return readFrom(volumes, spot, location, query, positions)
    const page = await readFrom(volumes, findLater(volumes, after, place), location, bounds, positions)
    // Where nothing is later, whoever asked goes on after what is there.
    return { ...page, cursor: page.cursor ?? lastEntryId(volumes, place) ?? null, hasGap: true }
  })
}

/** One entry; undefined where neither it nor the bus need be there. */
export async function findInBus(location: Location, id: string, positions: Positions): Promise<BusEntry | undefined> {
  const { place } = location
  const volumes = new Volumes(location)
  try {
    const spot = await findId(volumes, id, { place, known: positions.get(place, id) })
    const [item] = spot ? scanFrom(spot.volume, spot.offset, place, bytesFor(1)).items : []
    return item?.kind === 'entry' && item.entry.msg_id === id ? item.entry : undefined
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
  positions: Positions,
): Promise<BusPage> {
  if (!spot) return { items: [], cursor: after ?? null, hasMore: false, hasGap: false, faults: [] }
  const { items, faults, hasMore, last } = await readPage(volumes, spot, { place, after, bounds: { limit, maxBytes } })
  await letOthersRun()
  const cursor = items.at(-1)?.msg_id ?? after ?? null
  if (cursor !== null)
    positions.remember(place, cursor, last ?? { identity: spot.volume.identity, offset: spot.offset })
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
