import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NEEDS_LINUX } from '../../../test/helpers/needs.ts'
import { FULL } from '../../../test/helpers/tier.ts'
import { writeWhole } from './output.ts'

const run = promisify(execFile)
const MODULE = new URL('./output.ts', import.meta.url).href

/** Writes `length` characters and a newline to stdout, then says on stderr how that went. */
const WRITER = `
import { writeWhole } from ${JSON.stringify(MODULE)}
const [length, pipeGraceMs, nonBlocking] = process.argv.slice(1).map(Number)
if (nonBlocking) process.stdout.writableLength // Opening the stream makes the descriptor non-blocking.
let turns = 0
const ticking = setInterval(() => ++turns === 10 && console.error('ten turns'), 1)
try {
  await writeWhole(1, 'x'.repeat(length) + '\\n', { pipeGraceMs })
  console.error(JSON.stringify({ printed: true }))
} catch (error) {
  console.error(JSON.stringify({ printed: false, code: error.code }))
}
clearInterval(ticking)
`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-output-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A writer waits for all of it before it looks whether its reader has left. A busy machine ends a reader sooner. */
const LONG_GRACE_MS = 5_000

/** Runs the writer with its output redirected by a shell. */
async function writeThrough(redirection: string, length: number, graceMs = 40) {
  const script = `"$0" --input-type=module -e "$1" "$2" "$3" ${redirection}`
  const { stdout, stderr } = await run('bash', [
    '-c',
    script,
    process.execPath,
    WRITER,
    String(length),
    String(graceMs),
  ])
  return { stdout, result: JSON.parse(stderr.split('\n').at(-2) ?? '') as { printed: boolean; code?: string } }
}

describe('writeWhole', () => {
  it('notices a reader that leaves early', FULL, async () => {
    const { stdout, result } = await writeThrough('| head -c 10', 5_000, LONG_GRACE_MS)
    expect(result).toEqual({ printed: false, code: 'EPIPE' })
    expect(stdout).toBe('x'.repeat(10))
  })

  it('notices a reader that leaves in the midst of much', async () => {
    const { result } = await writeThrough('| head -c 10', 1_000_000, LONG_GRACE_MS)
    expect(result).toEqual({ printed: false, code: 'EPIPE' })
  })

  it('notices a reader that never was', async () => {
    const { result } = await writeThrough('| true', 1, LONG_GRACE_MS)
    expect(result).toEqual({ printed: false, code: 'EPIPE' })
  })

  it('gives a reader that stays everything', async () => {
    const { stdout, result } = await writeThrough('| cat', 5_000)
    expect(result.printed).toBe(true)
    expect(stdout).toBe(`${'x'.repeat(5_000)}\n`)
  })

  it('throws where the disk is full', NEEDS_LINUX, async () => {
    const { result } = await writeThrough('> /dev/full', 10)
    expect(result).toEqual({ printed: false, code: 'ENOSPC' })
  })

  it('throws where the descriptor is closed', async () => {
    const path = join(folder, 'closed')
    const fd = openSync(path, 'w')
    closeSync(fd)
    await expect(writeWhole(fd, 'text')).rejects.toMatchObject({ code: 'EBADF' })
  })

  it('writes a file without any wait', async () => {
    const path = join(folder, 'file')
    const fd = openSync(path, 'w')
    await writeWhole(fd, 'grüße €\n', { pipeGraceMs: 3_600_000 })
    closeSync(fd)
    expect(readFileSync(path, 'utf8')).toBe('grüße €\n')
  })

  it.each([
    ['a descriptor that blocks', 0],
    ['a descriptor that does not block', 1],
  ])('gives a slow reader everything through %s', async (_name, nonBlocking) => {
    const args = ['--input-type=module', '-e', WRITER, '1000000', '40', String(nonBlocking)]
    const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    const said = writer.stderr.setEncoding('utf8').toArray()
    let length = 0
    for await (const chunk of writer.stdout) {
      length += (chunk as Buffer).length
      // One turn of the loop between two reads is slow enough for the buffer to be full most of the time.
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (writer.exitCode === null) await once(writer, 'exit')
    expect(length).toBe(1_000_001)
    expect((await said).join('')).toContain('"printed":true')
  })

  it('lets others run while a reader is slow', async () => {
    const args = ['--input-type=module', '-e', WRITER, '1000000', '0', '1']
    const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    // The writer has far more than a buffer takes and nobody reads, so these are turns it has while it waits.
    const [turns] = await once(writer.stderr.setEncoding('utf8'), 'data')
    expect(turns).toBe('ten turns\n')
    const said = writer.stderr.toArray()
    for await (const _ of writer.stdout);
    expect((await said).join('')).toContain('"printed":true')
  })
})
