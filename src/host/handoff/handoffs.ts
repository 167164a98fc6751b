import type { Handoffs } from '../../core/context.ts'
import { openHandoff } from '../../handoff/open-handoff.ts'
import { type HandoffItem, OWN_BOX } from '../../model/handoff/item.ts'
import { renderHeadline, renderInheritance, renderItem, renderMore, sketchItem } from '../../render/handoff.ts'
import { exactTokens } from '../../render/tokens.ts'
import { defaultConfig } from '../config/config.ts'
import { HANDOFF } from '../config/handoff.ts'
import type { OpenOptions } from '../open/context.ts'

/** Numbers and marks as long as any, so that nothing turns out to cost more than was said. */
const NONCE = 'n'.repeat(32)
const NUMBER = 999_999
const MANY = 9_999

/** The folders of the handoff, for the heart. A part of its own, loaded only where one is touched. */
export function openHandoffs({ config = defaultConfig(), handoff }: OpenOptions): Handoffs {
  const { maxTokens, keepProcessedMs, ...places } = { ...config.get(HANDOFF), ...handoff }
  return {
    ...openHandoff(places),
    leastTokens: (item) => tokensOfLines(sketchItem(item)),
    tokensOf: (item) => tokensOfLines(renderItem(item)),
    tokensOfHeadline: (headline) => tokensOfLines(renderHeadline(headline)),
    tokensOfMore: tokensOfLines(renderMore(MANY)),
    tokensAround,
    maxTokens,
    keepProcessedMs,
  }
}

const SHORTEST: HandoffItem = {
  box: OWN_BOX,
  name: '',
  type: 'learning',
  priority: 'medium',
  from_session: null,
  created: null,
  to: null,
  to_repo: null,
  gate: null,
  plan: null,
  extra: {},
  body: '',
}

const tokensAround: Handoffs['tokensAround'] = ({ refused, count }) => {
  const items = Array.from({ length: count }, () => SHORTEST)
  const shown = { id: null, root: '', isInitialised: true, heldBack: 0, tokens: NUMBER, waiting: [], items, refused }
  return exactTokens(renderInheritance(shown, { nonce: NONCE })) - count * tokensOfLines(renderItem(SHORTEST))
}

function tokensOfLines(text: string): number {
  return exactTokens(`${text}\n`)
}
