import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { casesOf } from '../../../../test/helpers/property-cases.ts'
import { campaign } from '../../../../test/helpers/tier.ts'
import { FIELD, type RawHeader } from './raw-header.ts'
import { createPatience, readStrictHeader } from './strict-yaml.ts'
import { UsualYaml } from './usual-yaml.ts'

function readUsual(content: string | Buffer) {
  const bytes = Buffer.from(content)
  return new UsualYaml(bytes, bytes.toString('latin1')).read(0, bytes.length)
}

/** What is there of a header, by name. */
function present(header: RawHeader | undefined) {
  const named = Object.entries(FIELD).map(([name, place]) => [name, header?.values[place]])
  return Object.fromEntries([...named, ['extra', header?.extra]].filter(([, value]) => value !== undefined))
}

const mostly = (usual: readonly string[], odd: readonly string[]) =>
  fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

const key = mostly(
  ['msg_id', 'ts', 'task_id', 'parents', 'meta', 'own', 'a', 'b', 'c', 'x.y', '"quoted: key"'],
  ['"msg_id"', "'single'", 'a b', '<<', '? x', '-a', '1', '"é"', 'é', '#a', '"open'],
)
const value = mostly(
  [
    '',
    'plain',
    'two words',
    '012',
    '1.50',
    '-3',
    '0x1f',
    '~',
    'null',
    'true',
    '"quoted"',
    "'it''s'",
    '[]',
    '{}',
    'a:b',
    'é',
  ],
  [
    ...[
      ' ',
      '+.5e3',
      '.inf',
      'yes',
      '-',
      '- x',
      '--',
      '"a\\nb"',
      '"\\x41"',
      '"open',
      '"a" b',
      "'open",
      "''",
      '[a]',
      '{a: 1}',
      '[',
    ],
    ...[
      ' {} ',
      '&a x',
      '*a',
      '!t x',
      '|',
      '>-',
      'a: b',
      'a:',
      ':a',
      'a #b',
      'a#b',
      '# a',
      '@a',
      '`a',
      '%a',
      ',a',
      '?a',
      '? a',
    ],
    ...[
      '日本 語',
      '\t',
      'a\tb',
      'a ',
      'a\u2028b',
      '\ufeffa',
      'a\u0085',
      '\u00a0a',
      '12345678901234567890',
      '1e400',
      '2026-02-05',
    ],
    ...['=', '$a', '(a)', '""', '"\t"', "'\t'", "'a' b", '"é"', "'é'", '\0', '"\0"', '\x7f', '\ufffd', '-é', '-\u2028'],
  ],
)
const indent = mostly(['', '  '], ['    ', ' ', '\t'])
const colon = mostly([': '], [':', ':  ', ' : ', ':\t'])
const dash = mostly(['- '], ['-', '-   ', '-\t', '- - '])
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(indent, key, colon, value) },
  { weight: 2, arbitrary: fc.tuple(indent, dash, value) },
  { weight: 2, arbitrary: fc.tuple(indent, dash, key, colon, value) },
  { weight: 1, arbitrary: fc.tuple(mostly(['a: b', '  a: b'], ['', '  ', '# comment', '  # comment', 'text', '...'])) },
)
const header = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.constantFrom('\n', '\n', '\r\n'))
  .map(([lines, end]) => lines.map((parts) => `${parts.join('')}${end}`).join(''))

describe('the usual YAML', () => {
  campaign(
    'the usual YAML means what a parser of YAML says it does, wherever it is understood',
    casesOf(15_000),
    async (numRuns) => {
      let understood = 0
      fc.assert(
        fc.property(header, (text) => {
          const usual = readUsual(text)
          if (usual === undefined) return true
          understood++
          return isDeepStrictEqual(usual, readStrictHeader(Buffer.from(text), createPatience()))
        }),
        { numRuns },
      )
      expect(understood).toBeGreaterThan(numRuns / 30)
    },
  )

  it('is maps and lists in blocks, with scalars on one line', () => {
    const text = `msg_id: MSG-1
task_id: 012
run_id: "012"
issue_id: 'it''s'
parents:
- MSG-2
- msg_id: MSG-3
  kind: true
links:
  -
    kind: output
attachment_path:
meta:
  pid: 012
  ok: true
  none:
  ratio: -1.5e-3
  text: "1"
  list:
    - 1
    -
      - two
    - a: {}
      b: []
  "odd: key": x
other: 7
`
    expect(present(readUsual(text))).toEqual({
      msg_id: 'MSG-1',
      task_id: '012',
      run_id: '012',
      issue_id: "it's",
      parents: ['MSG-2', { msg_id: 'MSG-3', kind: 'true' }],
      links: [{ kind: 'output' }],
      attachment_path: null,
      meta: {
        pid: 12,
        ok: true,
        none: null,
        ratio: -0.0015,
        text: '1',
        list: [1, ['two'], { a: {}, b: [] }],
        'odd: key': 'x',
      },
      extra: { other: 7 },
    })
  })

  it.each([
    ['a comment', 'a: b # c\n'],
    ['a text over several lines', 'a: b\n  c\n'],
    ['a block of text', 'a: |\n  b\n'],
    ['a flow', 'a: [b]\n'],
    ['an alias', 'a: *b\n'],
    ['an anchor', 'a: &b c\n'],
    ['a tag', 'a: !b c\n'],
    ['a key twice', 'a: b\na: c\n'],
    ['a key twice within', 'meta:\n  a: b\n  a: c\n'],
    ['a merged key', '<<: a\n'],
    ['a tab', 'a:\tb\n'],
    ['a blank line', 'a: b\n\nc: d\n'],
    ['an odd indent', 'meta:\n    a: b\n  c: d\n'],
    ['a list in a list on one line', 'a:\n  - - b\n'],
    ['what is nested deep', Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
  ])('is not %s', (_, text) => {
    expect(readUsual(text)).toBeUndefined()
  })

  it('is not what is no UTF-8', () => {
    for (const bytes of [Buffer.from('a: \xff\n', 'latin1'), Buffer.from('a: "\xc3"\n', 'latin1')])
      expect(readUsual(bytes)).toBeUndefined()
  })
})
