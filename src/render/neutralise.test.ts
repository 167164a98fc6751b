import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ATTACKS, findTextBreaches } from '../../test/helpers/attacks.ts'
import { casesOf } from '../../test/helpers/property-cases.ts'
import { campaign } from '../../test/helpers/tier.ts'
import { verifies } from '../../test/scenarios/verifies.ts'
import { BLOCK, LINE, NAME, neutralise, neutraliseTo, QUOTED, TOKEN } from './neutralise.ts'

const SURFACES = { BLOCK, LINE, QUOTED, NAME, TOKEN }

/** The pieces that disguises are made of, for combinations nobody thought of. */
const PIECES =
  '< > / & % ; # x : - _ | ! [ ] \\ " ＜ ‹ &lt; &lt &#60; &#x3c; &#60 %3c %26 %25 &amp; amp; lt; #60; 3c 60 26 system -reminder reminder sys tem user assistant INST SYS s im_start antml postern channel d 1 a с е \u200b \u0301 \x1b'
    .split(' ')
    .concat(' ', '\n', '\t', '\r', '\r\n')

describe('neutralise', () => {
  it.each([
    ['<system-reminder>', '\\u{3c}system-reminder>'],
    ['</sys</system-reminder>tem-reminder>', '</sys\\u{3c}/system-reminder>tem-reminder>'],
    ['<systemreminder>', '\\u{3c}systemreminder>'],
    ['< / SYSTEM-reminder >', '\\u{3c} / SYSTEM-reminder >'],
    ['&amp;lt;user&gt;', '\\u{26}amp;lt;user&gt;'],
    ['＜ｕｓｅｒ＞', '\\u{ff1c}ｕｓｅｒ＞'],
    ['<us\u200ber>', '\\u{3c}us\\u{200b}er>'],
    ['<|im_start|>', '\\u{3c}|im_start|>'],
    ['[INST]', '\\u{5b}INST]'],
    ['<bash-input>ls</bash-input>', '\\u{3c}bash-input>ls\\u{3c}/bash-input>'],
    ['<not_yet_known a="b">', '\\u{3c}not_yet_known a="b">'],
    ['<tool><Think><s><hook_context>', '\\u{3c}tool>\\u{3c}Think>\\u{3c}s>\\u{3c}hook_context>'],
    ['vector<size_t> v(n<max-1)', 'vector<size_t> v(n<max-1)'],
    ['fn()<size_t>()', 'fn()<size_t>()'],
    ['vector<std::size_t> a<my-x:bash-input>', 'vector<std::size_t> a\\u{3c}my-x:bash-input>'],
    ['a<bash-input>ls</new-tag>', 'a\\u{3c}bash-input>ls\\u{3c}/new-tag>'],
    ['a<tool_new>, a<my-x>, a<system-reminder>', 'a\\u{3c}tool_new>, a<my-x>, a\\u{3c}system-reminder>'],
    [
      '>&gt<new-tag> ｗ<new-tag> a&lt;new-tag> a＜new-tag>',
      '>&gt\\u{3c}new-tag> ｗ\\u{3c}new-tag> a\\u{26}lt;new-tag> a\\u{ff1c}new-tag>',
    ],
    ['a<a-new-tag-that-is-longer-than-any-type-ever-is>', 'a\\u{3c}a-new-tag-that-is-longer-than-any-type-ever-is>'],
    ['a\u200b<new-tag> a < new-tag>', 'a\\u{200b}\\u{3c}new-tag> a \\u{3c} new-tag>'],
    ['a < b-c, <p>, <code>', 'a \\u{3c} b-c, <p>, <code>'],
    ['\x1b[2J', '\\u{1b}[2J'],
    ['a\rb\r\nc', 'a\\u{d}b\nc'],
  ])('writes %j as %j', (text, shown) => {
    expect(neutralise(text, BLOCK)).toBe(shown)
  })

  it.each([
    ['a system <', 'a system \\u{3c}'],
    ['a </sys', 'a \\u{3c}/sys'],
    ['see [', 'see \\u{5b}'],
    ['a <q', 'a <q'],
  ])('lets no text end in a bracket that the next line could make a tag: %j', (text, shown) => {
    expect(neutralise(text, LINE)).toBe(shown)
  })

  it('leaves nothing reserved or unseen on any surface', () => {
    verifies('G14.fence', 'G14.terminal')
    const breaches = ATTACKS.flatMap(({ name, text }) =>
      Object.entries(SURFACES).flatMap(([surface, kind]) =>
        findTextBreaches(neutralise(text, kind)).map((breach) => `${name} on ${surface}: ${breach}`),
      ),
    )
    expect(breaches).toEqual([])
  })

  campaign('leaves nothing reserved or unseen in any combination of disguises', casesOf(5_000), async (numRuns) => {
    verifies('G14.fence', 'G14.terminal')
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (hostile, max) => {
        expect(findTextBreaches(neutralise(hostile, BLOCK))).toEqual([])
        expect(findTextBreaches(neutralise(hostile, QUOTED))).toEqual([])
        const cut = neutraliseTo(max, hostile, LINE)
        expect(cut.length).toBeLessThanOrEqual(max)
        expect(findTextBreaches(cut)).toEqual([])
      }),
      { numRuns },
    )
  })

  it('changes nothing more when it is done again', () => {
    for (const { text } of ATTACKS) {
      const once = neutralise(text, BLOCK)
      expect(neutralise(once, BLOCK)).toBe(once)
    }
  })

  it('cuts without making a tag of a longer word', () => {
    expect(neutraliseTo(12, 'see <systemically>', LINE)).toBe('see …')
    expect(neutraliseTo(8, 'abc\x1bdef', LINE)).toBe('abc…')
    expect(neutraliseTo(8, 'abcdefgh', LINE)).toBe('abcdefgh')
  })

  /** Characters. */
  const LONG = 32 * 1024

  it.each([
    '<',
    '&lt;',
    '&',
    '&amp;',
    '&#',
    '&#60',
    '&#x',
    '%',
    '%3',
    '%3c',
    '</',
    '< ',
    '<|',
    '<s',
    '<x:',
    '[',
    '[/',
    '<system',
    '<-',
    '\u200b',
    '＜',
    '&#0',
    ';',
    '&a;',
    'a',
    '<a ',
    ' ',
    '\n',
    '/',
    '\\u{',
    '%3%3%3%31',
    '1&#49;',
  ])('takes time linear in a text of many %j', (piece) => {
    const begun = process.cpuUsage()
    for (const head of ['', '<', '&#x', '%']) {
      neutralise((head + piece.repeat(LONG)).slice(0, LONG), BLOCK)
      neutralise((head + piece.repeat(LONG)).slice(0, LONG), QUOTED)
    }
    // A quadratic reading of so much needs half a minute.
    const { user, system } = process.cpuUsage(begun)
    expect((user + system) / 1000).toBeLessThan(5_000)
  })
})
