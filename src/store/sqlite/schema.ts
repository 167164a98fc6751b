import { PosternError } from '../../model/errors.ts'
import type { Connection } from './connection.ts'

/** The number of the last migration. */
export const SCHEMA_VERSION = 2

/** `PSTN`: tells our files from other SQLite databases. */
export const APPLICATION_ID = 0x5053544e

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
