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
    ['< / SYSTEM-reminder >', '\\u{3c} / SYSTEM-reminder >'],
    ['&amp;lt;user&gt;', '\\u{26}amp;lt;user&gt;'],
    ['＜ｕｓｅｒ＞', '\\u{ff1c}ｕｓｅｒ＞'],
    ['<us\u200ber>', '\\u{3c}us\\u{200b}er>'],
    ['<|im_start|>', '\\u{3c}|im_start|>'],
    ['[INST]', '\\u{5b}INST]'],
    ['\x1b[2J', '\\u{1b}[2J'],
    ['a\rb\r\nc', 'a\\u{d}b\nc'],
  ])('writes %j as %j', (text, shown) => {
    expect(neutralise(text, BLOCK)).toBe(shown)
  })

  it.each([
    ['a system <', 'a system \\u{3c}'],
    ['a </sys', 'a \\u{3c}/sys'],
    ['see [', 'see \\u{5b}'],
    ['a <b', 'a <b'],
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
    expect(neutraliseTo(12, 'see <systemd-resolved>', LINE)).toBe('see …')
    expect(neutraliseTo(8, 'abc\x1bdef', LINE)).toBe('abc…')
    expect(neutraliseTo(8, 'abcdefgh', LINE)).toBe('abcdefgh')
  })

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
      neutralise((head + piece.repeat(64 * 1024)).slice(0, 64 * 1024), BLOCK)
      neutralise(`${head}${piece.repeat(64 * 1024)}`.slice(0, 64 * 1024), QUOTED)
    }
    // A quadratic reading of 64 KB needs minutes.
    const { user, system } = process.cpuUsage(begun)
    expect((user + system) / 1000).toBeLessThan(8_000)
  })
})
