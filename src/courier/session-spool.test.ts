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

describe('a session spool', () => {
  it('adds every entry once, also after it was taken', async () => {
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

  it('recognises entries that are already in the file, as after a restart', async () => {
    const path = spoolPath(temporaryFolder(), 's')
    await openSessionSpool(path).put([entry('a'), entry('b')])
    const spool = openSessionSpool(path)
    expect(await spool.holds('b')).toBe(true)
    await spool.put([entry('a'), entry('c')])
    expect(idsIn(path)).toEqual(['a', 'b', 'c'])
  })

  it('adds everything again after the folder was deleted', async () => {
    const root = temporaryFolder()
    const path = spoolPath(root, 's')
    const spool = openSessionSpool(path)
    await spool.put([entry('a')])
    rmSync(join(root, '.runtime'), { recursive: true })
    expect(await spool.holds('a')).toBe(false)
    await spool.put([entry('a')])
    expect(idsIn(path)).toEqual(['a'])
  })

  it('reports a deletion once, also if adding a later entry discovered it', async () => {
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

  it('adds nothing while the spool is full, and continues once it was taken', async () => {
    const path = spoolPath(temporaryFolder(), 's')
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, '\n'.repeat(16 * 1024 * 1024))
    const spool = openSessionSpool(path)
    expect(await spool.put([entry('a')])).toBe(false)
    truncateSync(path)
    expect(await spool.put([entry('a')])).toBe(true)
  })

  it('does not follow a symbolic link', async () => {
    const root = temporaryFolder()
    const path = spoolPath(root, 's')
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(root, 'elsewhere'), path)
    await expect(openSessionSpool(path).put([entry('a')])).rejects.toMatchObject({ trouble: 'refused' })
  })
})
