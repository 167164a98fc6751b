import { describe, expect, it } from 'vitest'
import { parseInstant } from './instant.ts'

describe('a moment', () => {
  it('is read as ISO 8601 writes it, with its zone', () => {
    const at = Date.UTC(2026, 1, 20, 10)
    for (const text of ['2026-02-20T10:00Z', '2026-02-20T11:00:00+01:00', ' 2026-02-20T10:00:00.000Z ']) {
      expect(parseInstant(text), text).toBe(at)
    }
    expect(parseInstant('2028-02-29T00:00Z')).toBe(Date.UTC(2028, 1, 29))
  })

  it('is not guessed', () => {
    for (const text of [
      '',
      'Tuesday 2027-01-05 10:00 +0100',
      '2027-01-05',
      '2027-01-05 10:00Z',
      '2027-01-05T10:00+0100',
    ]) {
      expect(parseInstant(text), text).toBe('form')
    }
    expect(parseInstant('2027-01-05T10:00')).toBe('zone')
    for (const text of ['2027-02-30T10:00Z', '2027-02-29T10:00Z', '2027-13-01T10:00Z', '2027-01-01T10:61Z']) {
      expect(parseInstant(text), text).toBe('value')
    }
  })
})
