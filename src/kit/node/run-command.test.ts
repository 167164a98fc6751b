import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../../test/helpers/patience.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { runCommand } from './run-command.ts'

describe('a command', () => {
  it('tells how it ended and what it said', async () => {
    expect(await runCommand('echo hi; exit 3', { folder: null, timeoutMs: DEAD_MACHINE_MS })).toEqual({
      exitCode: 3,
      output: 'hi\n',
    })
  })

  it('runs in its folder, with what it is given to read', async () => {
    const { output } = await runCommand('pwd; cat', { folder: '/', timeoutMs: DEAD_MACHINE_MS, input: 'text' })
    expect(output).toBe('/\ntext')
  })

  it('is ended with all that it started when it takes too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const begun = join(temporaryFolder(), 'begun')
    const running = runCommand(`sleep 600 & echo $!; touch '${begun}'; wait`, { folder: null, timeoutMs: 300 })
    await expect.poll(() => existsSync(begun), PATIENTLY).toBe(true)
    vi.advanceTimersByTime(300)
    const { exitCode, output } = await running
    expect(exitCode).toBeNull()
    const pid = Number(output)
    expect(pid).toBeGreaterThan(1)
    await expect.poll(() => isRunning(pid), PATIENTLY).toBe(false)
  })

  it('is heard to its last word, however much it says', async () => {
    const { output } = await runCommand('head -c 60000 /dev/zero | tr "\\0" x; printf end', {
      folder: null,
      timeoutMs: DEAD_MACHINE_MS,
    })
    expect(output).toBe(`${'x'.repeat(60_000)}end`)
  })

  it('does not wait for what it left behind', async () => {
    // A test that waits for it takes too long.
    const { exitCode, output } = await runCommand('sleep 600 & echo $!', { folder: null, timeoutMs: 600_000 })
    expect(exitCode).toBe(0)
    process.kill(Number(output))
  })

  it('fails where it cannot be started', async () => {
    expect(await runCommand('true', { folder: '/does/not/exist', timeoutMs: DEAD_MACHINE_MS })).toMatchObject({
      exitCode: 127,
    })
  })

  it('fails where the path of its folder is too long', async () => {
    const folder = `/${'x'.repeat(5_000)}`
    expect(await runCommand('true', { folder, timeoutMs: DEAD_MACHINE_MS })).toEqual({ exitCode: 127, output: '' })
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
