import { realpathSync } from 'node:fs'
import { PosternError } from '../../model/errors.ts'
import type { Connection } from './connection.ts'
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
import { quietFolderOf } from './quiet.ts'
import { APPLICATION_ID, requireOurs, SCHEMA_VERSION } from './schema.ts'

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
]

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
    // They speak of the store as it was, or of one that was here before.
    quietFolderOf(realpathSync.native(connection.path))?.removeAll()
    connection.exec('COMMIT')
  } catch (error) {
    connection.exec('ROLLBACK')
    throw error
  }
}

function versionOf(connection: Connection): number {
  const version = connection.pragma('user_version') as number
  if (version > SCHEMA_VERSION) {
    throw new PosternError('STORE_NEWER', { path: connection.path, found: version, known: SCHEMA_VERSION })
  }
  return version
}
