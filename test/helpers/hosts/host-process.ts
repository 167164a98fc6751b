import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type CommandOptions, EXECUTABLE, type Outcome } from '../command.ts'
import { shareCompiledCode } from '../compiled-code.ts'

/** A process that stands for an agent's host: it lives on and runs commands as its own descendants. */
export interface HostProcess {
  readonly pid: number
  /** Runs the real executable below this process, with a shell between, as an agent's tools do. */
  postern(...args: readonly string[]): Promise<Outcome>
  stop(): void
}

/** Reads a line of arguments, runs them in a shell that stays, and answers with a line. */
const PROGRAM = `
const { spawnSync } = require('node:child_process')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', '"$@"; exit $?', 'sh', ...JSON.parse(line)], { encoding: 'utf8' })
  console.log(JSON.stringify({ exit: status, stdout, stderr }))
})`

export function startHostProcess({ home, env }: CommandOptions): HostProcess {
  shareCompiledCode(home)
  const child: ChildProcess = spawn(process.execPath, ['-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home, ...env },
  })
  const answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return {
    pid: child.pid!,
    async postern(...args) {
      child.stdin!.write(`${JSON.stringify([process.execPath, EXECUTABLE, ...args])}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error('the host process ended')
      return JSON.parse(value)
    },
    stop: () => child.kill('SIGKILL'),
  }
}
