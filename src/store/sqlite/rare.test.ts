import { describe, expect, it } from 'vitest'
import type { Sql } from '../sql.ts'
import { createRareShelves, type RareShelves } from './rare.ts'
import { createWholeShelves } from './rare-shelves.ts'

const NEVER: Sql = {
  engine: 'sqlite',
  all: () => Promise.reject(new Error('not here')),
  get: () => Promise.reject(new Error('not here')),
  run: () => Promise.reject(new Error('not here')),
}

describe('shelves that are loaded on use', () => {
  it('have every call that the shelves themselves have', () => {
    const callsOf = ({ ledger: _, ...shelves }: RareShelves) =>
      Object.fromEntries(Object.entries(shelves).map(([name, shelf]) => [name, Object.keys(shelf).sort()]))
    expect(callsOf(createRareShelves(NEVER))).toEqual(callsOf(createWholeShelves(NEVER)))
  })

  it('answer to any name where their calls are not listed, and are no promise', async () => {
    const { ledger } = createRareShelves({ ...NEVER, get: async () => [7] })
    await expect(ledger.nextNumber()).resolves.toBe(7)
    await expect(ledger.getTopic({ id: '0.0.1' })).rejects.toThrow('not here')
    expect(await ledger).toBe(ledger)
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
