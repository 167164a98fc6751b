import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../json.ts'
import { canonicalJson, parseFields, textOf } from './json-fields.ts'

describe('fields that somebody has written', () => {
  it.each([
    '',
    'x',
    'null',
    '[]',
    '"{}"',
    '{"a":"\\u0000"}',
    '{"\\ud800":1}',
    `{"a":${'['.repeat(9000)}`,
  ])('are none where no store could keep them, or where they are no object (%#)', (text) => {
    expect(parseFields(text)).toBeUndefined()
  })

  it('are what they are, whatever they are called', () => {
    expect(parseFields('{"a":1,"__proto__":{"b":2}}')?.['a']).toBe(1)
  })

  it('are each as deep as a payload may be', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect(parseFields(nested(32))).toEqual(JSON.parse(nested(32)))
    expect(parseFields(nested(33))).toBeUndefined()
  })

  it('are text only where they are, and not too long', () => {
    expect(textOf('abc', 3)).toBe('abc')
    expect([textOf('abcd', 3), textOf('', 3), textOf(5, 3), textOf(undefined, 3)]).toEqual([null, null, null, null])
  })
})

describe('canonical JSON', () => {
  it('means the same, and is one text for one value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const written = JSON.parse(JSON.stringify(value)) as Json
        expect(JSON.parse(canonicalJson(written))).toEqual(written)
        expect(canonicalJson(turned(written))).toBe(canonicalJson(written))
      }),
    )
  })
})

/** The same value with its fields in the opposite order. */
function turned(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(turned)
  const fields = Object.entries(value).reverse()
  return Object.fromEntries(fields.map(([name, member]) => [name, turned(member as Json)]))
}
