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

const timers = {
  after(_: number, call: () => void) {
    setImmediate(call)
    return () => {}
  },
}
const measures = {
  leastTokens: ({ body }: HandoffItem) => body.length,
  tokensOf: ({ body }: HandoffItem) => body.length,
  tokensOfHeadline: () => HEADLINE,
  tokensOfMore: HEADLINE,
  tokensAround: () => FRAME,
}

async function choose(maxTokens: number, ...items: readonly HandoffItem[]) {
  const chosen = await chooseItems({ timers }, measures, items, { refused: [], maxTokens })
  const { items: shown, waiting, tokens } = chosen
  return { shown: shown.map(({ name }) => name), waiting: waiting.map(({ name }) => name), tokens }
}

describe('the items that a handoff shows', () => {
  it('is everything where there is room', async () => {
    expect(await choose(40, item('a', 10), item('b', 20))).toEqual({ shown: ['a', 'b'], waiting: [], tokens: 40 })
  })

  it('is the first item, whatever it costs', async () => {
    expect(await choose(1, item('a', 99), item('b', 1))).toMatchObject({ shown: ['a'], waiting: ['b'] })
  })

  it('leaves room for the headlines of the rest', async () => {
    const items = [item('a', 10), item('b', 10), item('c', 20)]
    expect(await choose(30, ...items)).toEqual({ shown: ['a'], waiting: ['b', 'c'], tokens: 30 })
    expect(await choose(35, ...items)).toEqual({ shown: ['a', 'b'], waiting: ['c'], tokens: 35 })
  })

  it('skips an item that does not fit and takes a later one that does', async () => {
    expect(await choose(40, item('a', 10), item('b', 50), item('c', 10))).toMatchObject({
      shown: ['a', 'c'],
      waiting: ['b'],
    })
  })

  it('is nothing where nothing waits', async () => {
    expect(await choose(40)).toEqual({ shown: [], waiting: [], tokens: FRAME })
  })

  it('renders only items that may fit, and at most four that turn out not to', async () => {
    const rendered: string[] = []
    const growing = {
      ...measures,
      tokensOf({ name, body }: HandoffItem) {
        rendered.push(name)
        return name === 'a' ? body.length : 10 * body.length
      },
    }
    const names = [...'abcdefghi']
    const items = names.map((name) => item(name, name === 'b' ? 500 : 20))
    const chosen = await chooseItems({ timers }, growing, items, { refused: [], maxTokens: 100 })
    expect(chosen.items.map(({ name }) => name)).toEqual(['a'])
    expect(rendered).toEqual([...'acdef'])
    const [large] = (await chooseItems({ timers }, growing, [item('z', 500)], { refused: [], maxTokens: 100 })).items
    expect(large?.name).toBe('z')
    expect(rendered).not.toContain('z')
  })

  it('is chosen in slices', async () => {
    let pauses = 0
    const after = (_: number, call: () => void) => {
      pauses++
      setImmediate(call)
      return () => {}
    }
    const items = Array.from({ length: 10 }, (_, at) => item(`${at}`, 10_000))
    await chooseItems({ timers: { after } }, measures, items, { refused: [], maxTokens: 1_000_000 })
    expect(pauses).toBe(4)
  })
})
