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
