/** Counts what a message costs on both engines, for docs/guides/scale.md: node scripts/measure-cost.ts */
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { startPostgres } from '../bench/servers.ts'
import { openPostern } from '../src/host/open/open.ts'
import type { Postern } from '../src/model/postern.ts'
import { openLocal } from '../test/helpers/open-local.ts'

const MESSAGES = 2_000
const IN_FLIGHT = 100
const BATCH = 20
const READERS = 200
const CONTENT = 'x'.repeat(300)
const RECIPIENT = 'agent-0'

const POSTGRES_METER = `(SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables) AS "bytes kept",
  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS "bytes written"`

/** What has been used up so far. */
interface Meter {
  read(): Promise<Readonly<Record<string, number>>>
}

interface Subject {
  readonly name: string
  readonly postern: Postern
  readonly meter: Meter
}

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'postern-cost-'))
// The server of PostgreSQL runs as another user.
chmodSync(folder, 0o755)
try {
  await measureSqlite(join(folder, 'postern.db'))
  await measurePostgres(join(folder, 'postgres'))
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}

async function measureSqlite(path: string): Promise<void> {
  const postern = await openLocal(path, { upkeep: false, limits: { pendingPerAgent: 10 * MESSAGES } })
  const db = new DatabaseSync(path, { readOnly: true })
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`).all()
  const names = tables.map(({ name }) => String(name)).filter((name) => !name.includes('search'))
  const meter = {
    async read() {
      const written = Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
      const rows = names.map((name) => number(`SELECT count(*) FROM "${name}"`)).reduce((sum, count) => sum + count, 0)
      return { rows, 'bytes kept': number('PRAGMA page_count') * number('PRAGMA page_size'), 'bytes written': written }
    },
  }
  await measure({ name: 'SQLite', postern, meter })
  db.close()
  await postern.close()
}

async function measurePostgres(place: string): Promise<void> {
  const server = await startPostgres(place)
  const statementCounter = countStatements()
  const postern = await openPostern({
    store: server.url,
    home: join(folder, 'home'),
    upkeep: false,
    limits: { pendingPerAgent: 10 * MESSAGES },
  })
  const client = new Client({ connectionString: server.url })
  await client.connect()
  const tables = await client.query(`SELECT relname FROM pg_stat_user_tables`)
  const counts = tables.rows.map(({ relname }) => `(SELECT count(*) FROM "${relname}")`)
  const query = `SELECT ${counts.join(' + ')} AS rows, ${POSTGRES_METER}`
  const meter = {
    async read() {
      const { statements, commits } = statementCounter
      const { rows } = await client.query(query)
      const figures = Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]))
      Object.assign(statementCounter, { statements, commits })
      return { ...figures, statements, commits }
    },
  }
  await measure({ name: 'PostgreSQL', postern, meter })
  await client.end()
  await postern.close()
  await server.stop()
}

/** A statement alone is a commit of its own; of a transaction only its end is one. */
function countStatements(): { statements: number; commits: number } {
  const counter = { statements: 0, commits: 0 }
  const busy = new WeakSet<Client>()
  const prototype = Client.prototype as unknown as { query(...args: unknown[]): unknown }
  const { query } = prototype
  prototype.query = function (this: Client, ...args) {
    const [given] = args as [string | { readonly text: string }]
    const text = typeof given === 'string' ? given : given.text
    if (/^BEGIN/i.test(text)) busy.add(this)
    else if (/^(?:COMMIT|ROLLBACK)/i.test(text)) busy.delete(this)
    counter.statements++
    if (!busy.has(this)) counter.commits++
    return query.apply(this, args)
  }
  return counter
}

async function measure(subject: Subject): Promise<void> {
  const { postern, name } = subject
  const { inbox, agents } = postern
  await agents.add({ id: RECIPIENT })
  for (let i = 0; i < READERS; i++) await agents.add({ id: `reader-${i}` })
  const push = () => inbox.push({ to: [RECIPIENT], content: CONTENT })
  const many = async (count: number, call: () => Promise<unknown>, lanes: number) => {
    let left = count
    const lane = async () => {
      while (left-- > 0) await call()
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
  await many(IN_FLIGHT, push, IN_FLIGHT)
  await drainAll(postern, RECIPIENT)

  console.log(`\n${name}, each of ${MESSAGES} messages of ${CONTENT.length} bytes; ${READERS} readers of broadcasts`)
  await row(subject, 'push, one by one', MESSAGES, () => many(MESSAGES, push, 1))
  await row(subject, `drain and confirm, ${BATCH} at once`, MESSAGES, () => drainAll(postern, RECIPIENT))
  await row(subject, `push, ${IN_FLIGHT} in flight, to one`, MESSAGES, () => many(MESSAGES, push, IN_FLIGHT))
  let turn = 0
  const spread = () => inbox.push({ to: [`reader-${turn++ % READERS}`], content: CONTENT })
  await row(subject, `push, ${IN_FLIGHT} in flight, to many`, MESSAGES, () => many(MESSAGES, spread, IN_FLIGHT))
  await drainAll(postern, RECIPIENT)
  for (let i = 0; i < READERS; i++) await drainAll(postern, `reader-${i}`)
  await row(subject, 'broadcast', BATCH, () => many(BATCH, () => inbox.push({ to: ['all'], content: CONTENT }), 1))
  await row(subject, 'a broadcast read by one agent', READERS * BATCH, async () => {
    for (let i = 0; i < READERS; i++) await drainAll(postern, `reader-${i}`)
  })
}

async function drainAll({ inbox }: Postern, agent: string): Promise<void> {
  for (;;) {
    const { offer } = await inbox.drain({ agent, maxMessages: BATCH })
    if (!offer) return
    await inbox.confirm({ offerId: offer.id, evidence: 'printed', printed: true })
  }
}

async function row({ meter }: Subject, title: string, count: number, work: () => Promise<unknown>): Promise<void> {
  const before = await meter.read()
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  const after = await meter.read()
  const figures = Object.keys(before).map(
    (name) => `${name} ${(((after[name] ?? 0) - (before[name] ?? 0)) / count).toFixed(2)}`,
  )
  console.log(`  ${title.padEnd(34)} ${figures.join(' · ')} · ${(count / (ms / 1000)).toFixed(0)} a second`)
}
