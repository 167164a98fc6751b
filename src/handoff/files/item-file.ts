import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { sha256 } from '../../kit/node/crypto.ts'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { HANDOFF_LIMITS } from '../../model/handoff/item.ts'
import { isOwn, isSame, lstat } from './folders.ts'

/** A name in a box, and what was found under it. */
export interface FoundFile {
  readonly box: string
  readonly name: string
  readonly path: string
  readonly stat: BigIntStats
}

export type ReadFile =
  | { readonly kind: 'read'; readonly text: string; readonly digest: string }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Somebody took it meanwhile. */
  | { readonly kind: 'gone' }

/** Neither follows a link nor waits for somebody at the other end of a pipe. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
export const RESTLESS = 'still being written'

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufffd]/u

/** Whether a file counts as an item by its name. Names that begin with a dot are nobody's business. */
export function isItemName(name: string): boolean {
  return name.endsWith('.md') && !name.startsWith('.')
}

/** Why nobody can name the file safely, or at all; undefined where everybody can. */
export function nameFault(name: string): string | undefined {
  return CONTROL.test(name) ? 'a name with characters that cannot be shown' : undefined
}

/** Whether somebody may have meant a file of a box with it, and nothing else. */
export function isSafeName(name: string): boolean {
  return isItemName(name) && !name.includes('/') && nameFault(name) === undefined
}

/** Why a file is not read, by what it is; undefined where it may be. */
export function fileFault(stat: BigIntStats): string | undefined {
  if (stat.isSymbolicLink()) return 'a symbolic link'
  if (stat.isDirectory()) return 'a folder'
  if (stat.isFIFO()) return 'a pipe'
  if (stat.isSocket()) return 'a socket'
  if (!stat.isFile()) return 'a device'
  if (!isOwn(stat)) return 'a file of another user'
  if (stat.nlink > 1n) return 'a file with more than one name'
  return stat.size > HANDOFF_LIMITS.itemBytes ? `larger than ${HANDOFF_LIMITS.itemBytes / 1024} KB` : undefined
}

/** Reads a file that was found, if it still is what was found, and is whole. */
export function readItemFile({ path, stat }: FoundFile): ReadFile {
  const fault = fileFault(stat)
  if (fault !== undefined) return refused(fault)
  let fd: number | undefined
  try {
    fd = openSync(path, READING)
    if (!isSame(fstatSync(fd, { bigint: true }), stat)) return goneOrRestless(path)
    return readWhole(fd, stat)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return { kind: 'gone' }
    if (code === 'ELOOP') return refused('a symbolic link')
    if (code === 'EACCES' || code === 'EPERM') return refused('not readable')
    throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function goneOrRestless(path: string): ReadFile {
  return lstat(path) === undefined ? { kind: 'gone' } : refused(RESTLESS)
}

function readWhole(fd: number, stat: BigIntStats): ReadFile {
  const bytes = Buffer.allocUnsafe(Number(stat.size) + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, null)
  const after = fstatSync(fd, { bigint: true })
  const fault = fileFault(after)
  if (fault !== undefined) return refused(fault)
  // Whoever has made it may be about to write to it, and there is nothing to show.
  if (length === 0) return refused('empty')
  if (BigInt(length) !== stat.size || !isUnchanged(stat, after)) return refused(RESTLESS)
  const whole = bytes.subarray(0, length)
  return { kind: 'read', text: whole.toString(), digest: sha256(whole) }
}

export function isUnchanged(before: BigIntStats, after: BigIntStats): boolean {
  return isSame(before, after) && before.size === after.size && before.mtimeNs === after.mtimeNs
}

function refused(reason: string): ReadFile {
  return { kind: 'refused', reason }
}
