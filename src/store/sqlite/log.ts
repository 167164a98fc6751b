import type { Connection } from './connection.ts'

/** 16 MB of log: enough that moving it into the store happens to fewer than one push in a hundred. */
const LARGE_FRAMES = 4_000

/** 1 MB. Whoever opens a store that nobody else has open reads all of its log first, and most commands do. */
const LARGE_FRAMES_AT_FIRST = 250

/**
 * Moves a large write-ahead log into the store, so that the next writer begins it anew.
 *
 * SQLite would do so by itself at a commit, but without the write lock: where many processes write, another commit
 * always comes between, the log never begins anew, and in the end every commit moves all of it. So the bulk is moved
 * while others write, and the small rest with the lock held. Whoever finds the lock taken leaves it to the next. A
 * SQLite older than 3.51 takes NOOP for PASSIVE: there every look moves what it finds.
 */
export function tendLog(connection: Connection, isFirst: boolean): void {
  const [, frames = 0] = connection.get('PRAGMA wal_checkpoint(NOOP)') ?? []
  if (frames < (isFirst ? LARGE_FRAMES_AT_FIRST : LARGE_FRAMES)) return
  connection.get('PRAGMA wal_checkpoint(PASSIVE)')
  connection.get('PRAGMA wal_checkpoint(RESTART)')
}
