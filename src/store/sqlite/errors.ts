import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { markSuspect } from './suspect.ts'

const BUSY = 5
const LOCKED = 6
const IO = 10
const CORRUPT = 11
const NO_DATABASE = 26
/** The whole code: the file is no longer where it was opened. */
const MOVED = 1032

type StoreCode = `STORE_${'READ_ONLY' | 'IO' | 'CORRUPT' | 'FULL' | 'UNAVAILABLE'}`

/** SQLite's primary result codes that mean something to a user. */
const CODES: Readonly<Record<number, StoreCode>> = {
  3: 'STORE_READ_ONLY',
  8: 'STORE_READ_ONLY',
  [IO]: 'STORE_IO',
  [CORRUPT]: 'STORE_CORRUPT',
  13: 'STORE_FULL',
  14: 'STORE_UNAVAILABLE',
  23: 'STORE_READ_ONLY',
  [NO_DATABASE]: 'STORE_CORRUPT',
}

/** The primary code of an error that SQLite raised, whatever its extended one. */
function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === BUSY || code === LOCKED
}

/** The file that this connection has open was replaced before anything was written by it. */
export function isMoved(error: unknown): boolean {
  return (error as { errcode?: unknown } | undefined)?.errcode === MOVED
}

/** What is stored cannot be read, or is not what was written. */
export function isDamage(error: unknown): boolean {
  return isPoisoned(error) || resultCode(error) === NO_DATABASE
}

/** After a failed write or fsync the connection's cache may not be what is on disk, so it must not be used again. */
export function isPoisoned(error: unknown): boolean {
  const code = resultCode(error)
  return code === IO || code === CORRUPT
}

export function storeError(error: unknown, path: string): unknown {
  if (error instanceof PosternError) return error
  const code = CODES[resultCode(error) ?? -1]
  if (!code) return error
  if (resultCode(error) === CORRUPT) markSuspect(path)
  const reason = reasonOf(error)
  return new PosternError(code, { path, reason }, { cause: error })
}
