import type { ClientBase } from 'pg'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { spine } from './migrations/0001-spine.ts'
import { gates } from './migrations/0002-gates.ts'
import { sources } from './migrations/0003-sources.ts'
import { events } from './migrations/0004-events.ts'
import { handoff } from './migrations/0005-handoff.ts'
import { relays } from './migrations/0006-relays.ts'
import { ledger } from './migrations/0007-ledger.ts'
import { inbox } from './migrations/0008-inbox.ts'
import { page } from './migrations/0009-page.ts'
import { trust } from './migrations/0010-trust.ts'
import { refusals } from './migrations/0011-refusals.ts'
import { inboxFunctions } from './migrations/0012-inbox-functions.ts'
import { parcelOrder } from './migrations/0013-parcel-order.ts'
import { invitations } from './migrations/0014-invitations.ts'
import { storeId } from './migrations/0015-store-id.ts'
import { checksums } from './migrations/0016-checksums.ts'
import { countedSteps } from './migrations/0017-counted-steps.ts'
import { ownExpiry } from './migrations/0018-own-expiry.ts'
import { postChecksums } from './migrations/0019-post-checksums.ts'
import { claims } from './migrations/0020-claims.ts'
import { messageMacs } from './migrations/0021-message-macs.ts'
import { starters } from './migrations/0022-starters.ts'
import { durable } from './migrations/0023-durable.ts'

/** Numbered from one, forward only; one that was released is never edited. */
export const MIGRATIONS: readonly string[] = [
  spine,
  gates,
  sources,
  events,
  handoff,
  relays,
  ledger,
  inbox,
  page,
  trust,
  refusals,
  inboxFunctions,
  parcelOrder,
  invitations,
  storeId,
  checksums,
  countedSteps,
  ownExpiry,
  postChecksums,
  claims,
  messageMacs,
  starters,
  durable,
]

export const SCHEMA_VERSION = MIGRATIONS.length

export const OUR_TABLES: readonly string[] = [
  'postern_schema',
  ...MIGRATIONS.flatMap((text) => [...text.matchAll(/CREATE (?:TABLE|VIEW) (\w+)/g)].map(([, name = '']) => name)),
]

export const OUR_TRIGGERS: readonly string[] = MIGRATIONS.flatMap((text) =>
  [...text.matchAll(/CREATE TRIGGER (\w+)/g)].map(([, name = '']) => name),
)

/** `PSTN`: the advisory lock under which the schema is made, of which many processes may want to be the first. */
const LOCK = 0x5053544e
const PATIENCE = '60s'
const UNDEFINED_TABLE = '42P01'
const DUPLICATE_TABLE = '42P07'

/** Brings the schema up to date. Of many processes one does the work while the others wait for its lock. */
export async function migrate(client: ClientBase, location: string): Promise<void> {
  const found = await versionOf(client, location)
  if (found === SCHEMA_VERSION) return
  await client.query(`BEGIN; SET LOCAL lock_timeout = '${PATIENCE}'; SET LOCAL statement_timeout = 0`)
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query('CREATE TABLE IF NOT EXISTS postern_schema (version INTEGER NOT NULL)')
    await client.query('INSERT INTO postern_schema SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM postern_schema)')
    for (let version = await versionOf(client, location); version < SCHEMA_VERSION; version++) {
      await client.query(MIGRATIONS[version] ?? '')
      await client.query('UPDATE postern_schema SET version = $1', [version + 1])
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw (error as { code?: string }).code === DUPLICATE_TABLE ? foreignTables(error, location, found) : error
  }
}

/** Zero where there is no schema yet. */
async function versionOf(client: ClientBase, location: string): Promise<number> {
  const version = await readVersion(client)
  if (version > SCHEMA_VERSION) {
    throw new PosternError('STORE_NEWER', { path: location, found: version, known: SCHEMA_VERSION })
  }
  return version
}

export async function readVersion(client: Pick<ClientBase, 'query'>): Promise<number> {
  try {
    const { rows } = await client.query<[number]>({ text: 'SELECT version FROM postern_schema', rowMode: 'array' })
    return rows[0]?.[0] ?? 0
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return 0
    throw error
  }
}

function foreignTables(error: unknown, location: string, found: number): PosternError {
  // Who has messages here must not be sent away from them.
  const next =
    found > 0
      ? 'Rename that of theirs, for Postern has lived here before'
      : 'Give Postern a schema of its own and add "?options=-csearch_path%3D<schema>" to the URL'
  const reason = `it holds tables of somebody else under the names of ours (${reasonOf(error)}). ${next}`
  return new PosternError('STORE_UNAVAILABLE', { path: location, reason }, { cause: error })
}
