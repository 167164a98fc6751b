import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { readRunInfo } from '../../../src/bus/runs/run-info.ts'
import { isAlive } from '../../../src/kit/node/processes.ts'
import type { BusEntry } from '../../../src/model/bus/entry.ts'
import { EXECUTABLE, type Outcome, postern } from '../command.ts'
import { shareCompiledCode } from '../compiled-code.ts'
import { PATIENTLY } from '../patience.ts'
import { fastFolder } from '../temp.ts'
import { warmPostern, warmPosternJson } from '../warm-command.ts'

/** A running `postern run`, in a process group of its own, as a shell would start it. */
export interface Runner {
  readonly pid: number
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly exit: number | null; readonly signal: NodeJS.Signals | null }>
  stdout(): string
  stderr(): string
  /** Sends a signal to its whole group, as a terminal does. */
  signal(signal: NodeJS.Signals): void
}

/** A folder of buses, and `postern run` on the bus of its task. */
export interface TaskForRuns {
  readonly home: string
  readonly root: string
  readonly folder: string
  /** Runs a script for sh to its end. */
  run(script: string, ...options: readonly string[]): Promise<Outcome>
  /** Starts one, and lets it run. Nobody reads its stdout where that is to be left alone. */
  start(script: string, how?: { readonly isUnread?: true; readonly options?: readonly string[] }): Runner
  /** Starts a script that does without `postern run`; `$POSTERN` runs the command. */
  startBare(script: string): Runner
  postern(...args: readonly string[]): Promise<Outcome>
  entries(): Promise<readonly BusEntry[]>
  /** The folders of its runs. */
  runs(): readonly string[]
  /** What stands in a file of its only run. */
  kept(name: string): string
}

export function makeTask(env: Readonly<Record<string, string>> = {}): TaskForRuns {
  const home = fastFolder()
  shareCompiledCode(home)
  const root = join(home, 'buses')
  const folder = join(root, 'p', 't')
  const options = { home, env: { POSTERN_BUS_ROOT: root, ...env } }
  const words = (script: string, more: readonly string[] = []) =>
    ['run', '--project', 'p', '--task', 't', ...more, '--', 'sh', '-c', script] as const
  const runs = () => {
    const runsFolder = join(folder, 'runs')
    return existsSync(runsFolder) ? readdirSync(runsFolder).map((name) => join(runsFolder, name)) : []
  }
  // Whatever becomes of a test, no command of it outlives it.
  onTestFinished(() => runs().forEach(killCommand))
  return {
    home,
    root,
    folder,
    run: (script, ...more) => postern(options, ...words(script, more)),
    start: (script, { isUnread, options: more } = {}) =>
      start(options, [process.execPath, EXECUTABLE, ...words(script, more)], isUnread ?? false),
    startBare: (script) => start(options, ['sh', '-c', script], false),
    postern: (...args) => warmPostern(options, ...args),
    async entries() {
      const read = ['bus', 'read', '--project', 'p', '--task', 't', '--tail', '0'] as const
      return (await warmPosternJson<{ items: BusEntry[] }>(options, ...read)).items
    },
    runs,
    kept: (name) => readFileSync(join(runs()[0] ?? '', name), 'utf8'),
  }
}

function killCommand(run: string): void {
  const { pid, pid_started_ms } = readRunInfo(join(run, 'run-info.yaml')) ?? {}
  if (pid === undefined || pid_started_ms === undefined || isAlive(pid, pid_started_ms) !== 'alive') return
  process.kill(-pid, 'SIGKILL')
}

function start(
  { home, env }: { readonly home: string; readonly env: Readonly<Record<string, string>> },
  [program = '', ...args]: readonly string[],
  isUnread: boolean,
): Runner {
  const own = { HOME: home, POSTERN_HOME: home, POSTERN: `"${process.execPath}" "${EXECUTABLE}"` }
  const child = spawn(program, args, {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const texts = { stdout: '', stderr: '' }
  if (!isUnread) child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text))
  onTestFinished(() => void child.kill('SIGKILL'))
  const { pid = 0 } = child
  return {
    pid,
    child,
    ended: once(child, isUnread ? 'exit' : 'close').then(([exit, signal]) => ({ exit, signal })),
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    signal(signal) {
      try {
        process.kill(-pid, signal)
      } catch {
        // It has ended already.
      }
    },
  }
}

/** Waits until a command has said something on its stdout. */
export async function says(runner: Runner, text: string): Promise<void> {
  await expect.poll(runner.stdout, PATIENTLY).toContain(text)
}
