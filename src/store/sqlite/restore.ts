import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { networkFileSystem } from '../../kit/node/file-systems.ts'
import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { makePrivateFolder, syncFolder } from '../../kit/node/folders.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { isOpenSomewhere } from '../../kit/node/open-files.ts'
import { sleepSync } from '../../kit/node/sleep-sync.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { isBusy, isDamage } from './errors.ts'
import { quietFolderOf } from './quiet.ts'
import { requireOurs, SCHEMA_VERSION } from './schema.ts'

export interface Restored {
  /** The folder with the files that were replaced; null if there was no store. */
  readonly replaced: string | null
}

/** Files that belong to the store and to no other. They must go before another store takes its place. */
const BELONGINGS = ['-wal', '-shm', '-journal', '-end', '-suspect']

/** Beside the file itself. */
const KEPT = ['-wal', '-end', '-suspect']

/** How long short commands and hooks have to finish. */
const PATIENCE_MS = 2_000
const LOOK_AGAIN_MS = 10

/**
 * Puts a backup in the place of a store that nobody has open. The replaced files are kept in a folder beside it. The
 * backup is copied and checked first, so a backup that cannot be used changes nothing.
 */
export function restoreFrom(backup: string, store: string, now: number): Restored {
  const path = existsSync(store) ? realpathSync.native(store) : store
  const fileSystem = networkFileSystem(dirname(path))
  if (fileSystem) throw new PosternError('STORE_NETWORK_FS', { path, fs: fileSystem })
  const copy = `${path}.restore-${process.pid}`
  let lock: Connection | undefined
  try {
    makePrivateFolder(dirname(path))
    copyWhole(backup, copy)
    requireUsable(copy, backup)
    // Nobody can use it before the one that it replaces is out of use.
    lock = lockAlone(copy)
    leaveLog(lock)
    const replaced = existsSync(path) ? replace(path, copy, now) : null
    if (replaced === null) putWhereNothingIs(copy, path)
    return { replaced }
  } catch (error) {
    if (error instanceof PosternError) throw error
    throw new PosternError(
      'RESTORE_FAILED',
      {
        path: backup,
        reason: fileTrouble(error) ?? reasonOf(error),
        next: 'Check that the file exists, and that the home has room.',
      },
      { cause: error },
    )
  } finally {
    lock?.close()
    for (const suffix of ['', ...BELONGINGS]) rmSync(copy + suffix, { force: true })
  }
}

