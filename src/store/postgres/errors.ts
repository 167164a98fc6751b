import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { LostRace } from '../sql.ts'

type StoreCode = `STORE_${'UNAVAILABLE' | 'IO' | 'CORRUPT' | 'FULL' | 'READ_ONLY'}` | 'STORE_BUSY'

/** PostgreSQL's codes that mean something to a user; two letters stand for a whole class. */
const CODES: Readonly<Record<string, StoreCode>> = {
  '08': 'STORE_UNAVAILABLE',
  '28': 'STORE_UNAVAILABLE',
  '3D': 'STORE_UNAVAILABLE',
  '3F': 'STORE_UNAVAILABLE',
  '53': 'STORE_UNAVAILABLE',
  '57': 'STORE_UNAVAILABLE',
  '58': 'STORE_IO',
  XX001: 'STORE_CORRUPT',
  XX002: 'STORE_CORRUPT',
  '53100': 'STORE_FULL',
  '25006': 'STORE_READ_ONLY',
  '42501': 'STORE_READ_ONLY',
  '55P03': 'STORE_BUSY',
  '57014': 'STORE_BUSY',
  '40001': 'STORE_BUSY',
  '40P01': 'STORE_BUSY',
  '23505': 'STORE_BUSY',
}

/** Serialization failure, deadlock, and a unique row that somebody else stored between our look and our write. */
const RACES = new Set(['40001', '40P01', '23505'])

const SERVER_GONE = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04'])

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** The verb lost a race and may simply be run again from its beginning. */
export function isLostRace(error: unknown): boolean {
  return error instanceof LostRace || RACES.has(codeOf(error))
}

/** Data that cannot be stored, a rule of the schema, and a lock that somebody keeps. */
const ONES_OWN = /^(?:22|23|55P03)/

/** What the server has against a statement may be true of a part of it only: the rest would be stored without that. */
export function isPartial(error: unknown): boolean {
  return isLostRace(error) || ONES_OWN.test(codeOf(error))
}

/** The connection cannot be used again. What the driver says without a code of PostgreSQL's is about the connection. */
export function isDisconnected(error: unknown): boolean {
  if (error instanceof PosternError || error instanceof LostRace) return false
  const code = codeOf(error)
  if (SQLSTATE.test(code)) return code.startsWith('08') || SERVER_GONE.has(code)
  return SYSTEM_ERROR.test(code) || DRIVER_TALK.test(reasonOf(error))
}

const SQLSTATE = /^[0-9A-Z]{5}$/
const SYSTEM_ERROR = /^E(?!RR_)[A-Z_]+$/
const DRIVER_TALK = /connection|read timeout|timeout exceeded|not queryable|socket/i

export function storeError(error: unknown, location: string, waitedMs: number): unknown {
  if (error instanceof PosternError) return error
  if (error instanceof LostRace) return busy(error, location, waitedMs)
  const code = codeOf(error)
  const known = CODES[code] ?? (SQLSTATE.test(code) ? CODES[code.slice(0, 2)] : undefined)
  if (known === 'STORE_BUSY') return busy(error, location, waitedMs)
  // The texts of our errors end the sentence themselves.
  const reason = reasonOf(error).replace(/\.$/, '')
  if (known) return new PosternError(known, { path: location, reason }, { cause: error })
  if (!isDisconnected(error)) return error
  return new PosternError('STORE_UNAVAILABLE', { path: location, reason }, { cause: error })
}

function busy(error: unknown, location: string, waitedMs: number): PosternError {
  return new PosternError('STORE_BUSY', { path: location, waited: `${waitedMs} ms` }, { cause: error })
}
