import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { monotonicMs } from '../kit/node/monotonic.ts'
import { lockDescriptor } from '../kit/node/native/flock.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'

/** Why a spool could not be used. Nothing was changed. */
export type SpoolTrouble =
  /** It is a link, a pipe, somebody else's, or cannot be opened. */
  | 'refused'
  /** Somebody held its lock for too long. */
  | 'busy'
  /** Not all of an entry could be written; what was is taken back. */
  | 'unwritten'

export class SpoolError extends Error {
  override readonly name = 'SpoolError'
  readonly trouble: SpoolTrouble

  constructor(trouble: SpoolTrouble, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.trouble = trouble
  }
}

/** A spool that is open and locked; closing it lets the lock go. */
export interface LockedSpool {
  readonly fd: number
  readonly size: number
  close(): void
}

const NO_FOLLOWING = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
const FILE_MODE = 0o600

/**
 * Opens a spool and locks it. Undefined where there is none and none is to be made. Foreign programs may remove or
 * replace the file while we wait, so what was locked must still be what the path names.
 */
export async function lockSpool(path: string, flags: number, patienceMs: number): Promise<LockedSpool | undefined> {
  requireOwnFolders(path)
  const deadline = monotonicMs() + patienceMs
  for (;;) {
    const fd = open(path, flags)
    if (fd === undefined) return undefined
    try {
      requirePlain(fstatSync(fd), path)
      if (!(await lock(fd, path, Math.max(0, deadline - monotonicMs())))) {
        throw new SpoolError('busy', `the spool ${path} stayed locked for ${patienceMs} ms`)
      }
      const { ino, dev, size } = fstatSync(fd)
      const named = lstatSync(path, { throwIfNoEntry: false })
      if (named?.ino === ino && named.dev === dev) return { fd, size, close: () => closeSync(fd) }
    } catch (error) {
      closeSync(fd)
      throw error
    }
    closeSync(fd)
    if (monotonicMs() >= deadline) throw new SpoolError('busy', `the spool ${path} was replaced for ${patienceMs} ms`)
  }
}

function open(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags | NO_FOLLOWING, FILE_MODE)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new SpoolError('unwritten', `${path}: ${code}`, { cause: error })
    throw new SpoolError('refused', `the spool ${path} cannot be opened (${code})`, { cause: error })
  }
}

async function lock(fd: number, path: string, timeoutMs: number): Promise<boolean> {
  try {
    return await lockDescriptor(fd, timeoutMs)
  } catch (error) {
    throw new SpoolError('refused', `the spool ${path} cannot be locked: ${reasonOf(error)}`, { cause: error })
  }
}

function requirePlain(stat: Stats, path: string): void {
  if (!stat.isFile()) throw new SpoolError('refused', `the spool ${path} is not a plain file`)
  requireOwn(stat, path)
}

/** A cloned repository may hold links, and they must not lead anywhere. */
function requireOwnFolders(path: string): void {
  for (const folder of [dirname(path), dirname(dirname(path))]) {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat === undefined) continue
    if (!stat.isDirectory()) throw new SpoolError('refused', `${folder} is not a plain folder`)
    requireOwn(stat, folder)
  }
}

function requireOwn(stat: Stats, path: string): void {
  const own = process.getuid?.()
  if (own !== undefined && stat.uid !== own) throw new SpoolError('refused', `${path} belongs to another user`)
}
