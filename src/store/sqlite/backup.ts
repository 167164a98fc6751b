import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { createWhole } from '../../kit/node/whole-file.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import type { Verified } from '../../model/verified.ts'
import type { MessageMacs } from '../message-macs.ts'
import { rememberVerified, verifyMessages } from '../shelves/verify.ts'
import type { Store } from '../store.ts'
import { asSql, Connection } from './connection.ts'
import { loadEngine } from './engine.ts'

/** All pages in one step: the copy is of one moment, and no writer can make it start over. */
const ALL_PAGES = 0x7fffffff

/** What SQLite may leave beside a copy that failed. */
const LEFTOVERS = ['-wal', '-shm', '-journal', '-suspect']

/** Copies the store as it is at one moment into a new file, which appears whole or not at all. */
export async function backupTo(
  store: Pick<Store, 'now' | 'transact'>,
  connection: Connection,
  { path, macs }: { readonly path: string; readonly macs: MessageMacs | undefined },
): Promise<Verified> {
  let verified: Verified = { messages: 0, faults: [] }
  const write = async (partial: string) => {
    await loadEngine().backup(connection.database, partial, { rate: ALL_PAGES })
    verified = await verifyCopy(partial, macs)
  }
  try {
    await createWhole(path, write, LEFTOVERS)
    return await rememberVerified(store, verified)
  } catch (error) {
    throw backupError(error, path)
  }
}

/** Damaged messages are copied as they are: without them nothing could be saved. A copy with broken pages is refused. */
async function verifyCopy(path: string, macs: MessageMacs | undefined): Promise<Verified> {
  const copy = new Connection(path, { busyMs: 0 })
  try {
    // The copy is one file without a log beside it, so that it can be carried anywhere.
    copy.pragma('journal_mode = DELETE')
    const verdict = copy.pragma('integrity_check')
    if (verdict !== 'ok') throw new Error(`the copy is not sound (${verdict})`)
    return await verifyMessages(asSql(path, () => copy, macs))
  } finally {
    copy.close()
  }
}

function backupError(error: unknown, path: string): PosternError {
  if ((error as NodeJS.ErrnoException).code === 'EEXIST') return new PosternError('BACKUP_EXISTS', { path })
  const reason = fileTrouble(error) ?? reasonOf(error)
  return new PosternError(
    'BACKUP_FAILED',
    { reason, next: 'Check that its folder exists and has room.' },
    { cause: error },
  )
}
