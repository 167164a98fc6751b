import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { readKeyFile } from './key-file.ts'

const SECRET = '302e020100300506032b657004220420'.padEnd(96, '07')

function makeFile(text = SECRET, mode = 0o600): string {
  const path = join(temporaryFolder(), 'operator.key')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

describe('the file of a key', () => {
  it('is read where it is private', () => {
    expect(readKeyFile(makeFile())).toBe(SECRET)
    expect(readKeyFile(makeFile(SECRET, 0o400))).toBe(SECRET)
  })

  it.each([0o640, 0o604, 0o620, 0o644, 0o666])('is refused where others can get at it: %o', (mode) => {
    const path = makeFile(SECRET, mode)
    expect(() => readKeyFile(path)).toThrow(expect.objectContaining({ code: 'LEDGER_KEY_INVALID' }))
    expect(() => readKeyFile(path)).not.toThrow(new RegExp(SECRET))
  })

  it('is refused where it is missing, a folder, a link or far too large', () => {
    const folder = temporaryFolder()
    const [link, inner] = [join(folder, 'link'), join(folder, 'folder')]
    symlinkSync(makeFile(), link)
    mkdirSync(inner, { mode: 0o700 })
    for (const path of [join(folder, 'missing'), inner, link, makeFile('0'.repeat(9_000))]) {
      expect(() => readKeyFile(path)).toThrow(expect.objectContaining({ code: 'LEDGER_KEY_INVALID' }))
    }
  })
})
