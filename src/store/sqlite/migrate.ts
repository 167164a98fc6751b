import { PosternError } from '../../model/errors.ts'
import type { Connection } from './connection.ts'
import { spine } from './migrations/0001-spine.ts'

/** Numbered from one, forward only; one that was released is never edited. */
const MIGRATIONS: readonly string[] = [spine]

export const SCHEMA_VERSION = MIGRATIONS.length
/** `PSTN`: tells our files from other SQLite databases. */
const APPLICATION_ID = 0x5053544e

/** Brings the schema up to date. Of many processes one does the work while the others wait for its lock. */
export function migrate(connection: Connection): void {
  requireOurs(connection)
  if (versionOf(connection) === SCHEMA_VERSION) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    for (let version = versionOf(connection); version < SCHEMA_VERSION; version++) {
      connection.exec(MIGRATIONS[version] ?? '')
      connection.exec(`PRAGMA user_version = ${version + 1}`)
    }
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    connection.exec('COMMIT')
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

/** Whether a store is ours and up to date, by two looks and without a lock. */
export function isCurrent(connection: Connection): boolean {
  return connection.pragma('application_id') === APPLICATION_ID && connection.pragma('user_version') === SCHEMA_VERSION
}

/** The tables are counted first: a store that another process makes meanwhile has its mark by the second look. */
export function requireOurs(connection: Connection): void {
  const [tables] = connection.get('SELECT count(*) FROM sqlite_schema') ?? [0]
  const application = connection.pragma('application_id')
  const isNew = tables === 0 && application === 0
  if (application !== APPLICATION_ID && !isNew) throw new PosternError('STORE_CORRUPT', { path: connection.path })
}

function versionOf(connection: Connection): number {
  const version = connection.pragma('user_version') as number
  if (version > SCHEMA_VERSION) {
    throw new PosternError('STORE_NEWER', { path: connection.path, found: version, known: SCHEMA_VERSION })
  }
  return version
}
