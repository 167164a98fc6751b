import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { type JsonNode, JsonProblem, parseJsonc } from './jsonc.ts'

function toPlain(node: JsonNode | undefined): unknown {
  if (node === undefined) return undefined
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.elements.map(({ value }) => toPlain(value))
  return Object.fromEntries(node.elements.map(({ key, value }) => [key, toPlain(value)]))
}

describe('parseJsonc', () => {
  it('reads what JSON reads, whatever its layout', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', ' ', '\t', 4), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        // Not by the literal: a key "__proto__" would set the prototype here and there alike.
        expect(JSON.stringify(toPlain(parseJsonc(text)))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('knows where everything stands', () => {
    const text = '\uFEFF // one\n{ "a" /* b */ : [1, "x\\"]"], }'
    const root = parseJsonc(text)
    expect(root).toMatchObject({ kind: 'object', start: 9, end: text.length })
    const [member] = root?.kind === 'object' ? root.elements : []
    expect(text.slice(member?.start, member?.end)).toBe('"a" /* b */ : [1, "x\\"]"]')
    expect(text[member?.comma ?? 0]).toBe(',')
    const items = member?.value.kind === 'array' ? member.value.elements : []
    expect(items.map(({ start, end }) => text.slice(start, end))).toEqual(['1', '"x\\"]"'])
  })

  it('finds nothing in a text of blanks and comments', () => {
    for (const text of ['', ' \n', '\uFEFF', '// only', '/* only */\r\n']) expect(parseJsonc(text)).toBeUndefined()
  })

  it.each([
    ['{', 1],
    ['{"a"}', 4],
    ['{"a": }', 6],
    ['{a: 1}', 1],
    ["{'a': 1}", 1],
    ['{"a": 1 "b": 2}', 8],
    ['[1,,2]', 3],
    ['[,]', 1],
    ['{} x', 3],
    ['{"a": 01}', 6],
    ['{"a": "\\x"}', 6],
    ['{"a": "one\ntwo"}', 6],
    ['{"a": tru}', 6],
    ['/* open', 0],
    ['{"a": NaN}', 6],
    [`${'['.repeat(200)}${']'.repeat(200)}`, 101],
  ])('refuses %j and says where', (text, at) => {
    expect(() => parseJsonc(text)).toThrow(JsonProblem)
    try {
      parseJsonc(text)
    } catch (error) {
      expect((error as JsonProblem).at).toBe(at)
    }
  })

  campaign('never hangs or breaks on anything', casesOf(2_000), async (numRuns) => {
    fc.assert(
      fc.property(fc.stringMatching(/^[{}[\]",:/*\\ \na1-]{0,40}$/), (text) => {
        try {
          parseJsonc(text)
        } catch (error) {
          expect(error).toBeInstanceOf(JsonProblem)
        }
      }),
      { numRuns },
    )
  })
})
