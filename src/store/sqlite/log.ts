import type { Connection } from './connection.ts'

/** Who sees to it that the write-ahead log does not grow for ever. */
export interface LogKeeper {
  /** Is called between two transactions, after some commits; `isFirst`: after the first of this process. */
  tend(connection: Connection, isFirst: boolean): void
  close(): Promise<void>
}

/** 16 MB of log: enough that moving it into the store happens to fewer than one push in a hundred. */
const LARGE_FRAMES = 4_000

/** 1 MB. Whoever opens a store that nobody else has open reads all of its log first, and most commands do. */
const LARGE_FRAMES_AT_FIRST = 250

/** Two are enough as a rule. Where others write all the time, the last of it is moved while they wait. */
const MAX_ROUNDS = 4

const LOOK = 'PRAGMA wal_checkpoint(NOOP)'

/** Moves the log where it is large. Whoever has little time of its own may leave that to a thread (`log-mover.ts`). */
export function tendLog(connection: Connection, isFirst: boolean): void {
  if (isLogLarge(connection, isFirst)) moveLog(connection)
}

/** A SQLite older than 3.51 takes NOOP for PASSIVE: there every look moves what it finds. */
export function isLogLarge(connection: Connection, isFirst: boolean): boolean {
  const [, frames = 0] = connection.get(LOOK) ?? []
  return frames >= (isFirst ? LARGE_FRAMES_AT_FIRST : LARGE_FRAMES)
}

/**
 * Moves the write-ahead log into the store, so that the next writer begins it anew. False where somebody reads or writes
 * meanwhile, so that it goes on.
 *
 * SQLite would do so by itself at a commit, but without the write lock: where many processes write, another commit
 * always comes between, the log never begins anew, and in the end every commit moves all of it. So the bulk is moved
 * while others write, and the small rest with the lock held. Whoever finds the lock taken leaves it to the next.
 *
 * SQLite waits for the disk only where it has moved all there is. So it is asked again for what others have added: else
 * all of that wait, ten milliseconds and more, would fall to whoever holds the lock.
 */
export function moveLog(connection: Connection): boolean {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    connection.get('PRAGMA wal_checkpoint(PASSIVE)')
    const [, frames = 0, moved = 0] = connection.get(LOOK) ?? []
    if (frames === moved) break
  }
  return connection.get('PRAGMA wal_checkpoint(RESTART)')?.[0] === 0
}
