import type { BusShelf } from '../../bus/bus-shelf.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { BusPage } from '../../model/bus/bus.ts'
import { type BusEntry, type BusPlace, entryTime } from '../../model/bus/entry.ts'
import { meaningOf } from '../../model/bus/meaning.ts'
import type { Json } from '../../model/json.ts'
import type { Session } from '../../model/session.ts'
import type { Context } from '../context.ts'

/** So many of the last entries are looked at, then more of them, until the session had not begun. */
const FEW = 100
const MANY = 10_000
const MORE = 10
const PAGE_BYTES = 4 * 1024 * 1024

/** Times on a bus are whole seconds. */
const SECOND_MS = 1_000

/** What a runner says of a run, the agent has not said. */
const LIFECYCLE = ['START', 'STOP', 'CRASH']

interface Asked {
  readonly agent: string
  readonly session: Session | undefined
  readonly timeoutMs: number
}

/**
 * Whether the bus of the task has heard of this session. Where there is no bus, there is nobody to tell; and where it
 * cannot be read, or not in time, the agent is not to blame.
 */
export async function hasTaskUpdate(ctx: Context, { agent, session, timeoutMs }: Asked): Promise<boolean> {
  // The folder of a session is one of its machine.
  if (session?.machine !== ctx.machine.name) return true
  const deadline = ctx.store.now() + timeoutMs
  const since = Math.floor(session.startedAt / SECOND_MS) * SECOND_MS
  try {
    const buses = await ctx.bus()
    const isTold = await buses.around(session.project, async (shelf, place) => {
      for (let tail = FEW; ; tail *= MORE) {
        const { writers, isWhole } = await writersSince(shelf, place, { since, tail })
        if (writers.includes(agent)) return true
        if (isWhole || tail >= MANY) return isToldBySomebody(writers)
        if (ctx.store.now() > deadline) return true
      }
    })
    return isTold ?? true
  } catch (error) {
    ctx.note('gate.bus-unreadable', { sessionId: session.id, error: reasonOf(error) })
    return true
  }
}

interface Writers {
  /** Who wrote each of the entries; undefined where it does not say. */
  readonly writers: readonly (Json | undefined)[]
  /** Whether all entries since then are among them. */
  readonly isWhole: boolean
}

async function writersSince(
  shelf: BusShelf,
  place: BusPlace,
  { since, tail }: { readonly since: number; readonly tail: number },
): Promise<Writers> {
  const writers: (Json | undefined)[] = []
  let [count, isWhole] = [0, false]
  const isUpdate = (entry: BusEntry) => entryTime(entry) >= since && !LIFECYCLE.includes(meaningOf(entry.type))
  for (let after: string | null | undefined; ; ) {
    const page = await readLast(shelf, place, { tail, after })
    for (const entry of page.items) if (isUpdate(entry)) writers.push(entry.meta?.['from'])
    const [first] = count === 0 ? page.items : []
    isWhole ||= first !== undefined && entryTime(first) < since
    count += page.items.length
    after = page.cursor
    if (!page.hasMore) return { writers, isWhole: isWhole || count < tail }
  }
}

/** The last entries may be too large for one page: then the rest of them comes after it. */
function readLast(
  shelf: BusShelf,
  place: BusPlace,
  { tail, after }: { readonly tail: number; readonly after: string | null | undefined },
): Promise<BusPage> {
  const bounds = { limit: tail, maxBytes: PAGE_BYTES }
  return after ? shelf.readOn(place, { ...bounds, after }) : shelf.read(place, { ...bounds, tail })
}

/** Where writers say who they are, the agent must be one of them; where nobody does, any entry may be its own. */
function isToldBySomebody(writers: readonly (Json | undefined)[]): boolean {
  return writers.length > 0 && writers.every((from) => from === undefined)
}
