import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { isCurrent } from './schema.ts'

/** Below the 700 ms that a hook waits for its store. */
const PATIENCE_MS = 500

/**
 * Opens a store on a full disk. SQLite has no room there for the file by which processes share a store, and does without
 * it if it locks out all others. Throws the given error if that is not why the store could not be opened, or if the
 * store needs a migration.
 */
export function openAlone(path: string, failure: unknown): Connection {
  if (!(failure instanceof PosternError) || failure.code !== 'STORE_FULL') throw failure
  let connection: Connection | undefined
  try {
    connection = new Connection(path, { busyMs: PATIENCE_MS, isAlone: true })
    connection.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 0')
    if (isCurrent(connection)) return connection
  } catch {
    // What kept the store from being opened in the usual way is the better answer.
  }
  connection?.close()
  throw failure
}
