import { fstatSync, readSync, statSync, writeSync } from 'node:fs'
import { sleep } from '../clock/sleep.ts'

export interface WriteOptions {
  /** How long a reader of a pipe gets to show that it has gone away. */
  readonly pipeGraceMs?: number
}

const DEFAULT_PIPE_GRACE_MS = 40
const FIRST_RETRY_MS = 1
const LAST_RETRY_MS = 20

/**
 * Writes everything, or throws (EPIPE, ENOSPC, EBADF, …).
 *
 * What a pipe has taken nobody need ever read: its buffer swallows 64 KB although `head -c 10` leaves after ten
 * bytes. So the last character is held back for a moment, and written when a reader that wants no more has had the
 * time to leave: the kernel then refuses it, and the caller does not say "printed" of what nobody saw.
 */
export async function writeWhole(fd: number, text: string, options: WriteOptions = {}): Promise<void> {
  const bytes = Buffer.from(text)
  if (isStandIn(fd)) throw Object.assign(new Error('the descriptor is closed'), { code: 'EBADF' })
  if (!isPipe(fd)) return writeAll(fd, bytes)

  const held = lastCharacterAt(bytes)
  await writeAll(fd, bytes.subarray(0, held))
  await sleep(options.pipeGraceMs ?? DEFAULT_PIPE_GRACE_MS)
  await writeAll(fd, bytes.subarray(held))
}

async function writeAll(fd: number, bytes: Uint8Array): Promise<void> {
  let written = 0
  let retryMs = FIRST_RETRY_MS
  while (written < bytes.length) {
    const count = writeSome(fd, bytes.subarray(written))
    written += count
    if (count > 0) {
      retryMs = FIRST_RETRY_MS
      continue
    }
    // The descriptor does not block, and its reader is slow: others may run meanwhile.
    await sleep(retryMs)
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
  }
}

/** How many bytes were taken; 0 where there is no room now. */
function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' || code === 'EINTR') return 0
    throw error
  }
}

/**
 * Node puts the null device where a standard stream was closed, and opens it for reading too. A shell that throws its
 * output away opens it only for writing: that is somebody's wish and no accident.
 */
function isStandIn(fd: number): boolean {
  const stat = fstatSync(fd)
  if (!stat.isCharacterDevice() || stat.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev) return false
  try {
    readSync(fd, Buffer.alloc(1))
    return true
  } catch {
    return false
  }
}

function isPipe(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isFIFO() || stat.isSocket()
}

/** Where the last character begins: a reader that shows text as it comes never sees half of one. */
function lastCharacterAt(bytes: Uint8Array): number {
  let at = Math.max(0, bytes.length - 1)
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}
