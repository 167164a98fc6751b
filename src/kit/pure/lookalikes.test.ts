import { expect, it } from 'vitest'
import { foldCharacter } from './lookalikes.ts'

const LAST_CODE_POINT = 0x10ffff

it('folds every character whose parts have visible ASCII', () => {
  const unfolded: string[] = []
  for (let code = 0x80; code <= LAST_CODE_POINT; code++) {
    const character = String.fromCodePoint(code)
    const parts = character.normalize('NFKD')
    if (parts !== character && /[!-~]/.test(parts) && foldCharacter(character) === character) unfolded.push(character)
  }
  expect(unfolded).toEqual([])
})

it('reads a ligature of many parts as one sign', () => {
  expect(foldCharacter('\ufdfa')).toBe('\ufdfa')
})
