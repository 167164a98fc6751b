import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findHostVariable, HOST_VARIABLES } from '../../../src/host/person-voice.ts'

/** Names the folder in which a run outside tells its process id and its exit code. */
const OUTSIDE = 'POSTERN_TESTS_OUTSIDE'

/** Forks twice. The parent of what it runs has ended, so no process above that is a coding agent's. */
const LEAVE = `( outer=$(sh -c 'echo $PPID'); ( while kill -0 $outer 2>/dev/null; do :; done; exec "$@" ) & )`

const POLL_MS = 50

/**
 * Lets the tests run inside a coding agent. Their people speak, which a process that a coding agent has started may not. So
 * this process starts itself again, without the marks of a host and below none, and ends with the same exit code.
 */
export async function leaveCodingAgent(): Promise<void> {
  const told = process.env[OUTSIDE]
  const mark = findHostVariable()
  if (told !== undefined) return tell(told, mark)
  if (mark === undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'postern-tests-'))
  const env: NodeJS.ProcessEnv = { ...process.env, [OUTSIDE]: folder }
  for (const name of HOST_VARIABLES) delete env[name]
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  spawnSync('sh', ['-c', LEAVE, 'sh', ...words], { env, stdio: 'inherit' })
  const read = (name: string) => (existsSync(join(folder, name)) ? Number(readFileSync(join(folder, name))) : undefined)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => isAlive(read('pid'), signal))
  while (read('code') === undefined && (read('pid') === undefined || isAlive(read('pid'), 0))) await sleep(POLL_MS)
  process.exit(read('code') ?? 1)
}

function tell(folder: string, mark: string | undefined): void {
  if (mark !== undefined) throw new Error(`${mark} is still inherited: run the tests in a terminal of your own`)
  delete process.env[OUTSIDE]
  process.on('exit', (code) => write(folder, 'code', code))
  write(folder, 'pid', process.pid)
}

function write(folder: string, name: string, value: number): void {
  writeFileSync(join(folder, `${name}.new`), String(value))
  renameSync(join(folder, `${name}.new`), join(folder, name))
}

function isAlive(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(pid, signal)
  } catch {
    return false
  }
}
