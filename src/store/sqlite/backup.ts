import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { loadEngine } from './engine.ts'

/** All pages in one step: the copy is of one moment, and no writer can make it start over. */
const ALL_PAGES = 0x7fffffff

/** Copies the store as it is at one moment into a new file, which appears whole or not at all. */
export async function backupTo(connection: Connection, path: string): Promise<void> {
  const partial = `${path}.partial-${process.pid}`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    await loadEngine().backup(connection.database, partial, { rate: ALL_PAGES })
    requireSound(partial)
    sync(partial)
    linkSync(partial, path)
    sync(dirname(path))
  } catch (error) {
    throw backupError(error, path)
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(partial + suffix, { force: true })
  }
}

function requireSound(path: string): void {
  const copy = new Connection(path, { busyMs: 0 })
  try {
    // The copy is one file without a log beside it, so that it can be carried anywhere.
    copy.pragma('journal_mode = DELETE')
    const verdict = copy.pragma('quick_check')
    if (verdict !== 'ok') throw new Error(`the copy is not sound (${verdict})`)
  } finally {
    copy.close()
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function backupError(error: unknown, path: string): PosternError {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return new PosternError('BACKUP_EXISTS', { path })
  const reason = error instanceof Error ? error.message : String(error)
  return new PosternError(
    'BACKUP_FAILED',
    { reason, next: 'Check that its folder exists and has room.' },
    { cause: error },
  )
}
