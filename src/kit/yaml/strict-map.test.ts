import { describe, expect, it } from 'vitest'
import { countParts, MAX_PARTS, NoStrictMap, readStrictMap } from './strict-map.ts'

const resolve = (text: string, topKey: string) => (topKey === 'n' ? Number(text) : text)
const read = (text: string) => readStrictMap(text, { resolve })

describe('readStrictMap', () => {
  it('reads a map as pairs, and asks what plain scalars mean by the key at the top', () => {
    expect(read('a: 1\nn: [2, {b: 3}, "4"]\nnone:\n')).toEqual([
      ['a', '1'],
      ['n', [2, { b: 3 }, '4']],
      ['none', ''],
    ])
  })

  it('takes what every object has for a member like any other', () => {
    const [[, value] = []] = read('a: {__proto__: x}\n')
    expect(Object.entries(value ?? {})).toEqual([['__proto__', 'x']])
  })

  it.each([
    ['a: *b\n', 'has an alias'],
    ['a: &b c\n', 'has an anchor'],
    ['a: !!str c\n', 'has a tag'],
    ['<<: {a: b}\n', 'merges keys'],
    ['a: b\n"a": c\n', 'has a key twice'],
    ['? [a]\n: b\n', 'has a key that is no text'],
    ['- a\n', 'is no YAML map'],
    ['a: [\n', 'is not valid YAML'],
    ['a: b\n...\nc: d\n', 'is not valid YAML'],
    [`a: ${'['.repeat(50)}${']'.repeat(50)}\n`, 'is nested too deep'],
  ])('refuses %j, which %s', (text, reason) => {
    expect(() => read(text)).toThrow(new NoStrictMap(reason))
  })
})

it('counts parts only as far as it matters', () => {
  expect(countParts('a: [b, c]\n')).toBe(5)
  expect(countParts('['.repeat(100_000))).toBe(MAX_PARTS + 1)
})

it('counts a gap that the parser would be at for long as too many', () => {
  expect(countParts(`a: {b${' '.repeat(50_000)}}\n`)).toBe(MAX_PARTS + 1)
})
