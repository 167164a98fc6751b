import type { Handoffs } from '../../core/context.ts'
import { openHandoff } from '../../handoff/open-handoff.ts'
import type { Inheritance } from '../../model/handoff/handoff.ts'
import type { HandoffItem } from '../../model/handoff/item.ts'
import { renderInheritance, renderItem } from '../../render/handoff.ts'
import { estimateTokens } from '../../render/tokens.ts'
import { defaultConfig } from '../config/config.ts'
import { HANDOFF } from '../config/handoff.ts'
import type { OpenOptions } from '../open/context.ts'

/** Numbers and marks as long as any, so that nothing turns out to cost more than was said. */
const NONCE = 'n'.repeat(32)
const TOKENS = 999_999
const MEASURED_CHARACTERS = 2_000

/** The folders of the handoff, for the heart. A part of its own, loaded only where one is touched. */
export function openHandoffs({ config = defaultConfig(), handoff }: OpenOptions): Handoffs {
  const { maxTokens, keepProcessedMs, ...places } = { ...config.get(HANDOFF), ...handoff }
  return {
    ...openHandoff(places),
    tokensOf,
    tokensOfAll: (shown) => estimateTokens(renderInheritance(asInheritance(shown), { nonce: NONCE })),
    maxTokens,
    keepProcessedMs,
  }
}

/** To write out a long text only to measure it takes too long where hundreds wait. */
function tokensOf(item: HandoffItem): number {
  if (item.body.length <= MEASURED_CHARACTERS) return estimateTokens(`${renderItem(item)}\n`)
  return estimateTokens(`${renderItem({ ...item, body: '' })}\n${item.body}`)
}

function asInheritance(shown: Pick<Inheritance, 'items' | 'waiting' | 'refused'>): Inheritance {
  return { ...shown, id: null, root: '', isInitialised: true, heldBack: 0, tokens: TOKENS }
}
