import { expect, it } from 'vitest'
import { isBase64 } from './base64.ts'

it.each([
  ['', true],
  ['aGk=', true],
  ['aGVsbG8+', true],
  ['aGl=', false],
  ['aGk', false],
  ['aGVsbG8-', false],
  ['a Gk=', false],
  ['aGk==', false],
  ['=aGk', false],
])('%j is base64 as it is always written: %s', (text, is) => {
  expect(isBase64(text)).toBe(is)
})

it('looks at long texts too', () => {
  const long = Buffer.alloc(30_000, 'x').toString('base64')
  expect([isBase64(long), isBase64(`${long.slice(0, -4)} ${long.slice(-4)}`)]).toEqual([true, false])
})
