import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, expect } from 'vitest'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'

export interface Victim {
  readonly root: string
  readonly act: 'leave' | 'look' | 'archive'
  readonly now?: number
  readonly body?: string
  readonly isFixed?: boolean
  readonly waits?: boolean
  readonly plant?: 'direct' | 'unlink-first' | 'seed-names' | 'no-links' | undefined
}

let folder: string | undefined
afterAll(() => {
  if (folder !== undefined) removeFolder(folder)
  folder = undefined
})

/** The program in one file: it starts many times. */
function program(): string {
  if (folder !== undefined) return join(folder, 'victim.mjs')
  folder = makeTemporaryFolder()
  const outfile = join(folder, 'victim.mjs')
  const entry = fileURLToPath(new URL('./victim.ts', import.meta.url))
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', external: ['yaml'] })
  return outfile
}

export const SECOND = Date.UTC(2026, 0, 10, 18, 30)

export function startVictim(victim: Victim, wrap: readonly string[] = []): ChildProcess {
  const { root, act, now = SECOND, body = 'left', isFixed = false, waits = false, plant } = victim
  const words = [`--root=${root}`, `--act=${act}`, `--now=${now}`, `--body=${body}`, `--plant=${plant ?? ''}`]
  const flags = [...(isFixed ? ['--fixed'] : []), ...(waits ? ['--wait'] : [])]
  const [command = '', ...args] = [...wrap, process.execPath, program(), ...words, ...flags]
  return spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
}

export interface Outcome {
  /** What it said, line by line. */
  readonly said: readonly unknown[]
  readonly isKilled: boolean
}

export async function runVictim(victim: Victim, wrap: readonly string[] = []): Promise<Outcome> {
  const child = startVictim(victim, wrap)
  if (!child.stdout || !child.stderr) throw new Error('it has no output')
  const [out, trouble] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect(trouble).toBe('')
  return {
    said: out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
    isKilled: child.signalCode === 'SIGKILL',
  }
}
