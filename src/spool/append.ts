import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder, syncFolder } from '../kit/node/folders.ts'
import { formatEntry, type SpoolEntry } from './entry.ts'
import { lockSpool, SpoolError } from './file.ts'

export interface AppendOptions {
  readonly path: string
  readonly entry: SpoolEntry
  readonly patienceMs: number
  /** Wait for the disk, as whoever acknowledges the entry to somebody must. */
  readonly isLasting?: boolean
}

const APPENDING = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY
const LINE_BREAK = 0x0a

/**
 * Adds an entry to a spool, whole or not at all: under its lock and with a single write. What another writer left
 * without a line break gets one first, so that two entries never become one line.
 */
export async function appendEntry({ path, entry, patienceMs, isLasting = false }: AppendOptions): Promise<void> {
  const folder = dirname(path)
  const isNewFolder = makePrivateFolder(folder)
  const spool = await lockSpool(path, APPENDING, patienceMs)
  if (!spool) throw new SpoolError('refused', `the folder of the spool ${path} has gone`)
  try {
    const line = formatEntry(entry)
    writeWhole(spool, endsLine(path, spool.size) ? line : `\n${line}`, isLasting)
    if (isLasting && spool.size === 0) syncFolder(folder)
    // Its own name, and that of the folder above it, which may be new as well.
    if (isLasting && isNewFolder) for (const above of [dirname(folder), dirname(dirname(folder))]) syncFolder(above)
  } finally {
    spool.close()
  }
}

/** A full disk takes a part of a line without an error: that part is taken back. */
function writeWhole({ fd, size }: { readonly fd: number; readonly size: number }, text: string, isLasting: boolean) {
  const bytes = Buffer.from(text)
  try {
    const written = writeSync(fd, bytes)
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`)
    if (isLasting) fsyncSync(fd)
  } catch (error) {
    ftruncateSync(fd, size)
    throw new SpoolError('unwritten', `the entry was not written: ${(error as Error).message}`, { cause: error })
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
