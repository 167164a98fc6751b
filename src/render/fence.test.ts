import { describe, expect, it } from 'vitest'
import { ATTACKS, findBreaches, GUESSED_NONCE, sampleMessage } from '../../test/helpers/attacks.ts'
import { verifies } from '../../test/scenarios/verifies.ts'
import { renderDrain } from './drain.ts'

const nonce = GUESSED_NONCE

/** The right output around a body that a careless renderer has put in as it pleased. */
function frameAround(body: string): string {
  const marker = 'BODY GOES HERE'
  const output = renderDrain({ offer: null, messages: [sampleMessage({ content: marker })], remaining: 0 }, { nonce })
  return output.replace(`│ ${marker}`, () => body)
}

const prefixed = (text: string) =>
  text
    .split('\n')
    .map((line) => `│ ${line}`)
    .join('\n')
const visible = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => (c === '\n' ? c : '?'))

/** Each leaves out one thing that the renderer does. */
const CARELESS: Readonly<Record<string, { readonly render: (text: string) => string; readonly breach: RegExp }>> = {
  'strips two literal strings': {
    render: (text) => prefixed(visible(text.replaceAll('<system-reminder>', '').replaceAll('</system-reminder>', ''))),
    breach: /reserved tag/,
  },
  'escapes plain angle brackets before reserved names only': {
    render: (text) => prefixed(visible(text.replaceAll(/<(?=[\s/]*(?:system|user|human|assistant))/gi, '\\'))),
    breach: /reserved tag/,
  },
  'puts no prefix before lines': { render: visible, breach: /line without prefix|provenance lines/ },
  'escapes no control characters': { render: prefixed, breach: /raw control character/ },
  'escapes C0 controls only': {
    render: (text) => prefixed(text.replaceAll(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '?')),
    breach: /raw (?:bidirectional|tag|invisible)/,
  },
  'lets the nonce through': { render: (text) => prefixed(visible(text)), breach: /nonce/ },
}

describe('the oracle', () => {
  it('has at least 300 distinct attacks', () => {
    expect(new Set(ATTACKS.map((attack) => attack.text)).size).toBeGreaterThanOrEqual(300)
    expect(new Set(ATTACKS.map((attack) => attack.name)).size).toBe(ATTACKS.length)
  })

  it('finds nothing wrong with an ordinary drain', () => {
    expect(findBreaches(frameAround(prefixed('if (a < b) List<String>')), nonce)).toEqual([])
  })

  it.each(Object.entries(CARELESS))('catches a renderer that %s', (_, { render, breach }) => {
    verifies('G14.fence', 'G14.terminal')
    const breaches = ATTACKS.flatMap(({ text }) => findBreaches(frameAround(render(text)), nonce))
    expect(breaches.some((found) => breach.test(found))).toBe(true)
  })

  it('catches a second fence and a changed one', () => {
    const output = frameAround('│ x')
    expect(findBreaches(`${output}\n${output}`, nonce)).not.toEqual([])
    expect(findBreaches(output.replace(`fence ${nonce}`, 'fence zzzzzzzzzzzz'), nonce)).not.toEqual([])
  })

  it('sees through every disguise of a tag', () => {
    // Greek capitals are beyond its table; whether an escape splits a name shows only once it is written out.
    const isSeen = (text: string) =>
      [text, visible(text)].some((body) =>
        findBreaches(frameAround(prefixed(body)), nonce).some((breach) => breach.startsWith('reserved tag')),
      )
    const tags = ATTACKS.filter(({ name }) => name.startsWith('tag system-reminder') && !name.includes('capitals'))
    expect(tags.filter(({ text }) => !isSeen(text)).map(({ name }) => name)).toEqual([])
  })
})
