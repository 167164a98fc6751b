import { describe, expect, it } from 'vitest'
import { sampleMessage } from '../../test/helpers/attacks.ts'
import { renderEntry } from './entry.ts'
import { renderLines } from './lines.ts'
import { isRepetition } from './repetition.ts'

const said = 'The disk is full.'
const sent = (changes: object) => sampleMessage({ subject: 'Blocked', content: said, ...changes })
const bodyOf = (changes: object) => renderEntry(sent(changes), 'whole', '1/1').split('\n').slice(1)
const lineOf = (changes: object) => renderLines([sent(changes)], 0).split('\n')[1]

describe('a payload that says what the content says', () => {
  it('is a repetition, as text or as the only words of an object', () => {
    for (const payload of [said, { text: said }, { body: said }, { message: said }, { note: said }]) {
      expect(isRepetition(payload, said)).toBe(true)
    }
    for (const payload of [`${said} `, { text: said, n: 1 }, { title: said }, { text: 'x' }, [said], {}, 7]) {
      expect(isRepetition(payload, said)).toBe(false)
    }
  })

  it('is one whatever signs it has, and none because of its signs', () => {
    for (const odd of ['a\u2028b\nc', '"', '$1', '","n":"1', '\\']) {
      expect(isRepetition({ text: odd }, odd)).toBe(true)
      expect(isRepetition({ text: 'a', n: '1' }, odd)).toBe(false)
    }
    expect(isRepetition({ text: 'a', n: '1' }, 'a","n":"1')).toBe(false)
  })

  it('is shown once to a model', () => {
    expect(bodyOf({ payload: { text: said } })).toEqual(['│ subject: Blocked', `│ ${said}`])
    expect(bodyOf({ subject: said })).toEqual([`│ ${said}`])
    expect(bodyOf({ subject: said, payload: { disk: 'sda' } })).toEqual([`│ ${said}`, '├  payload', '│ {"disk":"sda"}'])
  })

  it('is shown once in a line, which leaves out nothing else', () => {
    expect(lineOf({ payload: { text: said } })).toBe(`[mail] rosa: "Blocked" "${said}"`)
    expect(lineOf({ subject: said, payload: { disk: 'sda' } })).toBe(`[mail] rosa: "${said}" {"disk":"sda"}`)
  })
})
