import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../test/helpers/temp.ts'
import { isAlive, processStart } from '../../../kit/node/processes.ts'
import { type HeldCommand, holdCommand } from './held-command.ts'

const PATH = process.env['PATH']

function hold(words: readonly string[], env: Record<string, string> = {}, folder = temporaryFolder()) {
  return holdCommand({ words, env: { PATH, ...env }, input: undefined, folder })
}

async function outcomeOf(command: HeldCommand) {
  const [stdout, stderr, end] = await Promise.all([text(command.stdout), text(command.stderr), command.ended])
  return { stdout, stderr, ...end }
}

describe('a command that is held', () => {
  it('has its number already, and begins only when it is let go', async () => {
    const folder = temporaryFolder()
    const begun = join(folder, 'begun')
    const command = await hold(['sh', '-c', 'echo $$; touch "$0"', begun], {}, folder)
    const { pid = 0 } = command
    const start = processStart(pid)
    expect(existsSync(begun)).toBe(false)
    command.letGo()
    const { stdout, exitCode } = await outcomeOf(command)
    expect({ stdout, exitCode }).toEqual({ stdout: `${pid}\n`, exitCode: 0 })
    expect(start).toBeGreaterThan(0)
    expect(existsSync(begun)).toBe(true)
  })

  it('never begins where it is killed instead', async () => {
    const folder = temporaryFolder()
    const command = await hold(['touch', join(folder, 'begun')], {}, folder)
    command.kill('SIGKILL')
    expect(await outcomeOf(command)).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(existsSync(join(folder, 'begun'))).toBe(false)
  })

  it('gets its words and its variables as they are', async () => {
    const odd = ['a b', '', '*', "'", '$HOME', '-n', '--']
    const words = await hold(['printf', '%s|', ...odd])
    words.letGo()
    expect((await outcomeOf(words)).stdout).toBe(`${odd.join('|')}|`)
    const variables = await hold(['env'], { 'with.dots': '1', 'BASH_FUNC_f%%': '() { :; }', PLAIN: '2' })
    variables.letGo()
    const { stdout } = await outcomeOf(variables)
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['with.dots=1', 'BASH_FUNC_f%%=() { :; }', 'PLAIN=2']))
  })

  it('has nothing open that is not its own', async () => {
    const list = ['sh', '-c', 'ls /proc/$$/fd'] as const
    const command = await hold(list)
    command.letGo()
    const usual = execFileSync(list[0], list.slice(1), { encoding: 'utf8' })
    expect((await outcomeOf(command)).stdout).toBe(usual)
  })

  it('can open its output by name', async () => {
    const command = await hold(['sh', '-c', 'echo out >/dev/stdout; echo err >/dev/stderr; echo more'])
    command.letGo()
    expect(await outcomeOf(command)).toMatchObject({ stdout: 'out\nmore\n', stderr: 'err\n', exitCode: 0 })
  })

  it.each([
    ['no-such-program', 127],
    ['/dev/null', 126],
  ])('%s ends as shells say', async (program, exitCode) => {
    const command = await hold([program])
    command.letGo()
    const outcome = await outcomeOf(command)
    expect(outcome).toMatchObject({ exitCode, signal: null, failure: null })
    expect(outcome.stderr).toContain(program)
  })

  it('says why there can be no process', async () => {
    const command = await hold(['echo', 'x'.repeat(3_000_000)])
    command.letGo()
    expect(command.pid).toBeUndefined()
    expect(await outcomeOf(command)).toEqual({ stdout: '', stderr: '', exitCode: null, signal: null, failure: 'E2BIG' })
  })

  it('is ended together with what it has started', async () => {
    const command = await hold(['sh', '-c', 'sleep 600 & echo $!; wait'])
    command.letGo()
    const [line] = await command.stdout.setEncoding('utf8').take(1).toArray()
    const [pid, start] = [Number(line), processStart(Number(line)) ?? 0]
    command.kill('SIGTERM')
    expect(await command.ended).toMatchObject({ signal: 'SIGTERM' })
    await expect.poll(() => isAlive(pid, start)).toBe('gone')
  })
})
