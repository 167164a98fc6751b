import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../test/helpers/temp.ts'
import { type KeptOutput, keepOutput, openOutput } from './kept-output.ts'
import { openPipes } from './pipe.ts'

interface Kept extends KeptOutput {
  readonly path: string
}

async function keep(source: Readable, lookingOn: number): Promise<Kept> {
  const path = join(temporaryFolder(), 'output.txt')
  const output = keepOutput(source, await openOutput(path), lookingOn)
  onTestFinished(() => output.close())
  return Object.assign(output, { path })
}

function lookOn(): { readonly fd: number; readonly path: string } {
  const path = join(temporaryFolder(), 'shown.txt')
  const fd = openSync(path, 'w')
  onTestFinished(() => closeSync(fd))
  return { fd, path }
}

async function pipe() {
  const [made] = (await openPipes(temporaryFolder(), ['.pipe'])) ?? []
  if (!made) throw new Error('no pipe can be made here')
  return made
}

describe('output that is kept', () => {
  it('is in the file and shown, byte for byte', async () => {
    const source = new PassThrough()
    const { fd, path } = lookOn()
    const output = await keep(source, fd)
    const chunks = Array.from({ length: 500 }, (_, at) => Buffer.alloc(at * 7, at))
    for (const chunk of chunks) source.write(chunk)
    source.end()
    await output.kept
    await output.shown
    expect(readFileSync(output.path).equals(Buffer.concat(chunks))).toBe(true)
    expect(readFileSync(path).equals(Buffer.concat(chunks))).toBe(true)
    expect(output.unkept).toBe(0)
  })

  it('is kept to the end where nobody takes what is shown', async () => {
    const looking = await pipe()
    const source = new PassThrough()
    const output = await keep(source, looking.fd)
    const bytes = Buffer.alloc(4 * 1024 * 1024, 'x')
    source.end(bytes)
    await output.kept
    expect(readFileSync(output.path).length).toBe(bytes.length)
    // Whoever looked on goes away.
    looking.source.destroy()
    await output.shown
    looking.closeOurs()
  })

  it('ends with the command, though something that it has started still holds the pipe', async () => {
    const made = await pipe()
    const { fd } = lookOn()
    const output = await keep(made.source, fd)
    const child = spawn('sh', ['-c', 'sleep 600 & echo $!; head -c 60000 /dev/zero'], { stdio: ['ignore', made.fd, 2] })
    made.closeOurs()
    await once(child, 'exit')
    output.finish()
    await output.kept
    const kept = readFileSync(output.path)
    process.kill(Number.parseInt(kept.toString('latin1'), 10), 'SIGKILL')
    expect(kept.length).toBe(60_000 + kept.indexOf('\n') + 1)
  })

  it('counts what the disk did not take, and shows the rest', async () => {
    const source = new PassThrough()
    const { fd } = lookOn()
    const file = await import('node:fs/promises').then(({ open }) => open('/dev/full', 'a+'))
    const output = keepOutput(source, file, fd)
    source.end(Buffer.alloc(1_000))
    await output.kept
    await output.shown
    expect(output.unkept).toBe(1_000)
    await output.close()
  })
})
