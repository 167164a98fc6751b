import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCursor, isMarked, parseCursor } from './event-cursor.ts'

const number = fc.maxSafeNat()

describe('a cursor of events', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(number, number, number, (tx, seq, at) => {
        const place = parseCursor(formatCursor([tx, seq], at), 2)
        expect(place?.numbers).toEqual([tx, seq])
        expect(place && isMarked(place, at)).toBe(true)
      }),
    )
  })

  it('compares as text as its place does', () => {
    fc.assert(
      fc.property(number, number, number, number, (a, b, c, d) => {
        const isBefore = a < c || (a === c && b < d)
        fc.pre(a !== c || b !== d)
        expect(formatCursor([a, b], 1) < formatCursor([c, d], 1)).toBe(isBefore)
      }),
    )
  })

  it('tells another event at the same place from its own', () => {
    const place = parseCursor(formatCursor([7], 1_700_000_000_000), 1)
    expect(place && isMarked(place, 1_700_000_000_001)).toBe(false)
  })

  it('is nothing else', () => {
    const real = formatCursor([12], 5)
    expect(parseCursor(real, 1)).toBeDefined()
    for (const text of [
      '',
      '0',
      'x',
      '-1',
      `${real}0`,
      ` ${real}`,
      real.slice(1),
      '9zzzzzzzzzzzz000',
      '1'.repeat(100),
    ]) {
      expect(parseCursor(text, 1)).toBeUndefined()
    }
    expect(parseCursor(real, 2)).toBeUndefined()
    fc.assert(fc.property(fc.string(), (text) => parseCursor(text, 1) === undefined || text.length > 4))
  })
})
