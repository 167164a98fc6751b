import type { Headline } from '../../model/handoff/handoff.ts'
import type { HandoffItem, RefusedFile } from '../../model/handoff/item.ts'
import type { Handoffs } from '../context.ts'
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

type Measures = Pick<Handoffs, 'tokensOf' | 'tokensOfAll'>

/** As much as may be shown, in order; what is too large lets what comes after it pass. The first is always shown. */
export function chooseItems(measures: Measures, items: readonly HandoffItem[], { refused, maxTokens }: Choice): Chosen {
  const costs = new Map(items.map((item) => [item, measures.tokensOf(item)]))
  const chosen = new Set<HandoffItem>()
  let used = measures.tokensOfAll({ items: [], waiting: [], refused })
  for (const item of items) {
    const cost = costs.get(item) ?? 0
    if (chosen.size > 0 && used + cost > maxTokens) continue
    chosen.add(item)
    used += cost
  }
  for (;;) {
    const shown = items.filter((item) => chosen.has(item))
    const waiting = items.filter((item) => !chosen.has(item)).map((item) => headlineFor(item, costs.get(item) ?? 0))
    const tokens = measures.tokensOfAll({ items: shown, waiting, refused })
    const last = shown.at(-1)
    if (tokens <= maxTokens || shown.length <= 1 || last === undefined) return { items: shown, waiting, tokens }
    // Headlines take room as well, so that what seemed to fit may not.
    chosen.delete(last)
  }
}

function headlineFor({ box, name, type, from_session, body }: HandoffItem, tokens: number): Headline {
  return { box, name, type, from_session, headline: headlineOf(body), tokens }
}
