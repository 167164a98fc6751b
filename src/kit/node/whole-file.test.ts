import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createWhole, createWholeText } from './whole-file.ts'

describe('createWhole', () => {
  it('makes a private file and leaves nothing beside it', async () => {
    const folder = temporaryFolder()
    await createWhole(join(folder, 'a'), async (partial) => writeFileSync(partial, 'all of it'))
    expect(readdirSync(folder)).toEqual(['a'])
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('all of it')
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  })

  it('makes nothing where writing fails', async () => {
    const folder = temporaryFolder()
    const failing = createWhole(
      join(folder, 'a'),
      async (partial) => {
        writeFileSync(`${partial}-wal`, 'rest')
        throw new Error('no')
      },
      ['-wal'],
    )
    await expect(failing).rejects.toThrow('no')
    expect(readdirSync(folder)).toEqual([])
  })

  it('never replaces a file', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a'), 'mine')
    const again = createWhole(join(folder, 'a'), async (partial) => writeFileSync(partial, 'other'))
    await expect(again).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('mine')
    expect(readdirSync(folder)).toEqual(['a'])
  })
})

describe('createWholeText', () => {
  it('makes a private file at once, never replaces one, and leaves nothing beside it', () => {
    const folder = temporaryFolder()
    createWholeText(join(folder, 'a'), 'all of it')
    expect(() => createWholeText(join(folder, 'a'), 'another')).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    expect(readdirSync(folder)).toEqual(['a'])
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('all of it')
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  })
})
