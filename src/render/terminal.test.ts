import { describe, expect, it } from 'vitest'
import { ATTACKS, findTextBreaches } from '../../test/helpers/attacks.ts'
import { verifies } from '../../test/scenarios/verifies.ts'
import { displayWidth, foldLines, showBlock, showField } from './terminal.ts'

describe('showField', () => {
  it('keeps a short field and cuts a long one to its columns', () => {
    expect(showField('rosa', 10)).toBe('rosa')
    expect(showField('one\ntwo\tthree', 40)).toBe('one\\ntwo three')
    expect(showField('a long subject line', 10)).toBe('a long su…')
    expect(showField('日本語の件名', 7)).toBe('日本語…')
  })

  it('withstands every attack at every width', () => {
    verifies('G14.terminal')
    for (const { name, text } of ATTACKS) {
      for (const width of [1, 8, 20, 80]) {
        const shown = showField(text, width)
        expect(displayWidth(shown), name).toBeLessThanOrEqual(width)
        expect(shown, name).not.toContain('\n')
        expect(findTextBreaches(shown), name).toEqual([])
      }
    }
  })
})

describe('showBlock', () => {
  it('marks every line as quoted', () => {
    expect(showBlock('one\n\n\ttwo')).toBe('│ one\n│\n│ \ttwo')
  })

  it('withstands every attack', () => {
    verifies('G14.fence', 'G14.terminal')
    for (const { name, text } of ATTACKS) {
      const shown = showBlock(text)
      expect(findTextBreaches(shown), name).toEqual([])
      expect(
        shown.split('\n').every((line) => /^│(?: |$)/.test(line)),
        name,
      ).toBe(true)
    }
  })
})

describe('foldLines', () => {
  it('makes no tag of a word that it breaks', () => {
    verifies('G14.terminal')
    const words = [
      '<system7f3k9q2m4xzp>',
      '<toolbox9',
      '<<system7f3k9q2m4xzp',
      `<${'system'.repeat(30)}`,
      'a < b',
      '<日本語の件名>',
    ]
    for (const word of [...words, ...ATTACKS.map(({ text }) => text.slice(0, 200))])
      for (const before of [0, 3, 8, 13, 19]) {
        const folded = foldLines(showBlock(`${'x'.repeat(before)} ${word} x ${word}`), 24)
        expect(findTextBreaches(folded), folded).toEqual([])
        for (const row of folded.split('\n')) {
          expect(row).toMatch(/^│/)
          expect(displayWidth(row.replaceAll('\t', ' '.repeat(8)))).toBeLessThanOrEqual(24)
        }
      }
  })

  it('leaves lines that fit', () => {
    expect(foldLines('┌── a\n│ b', 80)).toBe('┌── a\n│ b')
  })

  it('begins every row of a long line with the mark of quoted text', () => {
    verifies('G14.fence')
    const folded = foldLines(showBlock(`${' '.repeat(78)}┌── postern inbox${'日'.repeat(60)}\t\tx`), 80).split('\n')
    expect(folded.length).toBeGreaterThan(2)
    for (const row of folded) {
      expect(row.startsWith('│ ')).toBe(true)
      expect(displayWidth(row)).toBeLessThanOrEqual(80)
    }
  })
})
