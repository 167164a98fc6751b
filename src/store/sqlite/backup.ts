import { createWhole } from '../../kit/node/whole-file.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { Connection } from './connection.ts'
import { loadEngine } from './engine.ts'

/** All pages in one step: the copy is of one moment, and no writer can make it start over. */
const ALL_PAGES = 0x7fffffff

/** What SQLite may leave beside a copy that failed. */
const LEFTOVERS = ['-wal', '-shm', '-journal']

/** Copies the store as it is at one moment into a new file, which appears whole or not at all. */
export async function backupTo(connection: Connection, path: string): Promise<void> {
  const write = async (partial: string) => {
    await loadEngine().backup(connection.database, partial, { rate: ALL_PAGES })
    requireSound(partial)
  }
  try {
    await createWhole(path, write, LEFTOVERS)
  } catch (error) {
    throw backupError(error, path)
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

function backupError(error: unknown, path: string): PosternError {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return new PosternError('BACKUP_EXISTS', { path })
  const reason = reasonOf(error)
  return new PosternError(
    'BACKUP_FAILED',
    { reason, next: 'Check that its folder exists and has room.' },
    { cause: error },
  )
}
