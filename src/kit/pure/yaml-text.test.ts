import { expect, it } from 'vitest'
import { formatText, isNull, quote } from './yaml-text.ts'

it.each([
  ['plain words', 'the session, before: now', '"the session, before: now"'],
  ['a path', 'src/kit/a.ts', 'src/kit/a.ts'],
  ['words', 'a b,c', 'a b,c'],
  ['a word that some take for a boolean', 'No', '"No"'],
  ['a number', '12', '"12"'],
  ['nothing', '', '""'],
  ['what some take for a line end', 'a\u2028b\x85', '"a\\u2028b\\u0085"'],
])('writes %s so that every YAML reads it as a text', (_, text, written) => {
  expect(formatText(text)).toBe(written)
})

it('quotes what JSON reads back', () => {
  expect(JSON.parse(quote('a"\n\ufeff'))).toBe('a"\n\ufeff')
})

it('knows the ways to say nothing', () => {
  expect(['', '~', 'null', 'Null', 'NULL'].every(isNull)).toBe(true)
  expect(['nULL', 'none', ' '].some(isNull)).toBe(false)
})
