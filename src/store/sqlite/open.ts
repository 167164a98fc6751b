import { accessSync, closeSync, constants, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { networkFileSystem } from '../../kit/node/file-systems.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { isBusy, storeError } from './errors.ts'
import { isCurrent, requireOurs } from './schema.ts'

const OPEN_DEADLINE_MS = 60_000
const BUSY_WHILE_OPENING_MS = 5_000
const RETRY_MS = 20
const JOURNAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024
const FULL = 2
/** The file that processes share while they have the store open. */
const SHARED_MEMORY_BYTES = 32 * 1024

export interface OpenOptions {
  readonly path: string
  readonly random: () => number
  /** How long whoever opens it can wait for others; absent: as long as it takes to make a store. */
  readonly busyMs?: number
}

/**
 * Opens a connection by the recipe that survives many processes starting at once on a store that does not exist yet:
 * a local disk, a private file, WAL set once and with patience, FULL read back, then the schema.
 */
export async function openConnection({ path, random, busyMs = OPEN_DEADLINE_MS }: OpenOptions): Promise<Connection> {
  prepareFile(path)
  const deadline = monotonicMs() + busyMs
  for (;;) {
    try {
      return await configure(path, Math.min(busyMs, BUSY_WHILE_OPENING_MS))
    } catch (error) {
      if (!isBusy(error)) throw openError(error, path)
      if (monotonicMs() > deadline) {
        throw new PosternError('STORE_BUSY', { path, waited: `${busyMs} ms` }, { cause: error })
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (0.5 + random())))
    }
  }
}

async function configure(path: string, busyMs: number): Promise<Connection> {
  const connection = new Connection(path, { busyMs })
  try {
    if (connection.pragma('journal_mode') !== 'wal') {
      // Before anything is set: a database of somebody else's stays as it is.
      requireOurs(connection)
      if (connection.pragma('journal_mode = WAL') !== 'wal') {
        throw new PosternError('STORE_UNAVAILABLE', { path, reason: 'its file system cannot do write-ahead logging' })
      }
    }
    connection.exec(
      `PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0;
       PRAGMA journal_size_limit = ${JOURNAL_SIZE_LIMIT_BYTES}`,
    )
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
function prepareFile(path: string): void {
  const folder = dirname(path)
  const fileSystem = networkFileSystem(folder)
  if (fileSystem) throw new PosternError('STORE_NETWORK_FS', { path, fs: fileSystem })
  try {
    makePrivateFolder(folder)
    const known = statSync(path, { throwIfNoEntry: false })
    if (!known) closeSync(openSync(path, 'wx', 0o600))
    else if (process.getuid && known.uid !== process.getuid()) throw new PosternError('STORE_FOREIGN', { path })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError(error, path)
  }
}

const FILE_ERRORS: Readonly<Record<string, 'STORE_READ_ONLY' | 'STORE_FULL'>> = {
  EACCES: 'STORE_READ_ONLY',
  EPERM: 'STORE_READ_ONLY',
  EROFS: 'STORE_READ_ONLY',
  ENOSPC: 'STORE_FULL',
  EDQUOT: 'STORE_FULL',
}

function fileError(error: unknown, path: string): unknown {
  if (error instanceof PosternError) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  const known = FILE_ERRORS[code]
  if (known) return new PosternError(known, { path }, { cause: error })
  return new PosternError('STORE_UNAVAILABLE', { path, reason: code || message }, { cause: error })
}

function openError(error: unknown, path: string): unknown {
  const translated = storeError(error, path)
  if (!(translated instanceof PosternError)) return fileError(error, path)
  const isVague = translated.code === 'STORE_UNAVAILABLE' || translated.code === 'STORE_IO'
  const known = isVague ? folderError(dirname(path)) : undefined
  return known ? new PosternError(known, { path }, { cause: error }) : translated
}

/** Why no file can be made beside the store: SQLite, which needs one to open it at all, says only that it failed. */
function folderError(folder: string): 'STORE_READ_ONLY' | 'STORE_FULL' | undefined {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < SHARED_MEMORY_BYTES ? 'STORE_FULL' : undefined
  } catch (error) {
    return FILE_ERRORS[(error as NodeJS.ErrnoException).code ?? '']
  }
}
