import { type ClientBase, Pool } from 'pg'

export interface Ringer {
  /** Resolves when the names have been rung. What is asked for meanwhile is rung together. */
  ring(names: readonly string[]): Promise<void>
  /** Rejects where nothing could be rung now. */
  check(): Promise<void>
  close(): Promise<void>
}

const IDLE_MS = 30_000
const TIMEOUT_MS = 10_000

/** One connection for ringing. It closes by itself when idle and keeps no process alive. */
export function createRinger(url: string): Ringer {
  const pool = new Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    // Only one transaction at a time may commit that has rung. A ring is nothing to keep, so it does not wait for the disk.
    onConnect: async (client: ClientBase) => void (await client.query('SET synchronous_commit = off')),
    fallback_application_name: 'postern ring',
  })
  pool.on('error', () => {})
  let waiting: Set<string> | undefined
  let next: Promise<void> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let closing: Promise<void> | undefined

  return {
    ring(names) {
      if (closing) return Promise.reject(new Error('the wire is closed'))
      if (!waiting || !next) {
        const gathered = new Set<string>()
        waiting = gathered
        next = last
          .catch(() => {})
          .then(() => {
            waiting = undefined
            return notify(pool, gathered)
          })
        last = next
      }
      for (const name of names) waiting.add(name)
      return next
    },
    async check() {
      if (closing) throw new Error('the wire is closed')
      await pool.query('')
    },
    close() {
      closing ??= last.catch(() => {}).then(() => pool.end())
      return closing
    },
  }
}

/** Names are checked before they come here, so they may stand in the text: NOTIFY takes no parameters. */
async function notify(pool: Pool, names: Iterable<string>): Promise<void> {
  await pool.query([...names].map((name) => `NOTIFY ${CHANNEL}, '${name}'`).join('; '))
}

/** The store's transactions ring on the same channel: `RING_CHANNEL` of `store/sql.ts`. */
export const CHANNEL = 'postern_ring'
