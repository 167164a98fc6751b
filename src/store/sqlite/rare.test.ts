import { describe, expect, it } from 'vitest'
import type { Sql } from '../sql.ts'
import { createRareShelves } from './rare.ts'
import { createDecisionShelf, createGateShelf, createSearcher, createSweeper } from './rare-shelves.ts'

const NEVER: Sql = {
  engine: 'sqlite',
  all: () => Promise.reject(new Error('not here')),
  get: () => Promise.reject(new Error('not here')),
  run: () => Promise.reject(new Error('not here')),
}

describe('shelves that are loaded on use', () => {
  it('have every call that the shelves themselves have', () => {
    const { gates, decisions, searcher, sweeper } = createRareShelves(NEVER)
    expect(Object.keys(gates).sort()).toEqual(Object.keys(createGateShelf(NEVER)).sort())
    expect(Object.keys(decisions).sort()).toEqual(Object.keys(createDecisionShelf(NEVER)).sort())
    expect(Object.keys(searcher).sort()).toEqual(Object.keys(createSearcher(NEVER)).sort())
    expect(Object.keys(sweeper).sort()).toEqual(Object.keys(createSweeper(NEVER)).sort())
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
