import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ingestSpool } from '../../src/host/spool.ts'
import { appendEntry } from '../../src/spool/append.ts'
import { quarantinePath, spoolPath } from '../../src/spool/path.ts'
import { openLocal } from '../helpers/open-local.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/verifies.ts'
import { mountMemory, needsMounts } from './harness/disk.ts'
import { needsTrace } from './harness/strace.ts'

const SESSION = 'ses-1'
const append = (path: string, content: string) =>
  appendEntry({ path, entry: { content, priority: 2 }, patienceMs: 1_000, isDurable: true })

describe('a spool on a full disk', needsMounts(), () => {
  /** A project on a disk of its own, and a way to fill that up but for the room that is asked for. */
  function makeDisk() {
    const root = join(temporaryFolder(), 'disk')
    const unmount = mountMemory(root, 'size=256k')
    onTestFinished(unmount)
    const filler = join(root, 'filler')
    const fill = () => {
      const fd = openSync(filler, 'a')
      try {
        while (writeSync(fd, Buffer.alloc(4_096)) > 0);
      } catch {
        // It is full.
      } finally {
        closeSync(fd)
      }
    }
    return { root, path: spoolPath(root, SESSION), fill, free: () => rmSync(filler) }
  }

  it('takes an entry whole or not at all', async () => {
    verifies('G4.spool.full-disk')
    const { path, fill, free } = makeDisk()
    await append(path, 'one')
    fill()
    const before = readFileSync(path, 'utf8')
    // There is room to the end of the page that the file has begun, so the kernel writes a part of it.
    await expect(append(path, 'x'.repeat(20_000))).rejects.toMatchObject({
      trouble: 'unwritten',
      message: expect.stringMatching(/only \d+ of 2\d{4} bytes were written/),
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
    await append(path, 'two')
    free()
    await append(path, 'x'.repeat(20_000))
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(3)
  })

  it('still gives up its entries, and keeps the bad lines that cannot be put elsewhere', async () => {
    verifies('G4.spool.full-disk')
    const { root, path, fill, free } = makeDisk()
    const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
    onTestFinished(() => postern.close())
    await postern.agents.add({ id: 'quinn' })
    await append(path, 'one')
    appendFileSync(path, 'bad\n')
    fill()
    const ref = { agent: 'quinn', sessionId: SESSION, root }
    expect(await ingestSpool(postern, ref)).toEqual({ done: 1, kept: 1, quarantined: 0 })
    expect(readFileSync(path, 'utf8').trim()).toBe('bad')
    free()
    expect(await ingestSpool(postern, ref)).toEqual({ done: 0, kept: 0, quarantined: 1 })
    expect(statSync(path).size).toBe(0)
    expect(readFileSync(quarantinePath(path), 'utf8')).toContain('bad\n')
    expect((await postern.inbox.list({ agent: 'quinn' })).items).toHaveLength(1)
  })
})

describe('a spool whose writes fail', needsTrace(), () => {
  it.each(['error=EIO', 'error=ENOSPC'])('takes nothing of an entry (%s)', (fault) => {
    const path = spoolPath(temporaryFolder(), SESSION)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '{"content":"one"}\n')
    const module = new URL('../../src/spool/append.ts', import.meta.url).href
    const script = join(temporaryFolder(), 'script.mjs')
    writeFileSync(
      script,
      `import { appendEntry } from ${JSON.stringify(module)}
       const entry = { content: 'two', priority: 2 }
       const append = () => appendEntry({ path: ${JSON.stringify(path)}, entry, patienceMs: 1000 })
       await append().catch((error) => console.log(error.trouble))
       await append()`,
    )
    const words = [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-P',
      path,
      '-e',
      'trace=write',
      '-e',
      `inject=write:${fault}:when=1`,
    ]
    const ran = spawnSync('strace', [...words, process.execPath, script], { encoding: 'utf8' })
    expect(`${ran.stdout}${ran.stderr}`).toBe('unwritten\n')
    expect(readFileSync(path, 'utf8')).toBe('{"content":"one"}\n{"content":"two","priority":2}\n')
  })
})
