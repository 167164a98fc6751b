import { parseAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import {
  type EventFilter,
  isWanted,
  type PosternEvent,
  parseEventTypes,
  visiblePart,
} from '../../model/network/event.ts'
import type { EventPage, ListEvents } from '../../model/network/events.ts'
import type { Context } from '../context.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_LATEST = 10_000

/** Events that are looked at together, and in one call at most, however few of them are wanted. */
const MAX_SLICE = 500
const MAX_LOOKED_AT = 2_000

/** What somebody asks for, with everything said. */
export interface Wanted {
  readonly after: string
  readonly filter: EventFilter
  readonly limit: number
}

/** A page, and whether there are events that cannot be shown yet. */
export interface Look extends EventPage {
  readonly isHeldBack: boolean
}

/** What has happened after a cursor, as far as the caller may see it. */
export async function listEvents(ctx: Context, input: ListEvents = {}): Promise<EventPage> {
  const { isHeldBack: _, ...page } = await lookAtEvents(ctx, await parseWanted(ctx, input))
  return page
}

export async function parseWanted(ctx: Context, input: ListEvents): Promise<Wanted> {
  const { types, agent, limit = DEFAULT_LIMIT, latest = 0 } = input
  requireCount('limit', limit, 1, MAX_LIMIT)
  requireCount('number of the latest events', latest, 0, MAX_LATEST)
  const filter: EventFilter = {
    ...(types !== undefined && { types: parseEventTypes(types) }),
    ...(agent !== undefined && { agent: parseAgentId(agent) }),
  }
  return { after: input.after ?? (await ctx.store.read.events.last({ back: latest })), filter, limit }
}

/** Goes through what came after the cursor, until there is enough of it or nothing left. */
export async function lookAtEvents(ctx: Context, { after, filter, limit }: Wanted): Promise<Look> {
  const items: PosternEvent[] = []
  let cursor = after
  let hasGap = false
  // One more than is wanted tells whether there are more; where few are wanted, ever more are looked at together.
  let size = Math.min(limit + 1, MAX_SLICE)
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; size = Math.min(size * 2, MAX_SLICE)) {
    const slice = await ctx.store.read.events.after({ cursor, limit: size })
    hasGap ||= slice.hasGap
    for (const event of slice.items) {
      if (items.length === limit) return { items, cursor, hasMore: true, hasGap, isHeldBack: false }
      cursor = event.cursor
      const visible = visiblePart(ctx.caller, event)
      if (visible && isWanted(visible, filter)) items.push(visible)
    }
    lookedAt += slice.items.length
    if (slice.items.length < size) return { items, cursor, hasMore: false, hasGap, isHeldBack: slice.isHeldBack }
  }
  return { items, cursor, hasMore: true, hasGap, isHeldBack: false }
}

function requireCount(field: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new PosternError('VALUE_INVALID', { field, value, next: `Use a whole number from ${min} to ${max}.` })
}
