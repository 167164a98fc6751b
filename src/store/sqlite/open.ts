import { closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sleep } from '../../kit/clock/sleep.ts'
import { networkFileSystem } from '../../kit/node/file-systems.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { isBusy, isMoved } from './errors.ts'
import { isCurrent, requireOurs } from './schema.ts'

const OPEN_DEADLINE_MS = 60_000
const BUSY_WHILE_OPENING_MS = 5_000
const RETRY_MS = 20
const JOURNAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024
const FULL = 2

export interface OpenOptions {
  readonly path: string
  readonly random: () => number
  /** How long whoever opens it can wait for others; absent: as long as it takes to make a store. */
  readonly busyMs?: number | undefined
  /** A connection that somebody has already, to a store of ours: then the file need not be looked at again. */
  readonly opened?: Connection | undefined
  /** For a short command, which may lock out all others where the disk is full: then it can still read. */
  readonly isBrief?: boolean | undefined
  /** Called after the file of a new store was created, before anybody can use it. */
  readonly onCreated?: (() => Promise<void>) | undefined
}

/**
 * Opens a connection by the recipe that survives many processes starting at once on a store that does not exist yet:
 * a local disk, a private file, WAL set once and with patience, FULL read back, then the schema.
 */
export async function openConnection(options: OpenOptions): Promise<Connection> {
  const { path, random, busyMs = OPEN_DEADLINE_MS } = options
  let { opened } = options
  if (!opened) await prepareFile(options)
  const deadline = monotonicMs() + busyMs
  for (;;) {
    try {
      return await configure(opened ?? new Connection(path, { busyMs: Math.min(busyMs, BUSY_WHILE_OPENING_MS) }))
    } catch (error) {
      opened = undefined
      if (!isBusy(error) && !isMoved(error)) {
        const { openAlone, openError } = await import('./maintenance.ts')
        const failure = openError(error, path)
        if (!options.isBrief) throw failure
        return openAlone(path, failure)
      }
      if (monotonicMs() > deadline) {
        throw new PosternError('STORE_BUSY', { path, waited: `${busyMs} ms` }, { cause: error })
      }
      await sleep(RETRY_MS * (0.5 + random()))
    }
  }
}

async function configure(connection: Connection): Promise<Connection> {
  const { path } = connection
  try {
    if (connection.pragma('journal_mode') !== 'wal') {
      // Before anything is set: a database of somebody else's stays as it is.
      requireOurs(connection)
      if (connection.pragma('journal_mode = WAL') !== 'wal') {
        throw new PosternError('STORE_UNAVAILABLE', { path, reason: 'its file system cannot do write-ahead logging' })
      }
    }
    connection.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${JOURNAL_SIZE_LIMIT_BYTES}`)
    if (connection.pragma('synchronous') !== FULL) {
      throw new PosternError('STORE_UNAVAILABLE', { path, reason: 'it does not write through to the disk' })
    }
    if (!isCurrent(connection)) await bringUpToDate(connection)
    // From here on waiting is ours: SQLite's own handler starves writers and blocks the event loop.
    connection.exec('PRAGMA busy_timeout = 0')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Most stores are up to date: what makes and changes their tables is loaded on use. */
async function bringUpToDate(connection: Connection): Promise<void> {
  const { migrate } = await import('./maintenance.ts')
  migrate(connection)
}

/**
 * Creates the folder and an empty, private file where there is none. An existing file is only looked at: opening and
 * closing it here would cancel the locks of another connection in this process.
 */
async function prepareFile({ path, onCreated }: OpenOptions): Promise<void> {
  const folder = dirname(path)
  const fileSystem = networkFileSystem(folder)
  if (fileSystem) throw new PosternError('STORE_NETWORK_FS', { path, fs: fileSystem })
  try {
    makePrivateFolder(folder)
    const known = statSync(path, { throwIfNoEntry: false })
    if (!known) {
      closeSync(openSync(path, 'wx', 0o600))
      await onCreated?.()
    } else if (process.getuid && known.uid !== process.getuid()) throw new PosternError('STORE_FOREIGN', { path })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw (await import('./maintenance.ts')).fileError(error, path)
  }
}
