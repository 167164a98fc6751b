import { describe, expect, it } from 'vitest'
import type { Sql } from '../sql.ts'
import { createRareShelves } from './rare.ts'
import * as rare from './rare-shelves.ts'

const NEVER: Sql = {
  engine: 'sqlite',
  all: () => Promise.reject(new Error('not here')),
  get: () => Promise.reject(new Error('not here')),
  run: () => Promise.reject(new Error('not here')),
}

const WHOLE = {
  gates: rare.createGateShelf,
  decisions: rare.createDecisionShelf,
  spaces: rare.createSpaceShelf,
  plans: rare.createPlanShelf,
  services: rare.createServiceShelf,
  tokens: rare.createTokenShelf,
  replies: rare.createReplyShelf,
  events: rare.createEventShelf,
  searcher: rare.createSearcher,
  sweeper: rare.createSweeper,
}

describe('shelves that are loaded on use', () => {
  it('have every call that the shelves themselves have', () => {
    const shelves = createRareShelves(NEVER)
    const calls = (shelf: object) => Object.keys(shelf).sort()
    expect(Object.keys(shelves).sort()).toEqual(Object.keys(WHOLE).sort())
    for (const [name, create] of Object.entries(WHOLE)) {
      expect(calls(shelves[name as keyof typeof WHOLE]), name).toEqual(calls(create(NEVER)))
    }
  })

  it('pass calls on, and their failures back', async () => {
    const { decisions } = createRareShelves({
      ...NEVER,
      get: async (_, params) => [...(params ?? []), ...Array(12).fill('')],
    })
    await expect(decisions.hasAsked({ agent: 'quinn', since: 1 })).resolves.toBe(true)
    await expect(createRareShelves(NEVER).gates.get('gate_1')).rejects.toThrow('not here')
  })
})