function copyWhole(backup: string, copy: string): void {
  if ((statSync(`${backup}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new PosternError('RESTORE_FAILED', {
      path: backup,
      reason: 'it has a write-ahead log beside it, so it is a store and no backup',
      next: 'Make a backup of it with "postern backup <file> --store <path>", and restore that.',
    })
  }
  closeSync(openSync(copy, 'wx', 0o600))
  copyFileSync(backup, copy)
  chmodSync(copy, 0o600)
  syncFile(copy)
}

function requireUsable(copy: string, backup: string): void {
  const connection = new Connection(copy, { busyMs: 0 })
  try {
    requireBackup(connection)
    const found = connection.pragma('user_version') as number
    if (found === 0) throw new Error('it is empty')
    if (found > SCHEMA_VERSION) throw new PosternError('STORE_NEWER', { path: backup, found, known: SCHEMA_VERSION })
    const verdict = connection.pragma('integrity_check')
    if (verdict !== 'ok') throw new Error(`it is damaged (${verdict})`)
  } finally {
    connection.close()
  }
}

function requireBackup(connection: Connection): void {
  try {
    requireOurs(connection)
  } catch (error) {
    // Its text names the copy, which is removed.
    if (error instanceof PosternError) throw new Error('it is not a backup of Postern', { cause: error })
    throw error
  }
}

/**
 * Moves the store aside and the copy, which the caller has locked, into its place. There is always a store at the path: whoever
 * opens it meets one lock or the other. Refuses, and changes nothing, while another process has the store open.
 */
function replace(path: string, copy: string, now: number): string {
  const folder = `${dirname(path)}/replaced-${new Date(now).toISOString().replace(/[-:.]/g, '')}`
  const kept = `${folder}/${basename(path)}`
  const lock = lockUnlessDamaged(path)
  try {
    if (lock) leaveLogOf(lock)
    mkdirSync(folder, { mode: 0o700 })
    for (const suffix of ['', ...KEPT]) if (existsSync(path + suffix)) linkSync(path + suffix, kept + suffix)
    syncFolder(folder)
    for (const suffix of BELONGINGS) rmSync(path + suffix, { force: true })
    quietFolderOf(path)?.removeAll()
    renameSync(copy, path)
    syncFolder(dirname(path))
  } finally {
    lock?.close()
  }
  if (isLeftAlone(kept)) {
    // One who had opened a damaged store may have made a log by its name.
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    return folder
  }
  takeBack(kept, path)
  throw new PosternError('STORE_IN_USE', { path })
}

/** Nobody has used the copy yet: it is still locked. */
function takeBack(kept: string, path: string): void {
  for (const suffix of KEPT) if (existsSync(kept + suffix)) renameSync(kept + suffix, path + suffix)
  renameSync(kept, path)
  rmdirSync(dirname(kept))
  syncFolder(dirname(path))
}

/** Somebody may have made a store there meanwhile. */
function putWhereNothingIs(copy: string, path: string): void {
  for (const suffix of BELONGINGS) rmSync(path + suffix, { force: true })
  quietFolderOf(path)?.removeAll()
  try {
    linkSync(copy, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new PosternError('STORE_IN_USE', { path })
    throw error
  }
  syncFolder(dirname(path))
}

/**
 * Whoever opened the store before it was moved may have waited for the lock. It cannot write into it any more, but must
 * let go of it before the other store has a log, which it would take for its own.
 */
function isLeftAlone(kept: string): boolean {
  const deadline = monotonicMs() + PATIENCE_MS
  while (isOpenSomewhere(kept)) {
    if (monotonicMs() > deadline) return false
    sleepSync(LOOK_AGAIN_MS)
  }
  return true
}

/**
 * Locks out every other process. Whoever has a store open keeps a shared lock on it, so this refuses while anybody does.
 * Until it is closed, this process must open the file in no other way: to close that would end the lock.
 */
function lockAlone(path: string): Connection {
  let connection: Connection | undefined
  try {
    connection = new Connection(path, { busyMs: PATIENCE_MS, isAlone: true })
    connection.get('SELECT count(*) FROM sqlite_schema')
    connection.exec('BEGIN EXCLUSIVE; ROLLBACK')
    return connection
  } catch (error) {
    connection?.close()
    if (isBusy(error)) throw new PosternError('STORE_IN_USE', { path })
    throw error
  }
}

/** Undefined if the file is too damaged to be locked, and nobody is seen to have it open. */
function lockUnlessDamaged(path: string): Connection | undefined {
  try {
    return lockAlone(path)
  } catch (error) {
    if (!isDamage(error)) throw error
    if (isOpenSomewhere(path)) throw new PosternError('STORE_IN_USE', { path })
    return undefined
  }
}

/**
 * Moves the log into the file and leaves it without one. Whoever has opened the file already and waits must then begin a
 * log of its own, which SQLite refuses once the file is no longer where it was opened.
 */
function leaveLog(lock: Connection): void {
  const mode = lock.pragma('journal_mode = DELETE')
  if (mode !== 'delete') throw new Error(`its log cannot be closed (${mode})`)
  // SQLite does not look where an empty file is.
  if (lock.pragma('page_count') === 0) lock.exec('PRAGMA user_version = 0')
}

/** A damaged store keeps the log that it has. */
function leaveLogOf(lock: Connection): void {
  try {
    leaveLog(lock)
  } catch (error) {
    if (!isDamage(error)) throw error
  }
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
