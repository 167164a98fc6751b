import { describe, expect, it } from 'vitest'
import { parseRingName } from './wire.ts'

describe('parseRingName', () => {
  it.each(['quinn', 'q', '7', 'a_b-c', '@all', '@receipts'])('takes %j', (name) => {
    expect(parseRingName(name)).toBe(name)
  })

  it.each([
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a.b',
    '-a',
    '_a',
    'Quinn',
    'a b',
    'a\n',
    'a\0',
    'é',
    'a'.repeat(129),
  ])('refuses %j', (name) => {
    expect(() => parseRingName(name)).toThrow(RangeError)
  })
})
