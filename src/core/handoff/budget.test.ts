import { describe, expect, it } from 'vitest'
import type { HandoffItem } from '../../model/handoff/item.ts'
import { chooseItems } from './budget.ts'

const FRAME = 10
const HEADLINE = 5

/** An item that costs as much as its body is long. */
function item(name: string, cost: number): HandoffItem {
  const about = { type: 'learning', priority: 'medium', from_session: 's', created: null } as const
  const none = { to: null, to_repo: null, gate: null, plan: null, extra: {} }
  return { box: 'inbox', name, ...about, ...none, body: name.padEnd(cost, '.') }
}

const measures = {
  tokensOf: ({ body }: HandoffItem) => body.length,
  tokensOfAll: ({ items, waiting }: { items: readonly HandoffItem[]; waiting: readonly unknown[] }) =>
    FRAME + items.reduce((sum, { body }) => sum + body.length, 0) + waiting.length * HEADLINE,
}

function choose(maxTokens: number, ...items: readonly HandoffItem[]) {
  const { items: shown, waiting, tokens } = chooseItems(measures, items, { refused: [], maxTokens })
  return { shown: shown.map(({ name }) => name), waiting: waiting.map(({ name }) => name), tokens }
}

describe('what is shown of what waits', () => {
  it('is everything where there is room', () => {
    expect(choose(40, item('a', 10), item('b', 20))).toEqual({ shown: ['a', 'b'], waiting: [], tokens: 40 })
  })

  it('is the first item, whatever it costs', () => {
    expect(choose(1, item('a', 99), item('b', 1))).toMatchObject({ shown: ['a'], waiting: ['b'] })
  })

  it('leaves room for the headlines of the rest', () => {
    const items = [item('a', 10), item('b', 10), item('c', 20)]
    expect(choose(30, ...items)).toEqual({ shown: ['a'], waiting: ['b', 'c'], tokens: 30 })
    expect(choose(35, ...items)).toEqual({ shown: ['a', 'b'], waiting: ['c'], tokens: 35 })
  })

  it('lets what fits pass what does not', () => {
    expect(choose(40, item('a', 10), item('b', 50), item('c', 10))).toMatchObject({ shown: ['a', 'c'], waiting: ['b'] })
  })

  it('is nothing where nothing waits', () => {
    expect(choose(40)).toEqual({ shown: [], waiting: [], tokens: FRAME })
  })
})
