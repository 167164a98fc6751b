import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { body } from '../../../test/helpers/bus/drafts.ts'
import { NAIVE_READERS } from '../../../test/helpers/bus/naive-codec.ts'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { endsWithDashes, escapeBody, hasDashes, unescapeBody } from './dashes.ts'

const escaped = (said: string) => escapeBody(Buffer.from(said)).toString()

describe('a line of dashes', () => {
  it.each([
    ['---', '\\---'],
    ['-----', '\\-----'],
    ['a\n---\nb', 'a\n\\---\nb'],
    ['---\n---', '\\---\n\\---'],
    ['\\---', '\\\\---'],
    ['a\r\n --- \r\nb', 'a\r\n\\ --- \r\nb'],
    ['a\r---\rb', 'a\r\\---\rb'],
    ['\t---\v---\f', '\\\t---\v\\---\f'],
    ['a\u2028---\u2029b', 'a\u2028\\---\u2029b'],
    ['\u3000---\xa0', '\\\u3000---\xa0'],
  ])('%j is written as %j', (said, stored) => {
    expect(escaped(said)).toBe(stored)
    expect(unescapeBody(Buffer.from(stored)).toString()).toBe(said)
  })

  it.each(['--', '- - -', '--- a', 'a ---', '\\', '\\--', 'a\\---', '***', '—'])('is not %j', (said) => {
    expect(escaped(said)).toBe(said)
  })

  campaign('is looked for in short and long bodies alike', casesOf(2_000), async (numRuns) => {
    const few = fc.array(fc.constantFrom(0x2d, 0x2d, 0x61), { maxLength: 12 })
    fc.assert(
      fc.property(few, fc.constantFrom(0, 1_010, 1_024, 1_030), (bytes, before) => {
        const said = Buffer.from([...Array.from({ length: before }, () => 0x61), ...bytes])
        expect(hasDashes(said)).toBe(said.includes('---'))
      }),
      { numRuns },
    )
  })

  campaign('is in no body as it is stored, and every body is read back', casesOf(1_000), async (numRuns) => {
    fc.assert(
      fc.property(body, (said) => {
        const stored = escapeBody(said)
        expect(unescapeBody(stored).equals(said)).toBe(true)
        for (const { lineEnd, isRule } of Object.values(NAIVE_READERS))
          expect(stored.toString().split(lineEnd).some(isRule)).toBe(false)
      }),
      { numRuns },
    )
  })

  it('may be what a body ends with', () => {
    expect(['---', 'a\n---', 'a\n ----- ', 'a\r---'].map((said) => endsWithDashes(Buffer.from(said)))).toEqual([
      ...[true, true, true, true],
    ])
    expect(['', '--', 'a ---', '---\n', '---\na', '\\---'].some((said) => endsWithDashes(Buffer.from(said)))).toBe(
      false,
    )
  })
})
