import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll } from 'vitest'
import { looksQuiet } from '../../helpers/quiet.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'
import { storeOf } from './home.ts'

export const AGENTS = ['quinn', 'robin'] as const

/** Everything that makes or ends a quiet file, by its name in the home. */
export const QUIET_PATHS = ['quiet', 'quiet/.partial', ...AGENTS.map((agent) => `quiet/${agent}`)]

let bundled: string | undefined
afterAll(() => {
  if (bundled !== undefined) removeFolder(dirname(bundled))
})

function script(): string {
  if (bundled !== undefined) return bundled
  const outfile = join(makeTemporaryFolder(), 'quiet-worker.mjs')
  const entry = fileURLToPath(new URL('./quiet-worker.ts', import.meta.url))
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node22' })
  bundled = outfile
  return bundled
}

export type QuietRole = 'all' | 'once' | 'pusher' | 'hook' | 'gatekeeper'

export interface QuietWorkerOptions {
  readonly role: QuietRole
  readonly home: string
  readonly log: string
  readonly plant?: 'late-removal'
  /** Words before Node's own, such as those of strace. */
  readonly wrap?: readonly string[]
}

/** A process that writes to the store of a home. */
export function startQuietWorker({ role, home, log, plant, wrap = [] }: QuietWorkerOptions) {
  const options = { role, store: storeOf(home), log, ...(plant && { plant }) }
  const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const [command = '', ...rest] = [...wrap, process.execPath, script(), ...words]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const gone = once(child, 'close').then(([code, signal]) => ({ code, signal, stderr }))
  const ready = Promise.race([once(child.stdout, 'data'), gone])
  return { role, child, ready, gone }
}

/** What workers wrote down; of one that was killed the last line may be torn. */
export function readRecords(log: string): { readonly kind: string; readonly what: string }[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/**
 * Looks at the store and at its quiet files while nobody can write: an agent that is quiet must have nothing waiting.
 * Returns those that are quiet, and what is wrong.
 */
export class Auditor {
  readonly #home: string
  readonly #database: DatabaseSync

  constructor(home: string) {
    this.#home = home
    this.#database = new DatabaseSync(storeOf(home), { timeout: 0 })
  }

  async look(): Promise<{ readonly quiet: readonly string[]; readonly faults: readonly string[] }> {
    while (!this.#tryLock()) await delay(0)
    try {
      const quiet = AGENTS.filter((agent) => looksQuiet(this.#home, agent))
      return { quiet, faults: quiet.flatMap((agent) => this.#waitingFor(agent)) }
    } finally {
      this.#database.exec('ROLLBACK')
    }
  }

  close(): void {
    this.#database.close()
  }

  #tryLock(): boolean {
    // Without SQLite's own waiting, which would come too late for what is wrong only for a moment.
    for (let attempt = 0; attempt < 1_000; attempt++) {
      try {
        this.#database.exec('BEGIN IMMEDIATE')
        return true
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== 5) throw error
      }
    }
    return false
  }

  #waitingFor(agent: string): string[] {
    return Object.entries(QUESTIONS).flatMap(([what, question]) => {
      const [count] = Object.values(this.#database.prepare(question).get(agent) ?? {})
      return count === 0 ? [] : [`${agent} is quiet, but has ${count} ${what}`]
    })
  }
}

/** In other words than the store's own. */
const QUESTIONS: Readonly<Record<string, string>> = {
  'pending messages': `SELECT count(*) FROM deliveries WHERE agent_id = ? AND state = 'pending'`,
  'broadcasts to take up': `SELECT count(*) FROM messages WHERE broadcast_seq > (SELECT broadcast_cursor FROM agents WHERE id = ?)`,
  'open offers': 'SELECT count(*) FROM offers WHERE agent_id = ? AND closed_at IS NULL',
  'open gates': `SELECT count(*) FROM gates WHERE agent_id = ? AND state = 'open'`,
}
