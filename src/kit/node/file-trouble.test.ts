import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { codeOf, fileTrouble } from './file-trouble.ts'

function caught(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

it('says what the system has against a file', () => {
  expect(fileTrouble(caught(() => readFileSync(tmpdir())))).toBe('it is a folder (EISDIR)')
  expect(fileTrouble(Object.assign(new Error('x'), { code: 'EBUSY' }))).toBe('EBUSY')
})

it('says nothing of errors that are not about files', () => {
  expect(fileTrouble(caught(() => readFileSync({} as string)))).toBeUndefined()
  expect(fileTrouble(new Error('x'))).toBeUndefined()
  expect(codeOf(undefined)).toBeUndefined()
  expect(codeOf({ code: 1 })).toBeUndefined()
})
