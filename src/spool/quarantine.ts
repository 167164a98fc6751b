import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder, syncFolder } from '../kit/node/folders.ts'
import { quarantinePath } from './path.ts'

/** A line that nobody can be shown, and why. */
export interface BadLine {
  readonly start: number
  readonly end: number
  readonly fault: string
}

const APPENDING = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW
const FILE_MODE = 0o600
const CHUNK_BYTES = 256 * 1024
/** Beyond this a quarantine gives way to a new one, and the one before it is dropped. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Keeps bad lines as they are, byte for byte, each below a line that says when and why. They are on the disk when it
 * returns: only then may they go from the spool, whose lock is held.
 */
export function quarantineLines(spool: string, fd: number, lines: readonly BadLine[], at: number): void {
  const path = quarantinePath(spool)
  const isNew = makePrivateFolder(dirname(path))
  if (!lstatSync(dirname(path)).isDirectory()) throw new Error(`${dirname(path)} is not a plain folder`)
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.old`)
  const target = openSync(path, APPENDING, FILE_MODE)
  try {
    if (!fstatSync(target).isFile()) throw new Error(`${path} is not a plain file`)
    for (const { start, end, fault } of lines) {
      writeAll(target, Buffer.from(`# ${new Date(at).toISOString()} ${oneLine(fault)}\n`))
      copy(fd, target, start, end)
      writeAll(target, Buffer.from('\n'))
    }
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
  syncFolder(dirname(path))
  if (isNew) syncFolder(dirname(dirname(path)))
}

/** Faults may quote what a producer wrote. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

function copy(from: number, to: number, start: number, end: number): void {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - start))
  for (let position = start; position < end; ) {
    const read = readSync(from, chunk, 0, Math.min(chunk.length, end - position), position)
    if (read === 0) throw new Error('the spool became shorter under its lock')
    writeAll(to, chunk.subarray(0, read))
    position += read
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}
