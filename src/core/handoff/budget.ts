import { runInSlices } from '../../kit/pure/slices.ts'
import type { Headline } from '../../model/handoff/handoff.ts'
import { HANDOFF_LIMITS, type HandoffItem, type RefusedFile } from '../../model/handoff/item.ts'
import type { Context, Handoffs } from '../context.ts'
import { headlineOf } from './headline.ts'

export interface Chosen {
  readonly items: readonly HandoffItem[]
  /** What does not fit. */
  readonly waiting: readonly Headline[]
  readonly tokens: number
}

interface Choice {
  readonly refused: readonly RefusedFile[]
  readonly maxTokens: number
}

type Measures = Pick<Handoffs, 'leastTokens' | 'tokensOf' | 'tokensOfHeadline' | 'tokensOfMore' | 'tokensAround'>

/** Stop measuring after this many items were rendered and did not fit. Escaping makes an item longer than its file. */
const MAX_MISSES = 4
/** Characters measured in one slice. Hostile ones take a millisecond per thousand. */
const SLICE_CHARACTERS = 16_000

/**
 * Chooses the items that fit, in order, and skips an item that is too large. The first is always shown. No item
 * is rendered that cannot fit, and timers and other callers run in between, however long it takes.
 */
export function chooseItems(
  { timers }: Pick<Context, 'timers'>,
  measures: Measures,
  items: readonly HandoffItem[],
  choice: Choice,
): Promise<Chosen> {
  const pause = () => new Promise<void>((resolve) => void timers.after(0, resolve))
  return runInSlices(choosing(measures, items, choice), pause)
}

/** Yields after each slice. */
function* choosing(
  measures: Measures,
  items: readonly HandoffItem[],
  { refused, maxTokens }: Choice,
): Generator<void, Chosen> {
  const around = measures.tokensAround({ refused, count: items.length })
  const costs = yield* choosingBodies(measures, items, maxTokens - around)
  const headlines = new Map<HandoffItem, number>()
  const headlineCost = (item: HandoffItem) => {
    const cost = headlines.get(item) ?? measures.tokensOfHeadline(headlineFor(measures, item))
    headlines.set(item, cost)
    return cost
  }
  let used = around + [...costs.values()].reduce((sum, cost) => sum + cost, 0)
  for (;;) {
    const shown = items.filter((item) => costs.has(item))
    const waiting = items.filter((item) => !costs.has(item))
    const named = waiting.slice(0, HANDOFF_LIMITS.headlines)
    const more = waiting.length > named.length ? measures.tokensOfMore : 0
    const tokens = Math.ceil(named.reduce((sum, item) => sum + headlineCost(item), used + more))
    const last = shown.at(-1)
    if (tokens <= maxTokens || shown.length <= 1 || last === undefined) {
      return { items: shown, waiting: waiting.map((item) => headlineFor(measures, item)), tokens }
    }
    // Headlines take room as well, so that what seemed to fit may not.
    used -= costs.get(last) ?? 0
    costs.delete(last)
    yield
  }
}

/** The items that fit without a word about the others, with what each of them takes. */
function* choosingBodies(
  measures: Measures,
  items: readonly HandoffItem[],
  room: number,
): Generator<void, Map<HandoffItem, number>> {
  const costs = new Map<HandoffItem, number>()
  let left = room
  let misses = 0
  let measured = 0
  for (const item of items) {
    const least = measures.leastTokens(item)
    const mayFit = least <= left
    if (costs.size > 0 && (!mayFit || misses === MAX_MISSES)) continue
    if (measured >= SLICE_CHARACTERS) {
      measured = 0
      yield
    }
    measured += mayFit ? item.body.length : 0
    const cost = mayFit ? measures.tokensOf(item) : least
    if (costs.size > 0 && cost > left) misses++
    else {
      costs.set(item, cost)
      left -= cost
    }
  }
  return costs
}

function headlineFor(measures: Measures, item: HandoffItem): Headline {
  const { box, name, type, from_session, body } = item
  return { box, name, type, from_session, headline: headlineOf(body), tokens: Math.ceil(measures.leastTokens(item)) }
}
