import type { ClientBase, Pool } from 'pg'
import { PosternError } from '../../model/errors.ts'
import type { HealthCheck } from '../../model/postern.ts'
import { OUR_TRIGGERS, readVersion, SCHEMA_VERSION } from './migrate.ts'

const OLDEST_SERVER = 14
const DURABLE = ['on', 'remote_apply']

type Settings = Readonly<
  Record<'version' | 'commit' | 'fsync' | 'pages' | 'replica' | 'isolation' | 'readonly', string>
>

const SETTINGS = `SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS commit,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, pg_is_in_recovery()::text AS replica,
  current_setting('transaction_isolation') AS isolation, current_setting('default_transaction_read_only') AS readonly`

/** Refuses a server that cannot do what we ask of it. */
export async function requireServer(client: ClientBase, location: string): Promise<void> {
  const { version } = await readSettings(client)
  if (Number.parseInt(version, 10) >= OLDEST_SERVER) return
  const reason = `its server is PostgreSQL ${version}, and ${OLDEST_SERVER} or newer is needed`
  throw new PosternError('STORE_UNAVAILABLE', { path: location, reason })
}

/** What the server can say about itself. */
export async function checkServer(pool: Pool): Promise<HealthCheck[]> {
  const settings = await readSettings(pool)
  return [
    durability(settings),
    isolation(settings),
    disk(settings),
    server(settings),
    await schema(pool),
    await indexes(pool),
    await triggers(pool),
    await schemaRights(pool),
  ]
}

async function readSettings(runner: Pick<ClientBase, 'query'>): Promise<Settings> {
  const { rows } = await runner.query<Settings>(SETTINGS)
  return rows[0] as Settings
}

function durability({ commit }: Settings): HealthCheck {
  return {
    name: 'store.durability',
    ok: DURABLE.includes(commit),
    level: 'error',
    detail: `synchronous_commit=${commit}`,
    next: 'Something between us and the server undoes our settings: turn synchronous_commit on in postgresql.conf.',
  }
}

/** A pooler may hand our transactions to connections that never got our settings. */
function isolation({ isolation, readonly }: Settings): HealthCheck {
  return {
    name: 'store.isolation',
    ok: isolation === 'read committed' && readonly === 'off',
    level: 'error',
    detail: `transaction_isolation=${isolation} default_transaction_read_only=${readonly}`,
    next: 'A pooler between Postern and the server undoes our settings. Connect to the server itself, or let it pool sessions.',
  }
}

/** A server without these was set up so by somebody. It works for as long as its machine does. */
function disk({ fsync, pages }: Settings): HealthCheck {
  return {
    name: 'store.disk',
    ok: fsync === 'on' && pages === 'on',
    level: 'warning',
    detail: `fsync=${fsync} full_page_writes=${pages}`,
    next: 'Turn both on in postgresql.conf: without them a crash of that machine loses what was acknowledged.',
  }
}

function server({ version, replica }: Settings): HealthCheck {
  const isOld = Number.parseInt(version, 10) < OLDEST_SERVER
  return {
    name: 'store.server',
    ok: !isOld && replica === 'false',
    level: 'error',
    detail: `PostgreSQL ${version}${replica === 'false' ? '' : ', a replica that cannot be written'}`,
    next: isOld
      ? `Update the server to PostgreSQL ${OLDEST_SERVER} or newer.`
      : 'Use the address of the primary server.',
  }
}

async function schema(pool: Pool): Promise<HealthCheck> {
  const version = await readVersion(pool)
  return {
    name: 'store.schema',
    ok: version === SCHEMA_VERSION,
    level: 'error',
    detail: `schema ${version} of ${SCHEMA_VERSION}`,
  }
}

async function indexes(pool: Pool): Promise<HealthCheck> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
     WHERE NOT (i.indisvalid AND i.indisready) AND pg_table_is_visible(t.oid) ORDER BY 1`,
  )
  const names = rows.map(({ name }) => name).join(', ')
  return {
    name: 'store.indexes',
    ok: rows.length === 0,
    level: 'error',
    detail: rows.length === 0 ? 'all indexes are valid' : `not valid: ${names}`,
    next: 'Build them anew with REINDEX.',
  }
}

/** A dump that was not made by us may lack their functions, and then what happens is not told of. */
async function triggers(pool: Pool): Promise<HealthCheck> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT t.tgname AS name FROM pg_trigger t WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND pg_table_is_visible(t.tgrelid)`,
  )
  const missing = OUR_TRIGGERS.filter((trigger) => !rows.some(({ name }) => name === trigger))
  return {
    name: 'store.triggers',
    ok: missing.length === 0,
    level: 'error',
    detail: missing.length === 0 ? 'everything that happens is told of' : `missing: ${missing.join(', ')}`,
    next: 'Restore a dump that "postern backup <file>" has made, which holds the functions of the triggers.',
  }
}

/** A role that may create objects beside ours can make overloads of functions, which our statements would then call. */
async function schemaRights(pool: Pool): Promise<HealthCheck> {
  const { rows } = await pool.query<{ name: string; right: string }>(
    `SELECT quote_ident(current_schema()) AS name, has_schema_privilege('public', current_schema(), 'CREATE')::text AS right`,
  )
  const { name = '', right } = rows[0] ?? {}
  const isPublic = right === 'true'
  return {
    name: 'store.schema-rights',
    ok: !isPublic,
    level: 'warning',
    detail: isPublic ? `every role may create objects in the schema ${name}` : `only granted roles create in ${name}`,
    next: `Run "REVOKE CREATE ON SCHEMA ${name} FROM PUBLIC" as the owner of the schema.`,
  }
}
