import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { commandEnvironment, EXECUTABLE, type Outcome } from '../command.ts'
import { shareCompiledCode } from '../compiled-code.ts'
import { HASTY_HOST_ENV } from '../patience.ts'
import { fastFolder } from '../temp.ts'

/** A program called `claude`. It runs shell scripts as its tools and calls its hooks, as Claude Code does. */
export interface ClaudeStandIn {
  readonly pid: number
  /** Runs a script in a shell below the program. In it, `postern` is the real executable. */
  run(script: string, input?: string): Promise<Outcome>
  /** Calls the hook for an event of the program's session. */
  fire(event: string): Promise<Outcome>
  kill(): Promise<void>
}

const PROGRAM = `
const { spawnSync } = require('node:child_process')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { script, input, env } = JSON.parse(line)
  const options = { input, encoding: 'utf8', env: { ...process.env, ...env } }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script], options)
  console.log(JSON.stringify({ exit: status, stdout, stderr }))
})`

export interface StandInOptions {
  readonly home: string
  readonly agent: string
  /** Variables that the program sets for its tools; Claude Code sets CLAUDECODE and more. */
  readonly marks: Readonly<Record<string, string>>
  /** What the program is called instead. */
  readonly program?: string
}

export function startClaude({ home, agent, marks, program: name = 'claude' }: StandInOptions): ClaudeStandIn {
  shareCompiledCode(home)
  const [folder, environment] = [fastFolder(), commandEnvironment(home)]
  const program = join(folder, name)
  symlinkSync(process.execPath, program)
  const child = spawn(program, ['-e', PROGRAM], {
    argv0: name,
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: home,
    env: { ...environment, PATH: `${folder}:${environment['PATH']}` },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // In the scripts, `postern` is the real executable.
  writeFileSync(join(folder, 'postern'), `#!/bin/sh\nexec '${process.execPath}' '${EXECUTABLE}' "$@"\n`, {
    mode: 0o755,
  })
  const ask = async (request: object): Promise<Outcome> => {
    child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value, done } = await answers.next()
    if (done) throw new Error('the stand-in ended')
    return JSON.parse(value)
  }
  return {
    pid: child.pid ?? 0,
    run: (script, input = '') => ask({ script, input, env: marks }),
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    fire: (event) =>
      ask({
        script: `postern hook --host claude-code --agent ${agent}; exit $?`,
        input: JSON.stringify({ hook_event_name: event, session_id: 'ses-claude', cwd: home, source: 'startup' }),
        env: { ...HASTY_HOST_ENV, ...marks },
      }),
  }
}
