import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll } from 'vitest'
import type { HistoryEvent } from '../../helpers/history.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'

let bundled: string | undefined
afterAll(() => {
  if (bundled !== undefined) removeFolder(dirname(bundled))
})

/** The worker with all of `src` that it uses in one file: it starts in a third of the time, a thousand times over. */
function script(): string {
  if (bundled !== undefined) return bundled
  const folder = makeTemporaryFolder()
  const outfile = join(folder, 'worker.mjs')
  const entry = fileURLToPath(new URL('./worker.ts', import.meta.url))
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22' })
  bundled = outfile
  return bundled
}

export type Role = 'writer' | 'drainer' | 'acker' | 'opener'

export interface WorkerSettings {
  readonly store: string
  /** Where the records go: never into the store's own folder. */
  readonly logs: string
  readonly plant?: 'confirm-before-print' | 'synchronous-normal'
  readonly leaseMs?: number
  readonly printMs?: number
  readonly paceMs?: number
}

/** One life of a worker. */
export interface Worker {
  readonly role: Role
  readonly by: string
  /** Resolves when it has the store open, or has gone without. */
  readonly ready: Promise<void>
  readonly gone: Promise<void>
  /** How it ended where nobody had asked it to; undefined where it did not. */
  readonly failure: string | undefined
  /** Stops it where it is; only a kill ends it then. */
  freeze(): void
  /** Kills it outright, or asks it to end after what it is doing. */
  kill(): Promise<void>
  stop(): Promise<void>
}

let lives = 0

export function startWorker(role: Role, settings: WorkerSettings): Worker {
  const by = `${role}-${++lives}`
  const { store, logs, ...rest } = settings
  const options = { role, store, log: join(logs, `${by}.jsonl`), by, ...rest }
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(process.execPath, [script(), ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let isAsked = false
  const gone = once(child, 'close').then(() => {})
  const ready = Promise.race([once(child.stdout, 'data').then(() => {}), gone])
  const end = (signal: NodeJS.Signals) => {
    isAsked ||= child.exitCode === null && child.signalCode === null
    child.kill(signal)
    return gone
  }
  return {
    role,
    by,
    ready,
    gone,
    get failure() {
      const ending = child.signalCode ?? child.exitCode
      return isAsked || ending === null ? undefined : `${by} ended by itself with ${ending}`
    },
    freeze: () => void child.kill('SIGSTOP'),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** Everything that workers wrote down; of one that was killed the last line may be torn. */
export function readLogs(logs: string): HistoryEvent[] {
  return readdirSync(logs)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => {
      const lines = readFileSync(join(logs, name), 'utf8').split('\n').slice(0, -1)
      return lines.map((line) => JSON.parse(line) as HistoryEvent)
    })
}

/** What workers died of by themselves; there must be nothing. */
export function readErrors(logs: string): string[] {
  return readdirSync(logs)
    .filter((name) => name.endsWith('.error'))
    .map((name) => readFileSync(join(logs, name), 'utf8'))
}
