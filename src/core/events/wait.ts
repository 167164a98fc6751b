import type { EventPage, WaitEvents } from '../../model/network/events.ts'
import { RING_EVENTS } from '../../model/ring.ts'
import type { Context } from '../context.ts'
import { requirePatience, waitUntil } from '../rings/wait-until.ts'
import { type Look, lookAtEvents, parseWanted } from './list.ts'

/** Not everything that happens rings, so whoever follows looks for itself this often. */
const POLL_MS = 1_000
/** What an open transaction holds back is mostly there in a moment. */
const HELD_BACK_MS = 10

/** Resolves with what comes after the cursor, or with an empty page when the time is over. */
export async function waitForEvents(ctx: Context, input: WaitEvents): Promise<EventPage> {
  requirePatience(input)
  let wanted = await parseWanted(ctx, input)
  let last: Look | undefined
  let pollMs = POLL_MS
  const look = async () => {
    const found = await lookAtEvents(ctx, wanted)
    wanted = { ...wanted, after: found.cursor }
    pollMs = nextPoll(found, last?.isHeldBack ? pollMs : 0)
    last = found
    return found.items.length > 0 || found.hasGap ? found : undefined
  }
  // Under load there mostly is something, and nobody has to listen for it first.
  const found = (await look()) ?? (await waitUntil(ctx, [RING_EVENTS], { ...input, pollMs: () => pollMs }, look))
  const { isHeldBack: _, ...page } = found ?? { ...(last as Look), items: [] }
  return page
}

function nextPoll({ hasMore, isHeldBack }: Look, before: number): number {
  if (hasMore) return 0
  return isHeldBack ? Math.min(POLL_MS, before * 2 || HELD_BACK_MS) : POLL_MS
}
