import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * How many test files run at once. Tests wait for processes, servers and disks as much as they compute, so one worker more
 * than the two cores of our machines fills the gaps.
 */
export const WORKERS = 3

/** House and unit tests use little memory and wait even more. */
export const CHECK_WORKERS = 4

/** Programs of our own dependencies, including their Node, come first on the path. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const path = `${join(ROOT, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`
  return { ...process.env, PATH: path, ...extra }
}

/**
 * Starts a child and waits for it. If a signal ends us meanwhile, it ends the child first. The listener comes before the
 * child, which may be at work before `spawn` has returned.
 */
async function supervise<C extends ChildProcess, T>(start: () => C, finish: (child: C) => Promise<T>): Promise<T> {
  let stoppedBy: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    stoppedBy = signal
    child.kill(signal)
  }
  process.on('SIGTERM', stop)
  const child = start()
  const result = await finish(child).finally(() => process.off('SIGTERM', stop))
  if (stoppedBy) throw new Error(`stopped by ${stoppedBy}`)
  return result
}

/** Runs a command that shares our terminal. Returns whether it succeeded. */
export async function run(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const start = () => spawn(command, args, { cwd: ROOT, env: environment(env), stdio: 'inherit' })
  const [code] = await supervise(start, (child) => once(child, 'exit'))
  return code === 0
}

export interface QuietRun {
  readonly isFine: boolean
  readonly output: string
}

/** Runs a command and returns its output instead of printing it. */
export async function runQuietly(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<QuietRun> {
  const start = () => spawn(command, args, { cwd: ROOT, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code]] = await supervise(start, (child) =>
    Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]),
  )
  return { isFine: code === 0, output: `${stdout}${stderr}` }
}
