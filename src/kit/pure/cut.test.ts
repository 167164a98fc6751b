import { describe, expect, it } from 'vitest'
import { cutToCharacters, startOf } from './cut.ts'

describe('a text that is cut', () => {
  it('never ends in half of a character', () => {
    const text = 'ab😀cd'
    expect([1, 2, 3, 4, 5, 6, 7].map((length) => startOf(text, length))).toEqual([
      'a',
      'ab',
      'ab',
      'ab😀',
      'ab😀c',
      text,
      text,
    ])
    expect(startOf('😀', 0)).toBe('')
    expect(startOf('😀😀', 1)).toBe('')
  })

  it('says that something is missing, within its bound', () => {
    expect(cutToCharacters('ab😀cd', 6)).toBe('ab😀cd')
    expect(cutToCharacters('ab😀cd', 5)).toBe('ab😀…')
    expect(cutToCharacters('ab😀cd', 4)).toBe('ab…')
    expect(cutToCharacters('', 1)).toBe('')
  })
})
