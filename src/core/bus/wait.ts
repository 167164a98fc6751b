import type { BusPage, WaitForEntries } from '../../model/bus/bus.ts'
import type { Context } from '../context.ts'
import { requirePatience } from '../rings/wait-until.ts'
import { formatCursor, type Position, parseCursor, type Reading } from './pages.ts'
import { positionOf, readThrough } from './read.ts'
import { parseWanted } from './wanted.ts'

/** Files may lie where nobody tells of changes, so whoever follows looks for itself this often. */
const SAFETY_POLL_MS = 30_000
/** An editor that saves in place empties the file first: what is gone may be back in a moment. */
const SETTLING_MS = [100, 200, 400, 800]

/** Resolves with what comes after the cursor, or with an empty page when the time is over. */
export async function waitForEntries(ctx: Context, input: WaitForEntries): Promise<BusPage> {
  requirePatience(input)
  const wanted = parseWanted(input)
  const { shelf } = await ctx.bus()
  const reading: Reading = { shelf, places: wanted.places, isPatient: true }
  let at: Position = await positionOf(reading, wanted)
  const look = async () => {
    const page = await settle(reading, input, () => readThrough(reading, at, wanted), formatCursor(at))
    at = positionAfter(page, at)
    return page
  }
  // Under load there mostly is something, and nobody has to watch for it first.
  const found = await look()
  return hasNews(found) ? found : watch(ctx, reading, input, look)
}

function hasNews({ items, hasGap }: BusPage): boolean {
  return items.length > 0 || hasGap
}

/** What was of no interest is not looked at again. */
function positionAfter({ cursor }: BusPage, from: Position): Position {
  if (cursor === null) return from
  return from.length === 1 ? [cursor] : parseCursor(cursor)
}

/** Nobody is told of a gap, or read to anew from before it, until what is gone has had time to come back. */
async function settle(
  { shelf }: Reading,
  { timeoutMs = Number.POSITIVE_INFINITY, signal }: WaitForEntries,
  read: () => Promise<BusPage>,
  from: string | null,
): Promise<BusPage> {
  let page = await read()
  for (const pauseMs of SETTLING_MS) {
    // A cursor that stays where it is stands on an entry: two files hold its number, and always will.
    if (!page.hasGap || page.cursor === from || pauseMs > timeoutMs || signal?.aborted === true) break
    // Whatever changes meanwhile may be only a part of it.
    await shelf.changed([], { timeoutMs: pauseMs, ...(signal && { signal }) })
    page = await read()
  }
  return page
}

async function watch(
  ctx: Context,
  { shelf, places }: Reading,
  { timeoutMs = Number.POSITIVE_INFINITY, signal }: WaitForEntries,
  look: () => Promise<BusPage>,
): Promise<BusPage> {
  const deadline = ctx.store.now() + timeoutMs
  for (;;) {
    const left = deadline - ctx.store.now()
    const isOver = left <= 0 || signal?.aborted === true
    const round = createRound(signal)
    try {
      // It watches before it looks, so no change falls between the two.
      const changed = isOver
        ? undefined
        : shelf.changed(places, { timeoutMs: Math.min(left, SAFETY_POLL_MS), signal: round.signal })
      const page = await look()
      if (hasNews(page) || isOver) return page
      if (!page.hasMore) await changed
    } finally {
      round.end()
    }
  }
}

/** Ends with its waiter, or when it is over itself. */
function createRound(waiter: AbortSignal | undefined): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  waiter?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    end() {
      waiter?.removeEventListener('abort', abort)
      abort()
    },
  }
}
