import { type ClientBase, Pool } from 'pg'

export interface PoolOptions {
  readonly url: string
  /** How long to wait for a connection, and for a lock. */
  readonly busyMs: number
}

const MAX_CONNECTIONS = 10
const IDLE_MS = 60_000
const KEEP_ALIVE_AFTER_MS = 10_000
/** A statement may work for longer than it may wait: upkeep and search do. */
const WORK_MS = 60_000
/** The server ends an overdue statement itself; we give up on a server that does not even do that. */
const GRACE_MS = 5_000

/** Connections of one store. They close by themselves when idle and keep no process alive. */
export function createPool({ url, busyMs }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: busyMs,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    query_timeout: busyMs + WORK_MS + GRACE_MS,
    fallback_application_name: 'postern',
    types: { getTypeParser },
    onConnect: (client: ClientBase) => configure(client, busyMs),
  })
  // A connection that breaks while idle is dropped and replaced; whoever holds one learns of it from his next query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Idle connections keep no process alive, but whoever waits for their end does. */
export async function endPool(pool: Pool): Promise<void> {
  const alive = setInterval(() => {}, GRACE_MS)
  await pool.end().finally(() => clearInterval(alive))
}

/**
 * What every connection of ours is set to.
 *
 * Acknowledged means durable, whatever the server's default. Triggers see to that too, where a pooler gives a
 * statement to
 * another connection (migration 0023). Plans are made once per connection and go by indexes alone, so that none is ever
 * chosen for a table that was small when the plan was made. (PostgreSQL ignores this for a table that it has counted
 * as empty.) A test asks for all of them (statements.engine.test.ts).
 *
 * A verb that locks and then looks needs a new snapshot after the lock, which only READ COMMITTED gives it. Its BEGIN
 * says
 * so again. A single statement is right on any level: a stricter one makes it fail and run again. A verb awaits
 * nothing but its transaction, so a transaction that is idle for five seconds belongs to a process that was stopped. It
 * holds back the events of the whole store, so the server ends it.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_material: 'off',
  jit: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  idle_in_transaction_session_timeout: '5000',
}

async function configure(client: ClientBase, busyMs: number): Promise<void> {
  const settings = { ...SETTINGS, lock_timeout: String(busyMs), statement_timeout: String(busyMs + WORK_MS) }
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`)
  await client.query(`SELECT ${set.join(', ')}, CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')
    THEN set_config('synchronous_commit', 'on', false) END`)
}

const INTEGER_OR_FLOAT = new Set([20, 21, 23, 700, 701])

/** Everything is text or a number. All our numbers are exact in a double: counts and milliseconds. */
function getTypeParser(type: number): (value: string) => string | number {
  return INTEGER_OR_FLOAT.has(type) ? Number : String
}
