import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NEEDS_ROOT } from '../../test/helpers/needs.ts'
import { DEAD_MACHINE_MS } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { appendEntry } from './append.ts'
import { spoolPath } from './path.ts'

const open = () => spoolPath(temporaryFolder(), 'ses-1')
const append = (path: string, content: string, more: { isDurable?: boolean; patienceMs?: number } = {}) =>
  appendEntry({ path, entry: { content, priority: 2 }, patienceMs: 1_000, ...more })
const line = (content: string) => `${JSON.stringify({ content, priority: 2 })}\n`

function withFolder(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  return path
}

describe('to append', () => {
  it('makes the spool and the folders above it, for their owner alone', async () => {
    const path = open()
    await append(path, 'one')
    await append(path, 'two', { isDurable: true })
    expect(readFileSync(path, 'utf8')).toBe(line('one') + line('two'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const folder of [dirname(path), dirname(dirname(path))]) expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('puts the names of what it has made on the disk too, where the entry is to last', async () => {
    const path = open()
    const synced: unknown[] = []
    const { openSync } = fs
    const watched = (...words: Parameters<typeof openSync>) => [synced.push(words[0]), openSync(...words)][1]
    Object.assign(fs, { openSync: watched })
    syncBuiltinESMExports()
    onTestFinished(() => {
      Object.assign(fs, { openSync })
      syncBuiltinESMExports()
    })
    await append(path, 'one', { isDurable: true })
    const folders = [dirname(path), dirname(dirname(path)), dirname(dirname(dirname(path)))]
    expect(synced).toEqual(expect.arrayContaining(folders))
  })

  it('leaves the modes of what others made as they are', async () => {
    const path = withFolder(open())
    writeFileSync(path, '')
    chmodSync(path, 0o644)
    await append(path, 'one')
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  it('ends the line that another writer left open', async () => {
    const path = withFolder(open())
    writeFileSync(path, '{"content":"torn')
    await append(path, 'one')
    expect(readFileSync(path, 'utf8')).toBe(`{"content":"torn\n${line('one')}`)
  })

  it('waits for whoever holds the lock, for as long as it may', async () => {
    const path = withFolder(open())
    writeFileSync(path, '')
    const holder = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => {
      holder.kill('SIGKILL')
    })
    await once(holder.stdout, 'data')
    await expect(append(path, 'one', { patienceMs: 30 })).rejects.toMatchObject({ trouble: 'busy' })
    expect(readFileSync(path, 'utf8')).toBe('')
    const appending = append(path, 'two', { patienceMs: DEAD_MACHINE_MS })
    holder.kill('SIGKILL')
    await appending
    expect(readFileSync(path, 'utf8')).toBe(line('two'))
  })

  it('keeps entries apart that many append at once', async () => {
    const path = open()
    await Promise.all(Array.from({ length: 200 }, (_, at) => append(path, `${at}`, { patienceMs: DEAD_MACHINE_MS })))
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(new Set(lines.map((each) => JSON.parse(each).content)).size).toBe(200)
  })
})

describe('to append is refused', () => {
  it.each(['the spool', 'its folder', '.runtime'])('where %s is a link', async (what) => {
    const path = open()
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    const link = what === 'the spool' ? path : what === 'its folder' ? dirname(path) : dirname(dirname(path))
    mkdirSync(dirname(link), { recursive: true })
    if (what === 'the spool') writeFileSync(elsewhere, '')
    else mkdirSync(elsewhere)
    symlinkSync(elsewhere, link)
    await expect(append(path, 'one')).rejects.toMatchObject({ trouble: 'refused' })
    if (what === 'the spool') expect(readFileSync(elsewhere, 'utf8')).toBe('')
    else expect(existsSync(join(elsewhere, 'ses-1.jsonl'))).toBe(false)
  })

  it.each(['a pipe', 'a folder'])('where it is %s', async (what) => {
    const path = withFolder(open())
    if (what === 'a pipe') spawnSync('mkfifo', [path])
    else mkdirSync(path)
    await expect(append(path, 'one')).rejects.toMatchObject({ trouble: 'refused' })
  })

  it('where it, or its folder, belongs to another user', NEEDS_ROOT, async () => {
    const path = withFolder(open())
    writeFileSync(path, '')
    chownSync(path, 12_345, 12_345)
    await expect(append(path, 'one')).rejects.toMatchObject({ trouble: 'refused' })
    chownSync(path, 0, 0)
    chownSync(dirname(path), 12_345, 12_345)
    await expect(append(path, 'one')).rejects.toMatchObject({ trouble: 'refused' })
    expect(readFileSync(path, 'utf8')).toBe('')
  })
})
