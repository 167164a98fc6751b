import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder, syncFolder } from '../kit/node/folders.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { formatEntry, type SpoolEntry } from './entry.ts'
import { lockSpool, SpoolError } from './file.ts'

export interface AppendOptions extends Appending {
  readonly entry: SpoolEntry
}

export interface Appending {
  readonly path: string
  readonly patienceMs: number
  /** Wait for the disk, as whoever acknowledges the entry to somebody must. */
  readonly isDurable?: boolean
}

const APPENDING = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY
const LINE_BREAK = 0x0a

/**
 * Adds an entry to a spool, whole or not at all: under its lock and with a single write. What another writer left
 * without a line break gets one first, so that two entries never become one line.
 */
export function appendEntry({ entry, ...appending }: AppendOptions): Promise<void> {
  return appendEntries({ entries: [entry], ...appending })
}

/** Adds entries in their order: all of them, or none. */
export async function appendEntries({
  path,
  entries,
  patienceMs,
  isDurable = false,
}: Appending & { readonly entries: readonly SpoolEntry[] }): Promise<void> {
  if (entries.length === 0) return
  const folder = dirname(path)
  const isNewFolder = makeFolder(folder)
  const spool = await lockSpool(path, APPENDING, patienceMs)
  if (!spool) throw new SpoolError('refused', `the folder of the spool ${path} has gone`)
  try {
    const lines = entries.map(formatEntry).join('')
    writeWhole(spool, endsLine(path, spool.size) ? lines : `\n${lines}`, isDurable)
    // Its own name, and that of the folder above it, which may be new as well.
    const names = isNewFolder ? [folder, dirname(folder), dirname(dirname(folder))] : [folder]
    if (isDurable && spool.size === 0) syncNames(names)
  } finally {
    spool.close()
  }
}

function makeFolder(folder: string): boolean {
  try {
    return makePrivateFolder(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const trouble = code === 'ENOSPC' || code === 'EDQUOT' ? 'unwritten' : 'refused'
    throw new SpoolError(trouble, `the folder ${folder} cannot be made (${code})`, { cause: error })
  }
}

/** A folder that is gone has taken the entry with it. */
function syncNames(folders: readonly string[]): void {
  try {
    for (const folder of folders) syncFolder(folder)
  } catch (error) {
    throw new SpoolError('unwritten', `the entry was not written: ${reasonOf(error)}`, { cause: error })
  }
}

/** A full disk takes a part of a line without an error: that part is taken back. */
function writeWhole({ fd, size }: { readonly fd: number; readonly size: number }, text: string, isDurable: boolean) {
  const bytes = Buffer.from(text)
  try {
    const written = writeSync(fd, bytes)
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`)
    if (isDurable) fsyncSync(fd)
  } catch (error) {
    ftruncateSync(fd, size)
    throw new SpoolError('unwritten', `the entry was not written: ${reasonOf(error)}`, { cause: error })
  }
}

/** The descriptor that appends cannot read. */
function endsLine(path: string, size: number): boolean {
  if (size === 0) return true
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const last = Buffer.alloc(1)
    readSync(fd, last, 0, 1, size - 1)
    return last[0] === LINE_BREAK
  } finally {
    closeSync(fd)
  }
}
