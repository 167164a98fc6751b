import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject, onTestFinished } from 'vitest'
import type { Outcome } from '../helpers/command.ts'
import { shareCompiledCode } from '../helpers/compiled-code.ts'
import { DEAD_MACHINE_MS, HOST_ENV } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { warmPosternJson } from '../helpers/warm-command.ts'
import { endProcessesIn } from './leftovers.ts'

/** A machine as an agent of one test finds it: a home that knows nothing, a project, and Postern. */
export interface Place {
  readonly home: string
  /** A Git repository; where the client works. */
  readonly project: string
  /** What programs there see of the environment. Nothing of the developer's own gets in. */
  readonly env: Readonly<Record<string, string>>
  /** Runs the built command as somebody at another terminal would. */
  postern(...args: readonly string[]): Promise<Outcome>
  /** The JSON that a command answers; the command must have succeeded. */
  ask<T>(...args: readonly string[]): Promise<T>
}

/** It is removed when the test has finished, with all that runs in it. The folders of the programs are on its path. */
export async function makePlace(programs: readonly string[] = []): Promise<Place> {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  onTestFinished(() => endProcessesIn(home))
  const project = join(folder, 'project')
  mkdirSync(join(home, '.postern'), { recursive: true, mode: 0o700 })
  shareCompiledCode(join(home, '.postern'))
  const env = {
    PATH: [dirname(process.execPath), ...programs.map((program) => dirname(program)), process.env['PATH'] ?? ''].join(
      delimiter,
    ),
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    // Clients put their sockets there.
    XDG_RUNTIME_DIR: join(folder, 'run'),
    GIT_CONFIG_NOSYSTEM: '1',
    ...HOST_ENV,
  }
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 })
  await runProgram(['git', 'init', '-q', project], { cwd: folder, env })

  const postern = (...args: readonly string[]) =>
    runProgram([process.execPath, inject('executable'), ...args], { cwd: project, env })
  return {
    home,
    project,
    env,
    postern,
    ask: (...args) =>
      warmPosternJson(
        { home, cwd: project, env: { ...env, POSTERN_HOME: '' }, executable: inject('executable') },
        ...args,
      ),
  }
}

export interface ProgramOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Ended with everything it started, once it has taken so long. */
  readonly timeoutMs?: number
  /** What it has started may outlive it, though not the test. */
  readonly leavesOthers?: boolean
}

/** A program with nothing on its stdin. What it leaves behind in its group of processes usually ends with it. */
export async function runProgram(words: readonly string[], options: ProgramOptions): Promise<Outcome> {
  const [command = '', ...args] = words
  const { cwd, env, timeoutMs = DEAD_MACHINE_MS, leavesOthers = false } = options
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = once(child, 'close')
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nobody is left of the group.
    }
  }
  const timer = setTimeout(end, timeoutMs)
  try {
    const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    return { exit: code ?? 128, stdout, stderr: signal ? `${stderr}\nended by ${signal}` : stderr }
  } finally {
    clearTimeout(timer)
    if (!leavesOthers) end()
  }
}
