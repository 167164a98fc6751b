import { reasonOf } from '../../kit/pure/reason-of.ts'
import { type ErrorCode, PosternError } from '../../model/errors.ts'

const BUSY = 5
const LOCKED = 6
const IO = 10

/** SQLite's primary result codes that mean something to a user. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  3: 'STORE_READ_ONLY',
  8: 'STORE_READ_ONLY',
  [IO]: 'STORE_IO',
  11: 'STORE_CORRUPT',
  13: 'STORE_FULL',
  14: 'STORE_UNAVAILABLE',
  23: 'STORE_READ_ONLY',
  26: 'STORE_CORRUPT',
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

/** After a failed write or fsync the connection's cache may not be what is on disk, so it must not be used again. */
export function isPoisoned(error: unknown): boolean {
  const code = resultCode(error)
  return code === IO || code === 11
}

export function storeError(error: unknown, path: string): unknown {
  if (error instanceof PosternError) return error
  const code = CODES[resultCode(error) ?? -1]
  if (!code) return error
  const reason = reasonOf(error)
  return new PosternError(code, { path, reason }, { cause: error })
}
