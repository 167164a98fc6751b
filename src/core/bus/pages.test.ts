import { describe, expect, it } from 'vitest'
import type { BusPage } from '../../model/bus/bus.ts'
import { formatCursor, inTurn } from './pages.ts'

/** Entries by their ids, each with the second at which it says it was written. */
function page(entries: Readonly<Record<string, number | string>>, hasMore = false): BusPage {
  const items = Object.entries(entries).map(([msg_id, second]) => ({
    msg_id,
    ts: typeof second === 'string' ? second : new Date(second * 1_000).toISOString(),
    type: 'FACT',
    project_id: 'p',
    body: '',
  }))
  return { items, cursor: null, hasMore, hasGap: false, faults: [] }
}

const idsOf = (pages: readonly BusPage[]) => [...inTurn(pages)].map(({ entry }) => entry.msg_id)

describe('two buses in one', () => {
  it('come by time, then by id', () => {
    expect(idsOf([page({ a: 1, d: 3 }), page({ c: 2, b: 3, e: 9 })])).toEqual(['a', 'c', 'b', 'd', 'e'])
  })

  it('keep the order of each file, however its clock went', () => {
    expect(idsOf([page({ a: 5, b: 1 }), page({ c: 3 })])).toEqual(['c', 'a', 'b'])
  })

  it('stop where it is not known what is next', () => {
    expect(idsOf([page({ a: 1, b: 2 }, true), page({ c: 3, d: 4 })])).toEqual(['a', 'b'])
    expect(idsOf([page({}, true), page({ c: 3 })])).toEqual([])
  })

  it('compare times and not their texts, and wait for none that cannot be read', () => {
    expect(idsOf([page({ a: '2026-01-01T01:00:00+02:00' }), page({ b: '2025-12-31T23:30:00Z' })])).toEqual(['a', 'b'])
    expect(idsOf([page({ a: 2 }), page({ b: 'yesterday', c: 1 })])).toEqual(['b', 'c', 'a'])
  })
})

it('a cursor of two buses names both, also where one has nothing yet', () => {
  expect(formatCursor(['a'])).toBe('a')
  expect(formatCursor(['a', undefined])).toBe('a,')
  expect(formatCursor([undefined, 'b'])).toBe(',b')
  expect(formatCursor([undefined, undefined])).toBeNull()
})
