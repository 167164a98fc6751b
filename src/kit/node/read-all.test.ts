import { type ChildProcess, spawn } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'

const MODULE = new URL('./read-all.ts', import.meta.url).href
const SCRIPT = `const { readAll } = await import(${JSON.stringify(MODULE)})
const text = await readAll(0, { maxBytes: Number(process.argv[1]), timeoutMs: Number(process.argv[2]) })
console.log(JSON.stringify([text.length, text.toString('utf8').slice(0, 20)]))
process.exit(0)`

function reader(maxBytes: number, timeoutMs: number): ChildProcess {
  const args = ['--input-type=module', '-e', SCRIPT, String(maxBytes), String(timeoutMs)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  let text = ''
  for await (const chunk of child.stdout ?? []) text += chunk
  return JSON.parse(text)
}

describe('reading everything', () => {
  it('reads to the end, in however many pieces it comes', async () => {
    const child = reader(1_000_000, 20_000)
    child.stdin?.write('one, ')
    child.stdin?.write('two, ')
    child.stdin?.end('x'.repeat(300_000))
    expect(await answerOf(child)).toEqual([300_010, 'one, two, xxxxxxxxxx'])
  })

  it('gives what there is where nobody closes the other end', async () => {
    const child = reader(1_000_000, 300)
    child.stdin?.write('half of it')
    expect(await answerOf(child)).toEqual([10, 'half of it'])
  })

  it('stops where there is too much', async () => {
    const child = reader(100_000, 20_000)
    child.stdin?.on('error', () => {})
    child.stdin?.end('x'.repeat(2_000_000))
    const [length] = (await answerOf(child)) as [number]
    expect(length).toBeGreaterThan(100_000)
    expect(length).toBeLessThan(300_000)
  })

  it('is done at once where there is nothing', async () => {
    const child = reader(1_000, 20_000)
    child.stdin?.end()
    expect(await answerOf(child)).toEqual([0, ''])
  })
})
