import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import type { SpoolEntry } from '../spool/entry.ts'
import { spoolPath } from '../spool/path.ts'
import { openSessionSpool } from './session-spool.ts'

const entry = (id: string): SpoolEntry => ({ id, content: `content of ${id}`, priority: 2 })

function idsIn(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line).id)
}

describe("a courier's way to a spool", () => {
  it('puts every entry there once, also after it was taken', async () => {
    const path = spoolPath(temporaryFolder(), 's')
    const spool = openSessionSpool(path)
    expect(await spool.put([entry('a'), entry('b')])).toBe(true)
    await spool.put([entry('b'), entry('c')])
    expect(idsIn(path)).toEqual(['a', 'b', 'c'])
    truncateSync(path)
    await spool.put([entry('a'), entry('d')])
    expect(idsIn(path)).toEqual(['d'])
    expect(await spool.holds('a')).toBe(true)
    expect(await spool.holds('x')).toBe(false)
  })

  it('knows what stands there already, as after it was killed', async () => {
    const path = spoolPath(temporaryFolder(), 's')
    await openSessionSpool(path).put([entry('a'), entry('b')])
    const spool = openSessionSpool(path)
    expect(await spool.holds('b')).toBe(true)
    await spool.put([entry('a'), entry('c')])
    expect(idsIn(path)).toEqual(['a', 'b', 'c'])
  })

  it('puts everything there again where the folder was deleted', async () => {
    const root = temporaryFolder()
    const path = spoolPath(root, 's')
    const spool = openSessionSpool(path)
    await spool.put([entry('a')])
    rmSync(join(root, '.runtime'), { recursive: true })
    expect(await spool.holds('a')).toBe(false)
    await spool.put([entry('a')])
    expect(idsIn(path)).toEqual(['a'])
  })

  it('says once that what it had put there was deleted, also where a later entry found it out', async () => {
    const root = temporaryFolder()
    const spool = openSessionSpool(spoolPath(root, 's'))
    const remove = () => rmSync(join(root, '.runtime'), { recursive: true, force: true })
    remove()
    expect(spool.noticeDeletion()).toBe(false)
    await spool.put([entry('a')])
    expect(spool.noticeDeletion()).toBe(false)
    remove()
    expect([spool.noticeDeletion(), spool.noticeDeletion()]).toEqual([true, false])
    await spool.put([entry('a')])
    remove()
    await spool.put([entry('b')])
    expect([spool.noticeDeletion(), spool.noticeDeletion()]).toEqual([true, false])
  })

  it('adds nothing to a spool that is full, and again when it was taken', async () => {
    const path = spoolPath(temporaryFolder(), 's')
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, '\n'.repeat(16 * 1024 * 1024))
    const spool = openSessionSpool(path)
    expect(await spool.put([entry('a')])).toBe(false)
    truncateSync(path)
    expect(await spool.put([entry('a')])).toBe(true)
  })

  it('follows no link', async () => {
    const root = temporaryFolder()
    const path = spoolPath(root, 's')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(root, 'elsewhere'), path)
    await expect(openSessionSpool(path).put([entry('a')])).rejects.toMatchObject({ trouble: 'refused' })
  })
})
