import type { BusShelf } from '../../bus/bus-shelf.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { type BusCondition, formatBusCondition, isMetBy, parseBusCondition } from '../../model/bus/condition.ts'
import { type BusEntry, entryTime } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'
import { SYSTEM_CALLER } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import type { Context } from '../context.ts'
import { ring } from '../rings/ring.ts'
import { closeGate } from './close.ts'

const PAGE_ENTRIES = 1_000
const PAGE_BYTES = 4 * 1024 * 1024
const SECOND_MS = 1_000

/** What was written before a gate was set up does not count, unless it says so: it may have been about something else. */
export async function fromNowOn(ctx: Context, gate: Gate): Promise<Gate> {
  if (gate.kind !== 'bus' || gate.awaits === null) return gate
  const condition = parseBusCondition(gate.awaits)
  const { place, after } = condition
  const { shelf } = await ctx.bus()
  if (after && !(await shelf.find(place, after)))
    throw new PosternError('BUS_ENTRY_NOT_FOUND', { place: placeName(place), id: after })
  return { ...gate, awaits: formatBusCondition({ ...condition, after: after ?? (await shelf.lastId(place)) ?? '' }) }
}

/**
 * Looks whether a gate's entry has come, and resolves the gate then. Returns it as it is afterwards. Buses are files: on
 * another machine there are others, or none, and the gate stays open; so it does where they cannot be read.
 */
export async function lookOnBus(ctx: Context, gate: Gate, timeoutMs: number): Promise<Gate> {
  if (gate.machine !== ctx.machine.name || gate.awaits === null) return gate
  const entry = await findMeeting(ctx, gate, parseBusCondition(gate.awaits), timeoutMs)
  if (!entry) return gate
  const reason = MSG_ID.test(entry.msg_id) ? `the entry ${entry.msg_id} meets it` : 'an entry meets it'
  const closed = await ctx.store.transact((tx) =>
    closeGate(ctx, tx, gate, { to: 'resolved', by: SYSTEM_CALLER, reason }),
  )
  ring(ctx, closed?.rings ?? [])
  // Meanwhile somebody else may have closed it.
  return closed?.gate ?? (await ctx.store.read.gates.get(gate.id)) ?? gate
}

/** A program of another kind may have written anything in its place. */
const MSG_ID = /^[A-Za-z0-9_-]{1,100}$/

async function findMeeting(
  ctx: Context,
  gate: Gate,
  condition: BusCondition,
  timeoutMs: number,
): Promise<BusEntry | undefined> {
  const deadline = ctx.store.now() + timeoutMs
  let isAfterGap = false
  try {
    const { shelf } = await ctx.bus()
    for (let { after = '' } = condition; ; ) {
      const { items, hasMore, hasGap } = await readAfter(shelf, condition, after)
      isAfterGap ||= hasGap
      const found = items.find(
        (entry) => isMetBy(condition, entry, gate.agent) && !(isAfterGap && isOlder(entry, gate)),
      )
      if (found || !hasMore || ctx.store.now() > deadline) return found
      after = items.at(-1)?.msg_id ?? after
    }
  } catch (error) {
    const isMissing = error instanceof PosternError && error.code === 'BUS_NOT_FOUND'
    if (!isMissing) ctx.note('gate.bus-unreadable', { gateId: gate.id, error: reasonOf(error) })
    return undefined
  }
}

/** Where the entry is gone after which a gate looks, only times tell what was there before it. They are whole seconds. */
function isOlder(entry: BusEntry, { createdAt }: Gate): boolean {
  return entryTime(entry) < createdAt - (createdAt % SECOND_MS)
}

function readAfter(shelf: BusShelf, { place }: BusCondition, after: string) {
  const query = { limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES }
  return after === '' ? shelf.read(place, query) : shelf.readOn(place, { ...query, after })
}
