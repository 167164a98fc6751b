import { fstatSync, ftruncateSync, writeSync } from 'node:fs'
import type { BusFault } from '../../model/bus/bus.ts'
import type { AppendedEntry } from '../bus-shelf.ts'
import { type FormattedEntry, writeEntry } from '../codec/format.ts'
import type { NextMsgIds } from '../codec/msg-id.ts'
import type { Sheet } from '../codec/sheet.ts'
import type { DiskWait } from './disk-wait.ts'
import type { End } from './end.ts'
import type { LockedFile } from './locked-file.ts'
import { unusable } from './trouble.ts'

/** Somebody who waits for an entry to be written. */
export interface Waiting {
  readonly entry: FormattedEntry
  readonly resolve: (entry: AppendedEntry) => void
  readonly reject: (reason: unknown) => void
}

export interface Author {
  readonly now: () => number
  readonly pid: number
  /** Counts the entries of this process. */
  readonly count: () => number
}

/** Where the next entry goes. */
export interface Continued extends Pick<End, 'closing' | 'torn'> {
  readonly ids: NextMsgIds
}

/** An entry that is ready to be written. */
export interface Composed {
  readonly waiting: Waiting
  readonly appended: AppendedEntry
  /** Where it begins on the sheet. */
  readonly at: number
}

/** Gives the entries their ids, one after the other, and puts what is to be written on a sheet. */
export function compose(
  batch: readonly Waiting[],
  { ids, torn, closing }: Continued,
  author: Author,
  sheet: Sheet,
): Composed[] {
  let repaired: BusFault | undefined = torn
  sheet.clear()
  sheet.addText(closing)
  return batch.map((waiting) => {
    const at = sheet.length
    const now = author.now()
    const stamp = { msg_id: ids.next(now, author.pid, author.count()), ts: formatTime(now) }
    writeEntry(waiting.entry, stamp, sheet)
    const appended = { ...stamp, repaired }
    repaired = undefined
    return { waiting, appended, at }
  })
}

/** Most entries of one second come together. */
let lately = { second: -1, text: '' }

function formatTime(at: number): string {
  const second = Math.floor(at / 1000)
  if (lately.second !== second) lately = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` }
  return lately.text
}

/** Writes at the end of a locked file, all or nothing, and waits for the disk; undefined where that was done at once. */
export function writeWhole(
  path: string,
  { fd, stat }: LockedFile,
  bytes: Buffer,
  disk: DiskWait,
): Promise<void> | undefined {
  let written = 0
  const undo = (error: unknown): never => {
    takeBack(fd, stat.size, written)
    throw error
  }
  try {
    written = writeSync(fd, bytes)
    // A full disk takes a part without an error.
    if (written < bytes.length) throw unusable(path, `only ${written} of ${bytes.length} bytes could be written`)
    return disk.wait(fd)?.catch(undo)
  } catch (error) {
    return undo(error)
  }
}

/** What somebody else has written behind ours, without the lock, is not ours to take back. */
function takeBack(fd: number, size: number, written: number): void {
  try {
    if (written > 0 && fstatSync(fd).size === size + written) ftruncateSync(fd, size)
  } catch {
    // The disk fails altogether. What is left of it is closed by whoever writes next.
  }
}
