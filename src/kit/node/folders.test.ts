import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NEEDS_LINUX } from '../../../test/helpers/needs.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { makePrivateFolder, syncFolder } from './folders.ts'

describe('makePrivateFolder', () => {
  it('makes what is missing, for its owner alone, and says whether it did', () => {
    const path = join(temporaryFolder(), 'a', 'b')
    expect(makePrivateFolder(path)).toBe(true)
    expect(makePrivateFolder(path)).toBe(false)
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it('leaves a folder that is there as it is', () => {
    const path = join(temporaryFolder(), 'open')
    mkdirSync(path, 0o755)
    makePrivateFolder(join(path, 'below'))
    expect(statSync(path).mode & 0o777).toBe(0o755)
  })

  it('fails where a file is in the way', () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, '')
    expect(() => makePrivateFolder(join(path, 'below'))).toThrow('EEXIST')
  })

  it('comes back with an error where no folder can be made at all', NEEDS_LINUX, () => {
    expect(() => makePrivateFolder('/proc/postern/below')).toThrow('ENOENT')
  })
})

describe('syncFolder', () => {
  it('takes a folder, and fails where there is none', () => {
    const path = temporaryFolder()
    expect(syncFolder(path)).toBeUndefined()
    expect(() => syncFolder(join(path, 'missing'))).toThrow('ENOENT')
  })
})
