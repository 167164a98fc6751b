import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runCommand } from './run-command.ts'

describe('a command', () => {
  it('tells how it ended and what it said', async () => {
    expect(await runCommand('echo hi; exit 3', { folder: null, timeoutMs: 5_000 })).toEqual({
      exitCode: 3,
      output: 'hi\n',
    })
  })

  it('runs in its folder, with what it is given to read', async () => {
    const { output } = await runCommand('pwd; cat', { folder: '/', timeoutMs: 5_000, input: 'text' })
    expect(output).toBe('/\ntext')
  })

  it('is ended with all that it started when it takes too long', async () => {
    const { exitCode, output } = await runCommand('sleep 60 & echo $!; wait', { folder: null, timeoutMs: 300 })
    expect(exitCode).toBeNull()
    const pid = Number(output)
    expect(pid).toBeGreaterThan(1)
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('is heard to its last word, however much it says', async () => {
    const { output } = await runCommand('head -c 60000 /dev/zero | tr "\\0" x; printf end', {
      folder: null,
      timeoutMs: 5_000,
    })
    expect(output).toBe(`${'x'.repeat(60_000)}end`)
  })

  it('does not wait for what it left behind', async () => {
    const since = performance.now()
    const { exitCode, output } = await runCommand('sleep 20 & echo $!', { folder: null, timeoutMs: 10_000 })
    expect(performance.now() - since).toBeLessThan(5_000)
    expect(exitCode).toBe(0)
    process.kill(Number(output))
  })

  it('fails where it cannot be started', async () => {
    expect(await runCommand('true', { folder: '/does/not/exist', timeoutMs: 5_000 })).toMatchObject({ exitCode: 127 })
  })
})

/** A dead process whose parent has not noticed yet is not running. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
