import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { readStrictFields } from './fields.ts'
import { readUsualFields } from './usual-fields.ts'

describe('readUsualFields', () => {
  it.each([
    [
      'plain texts',
      'type: learning\nfrom_session: 2026-01-10-auth\n',
      { type: 'learning', from_session: '2026-01-10-auth' },
    ],
    ['a time', 'created: 2026-01-10T18:30:00+01:00\n', { created: '2026-01-10T18:30:00+01:00' }],
    ['quotes', `a: "b: c"\nd: 'it''s'\n`, { a: 'b: c', d: "it's" }],
    ['quotes within', 'a: fix the "auth" bug, it\'s old\n', { a: 'fix the "auth" bug, it\'s old' }],
    ['comments and blank lines', '# what\n\na: b\n', { a: 'b' }],
    ['Windows', 'a: b\r\nc: d\r\n', { a: 'b', c: 'd' }],
    ['nothing', 'a:\nb: ~\nc: null\nd: ""\n', { a: null, b: null, c: null, d: '' }],
    ['spaces around', 'a:   b  \n', { a: 'b' }],
    ['numbers', 'a: 012\nb: 0x10\nc: 1e3\n', { a: '012', b: '0x10', c: '1e3' }],
  ])('reads %s', (_, text, fields) => {
    expect(Object.fromEntries(readUsualFields(text) ?? [])).toEqual(fields)
    expect(Object.fromEntries(readStrictFields(text) ?? [])).toEqual(fields)
  })

  it.each([
    '',
    '# only a comment\n',
    'a\n',
    'a: b\n  c\n',
    'a: [b]\n',
    'a: b: c\n',
    'a: b # c\n',
    'a: |\n  b\n',
    'a: b\na: c\n',
    '- a\n',
    'a: &b c\n',
    'a: *b\n',
    'a: !c d\n',
    'a: @b\n',
    'a: "b" c\n',
    "a: 'b\n",
    'a: b:\n',
    'a b: c\n',
    'a: b\rc: d\n',
  ])('leaves %j to a parser', (text) => {
    expect(readUsualFields(text)).toBeUndefined()
  })

  it('is not held up by blanks, however many there are', () => {
    const value = `x${' '.repeat(2_000_000)}x`
    expect(readUsualFields(`a: ${value}  \n`)?.get('a')).toBe(value)
  })

  campaign('means what a parser of YAML says, wherever it is understood', casesOf(6_000), async (numRuns) => {
    const piece = fc.constantFrom(
      'a',
      'B1',
      ':',
      ': ',
      ' ',
      '#',
      ' #',
      '"',
      "'",
      '-',
      '- ',
      '~',
      '\t',
      '\r',
      ',',
      '[',
      '{',
      '&',
      '*',
      '!',
      '|',
      '>',
      '%',
      '@',
      '`',
      '\\n',
      'é',
      '😀',
      '\u0085',
      '\u00a0',
      '0',
      '.',
      '?',
      '=',
    )
    const word = fc.constantFrom('a', 'b 2', 'C-d', 'é', '7.5')
    const value = fc
      .array(fc.oneof({ weight: 4, arbitrary: word }, piece), { maxLength: 6 })
      .map((parts) => parts.join(''))
    const line = fc.tuple(fc.constantFrom('a', 'b', 'c-d', 'e_f', ' g', '#'), value, fc.constantFrom('\n', '\r\n'))
    let understood = 0
    fc.assert(
      fc.property(fc.array(line, { maxLength: 3 }), (lines) => {
        const text = lines.map(([key, value, end]) => `${key}: ${value}${end}`).join('')
        const usual = readUsualFields(text)
        if (usual === undefined) return
        understood++
        expect(readStrictFields(text)).toEqual(usual)
      }),
      { numRuns },
    )
    expect(understood).toBeGreaterThan(numRuns / 12)
  })
})
