import { statSync } from 'node:fs'
import { networkFileSystem } from '../../kit/node/file-systems.ts'
import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { isAccountedFor } from './log-end.ts'

/** The number of the last migration. */
export const SCHEMA_VERSION = 22

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

/** A store as somebody has found and opened it. */
export interface OpenedStore {
  readonly connection: Connection
  /** Of its file, which may be another by the time that somebody goes on with it. */
  readonly inode: number
}

/**
 * A store that can be used at once: our own file on a disk of this machine, up to date, and with everything that was
 * acknowledged.
 */
export function openIfOurs(path: string): OpenedStore | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.uid !== process.getuid?.() || networkFileSystem(path)) return undefined
  const connection = new Connection(path, { busyMs: 0 })
  const isWhole = isCurrent(connection) && isAccountedFor(connection)
  return isWhole ? { connection, inode: stat.ino } : undefined
}
