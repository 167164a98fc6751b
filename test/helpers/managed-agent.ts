import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { EXECUTABLE } from './command.ts'
import { shareCompiledCode } from './compiled-code.ts'
import { PATIENTLY } from './patience.ts'
import { fastFolder } from './temp.ts'
import { warmPostern, warmPosternJson } from './warm-command.ts'

/** A running `postern wake` for quinn. */
export interface Wake {
  readonly pid: number
  readonly ended: Promise<{ readonly exit: number | null; readonly signal: NodeJS.Signals | null }>
  /** What it has said on stderr so far. */
  said(): string
  kill(signal: NodeJS.Signals): void
}

export interface ManagedAgent {
  readonly home: string
  ask<T>(...args: readonly string[]): Promise<T>
  push(text: string, ...more: readonly string[]): Promise<string>
  /** Starts it; the command is a script for sh, in which `$LOG` names a file. */
  wake(script: string, ...options: readonly string[]): Wake
  /** Starts a script that does the waking by itself; `$POSTERN` runs the command. */
  script(script: string): Wake
  /** The lines that commands have written to `$LOG`. */
  log(): readonly string[]
  /** Waits until the log looks like this. */
  logged(lines: readonly string[]): Promise<void>
  stateOf(id: string): Promise<{ readonly state: string; readonly attempt: number }>
}

/** Writes down the attempt and the text of every message that it gets, as JSON. */
export const READ_JSON = `node -e '
let text = ""
process.stdin.on("data", (chunk) => { text += chunk }).on("end", () => {
  const { messages } = JSON.parse(text)
  require("node:fs").appendFileSync(process.env.LOG, messages.map((m) => m.attempt + " " + m.content + "\\n").join(""))
})'`

export async function makeManagedAgent(home = fastFolder()): Promise<ManagedAgent> {
  const file = join(home, 'log')
  shareCompiledCode(home)
  await warmPostern({ home }, 'agent', 'add', 'quinn')
  await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
  const log = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [])
  const write = (script: string) => {
    const path = join(home, `command-${Math.random()}.sh`)
    writeFileSync(path, script)
    return path
  }
  const start = ([program = '', ...args]: readonly string[]): Wake => {
    const own = { HOME: home, POSTERN_HOME: home, LOG: file, POSTERN: `"${process.execPath}" "${EXECUTABLE}"` }
    const child = spawn(program, args, {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '', ...own },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close').then(([exit, signal]) => ({ exit, signal }))
    return { pid: child.pid ?? 0, ended, said: () => said, kill: (signal) => void child.kill(signal) }
  }
  return {
    home,
    ask: (...args) => warmPosternJson({ home }, ...args),
    async push(text, ...more) {
      return (await warmPosternJson<{ id: string }>({ home }, 'inbox', 'push', '--to', 'quinn', ...more, text)).id
    },
    wake(script, ...options) {
      return start([process.execPath, EXECUTABLE, 'wake', '--agent', 'quinn', ...options, '--', 'sh', write(script)])
    },
    script: (script) => start(['sh', write(script)]),
    log,
    logged: (lines) => expect.poll(log, PATIENTLY).toEqual(lines),
    async stateOf(id) {
      const { deliveries } = await warmPosternJson<{ deliveries: { agent: string; state: string; attempt: number }[] }>(
        { home },
        'trace',
        id,
      )
      const { state, attempt } = deliveries.find(({ agent }) => agent === 'quinn')!
      return { state, attempt }
    },
  }
}
