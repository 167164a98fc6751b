import { type BigIntStats, closeSync, constants, fstatSync, openSync, statSync, watch as watchByEvents } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'

export interface Bell extends Watcher {
  /**
   * Looks whether it still watches the file at its path, and tells where it did not: nobody is told when a folder is moved
   * away.
   */
  look(): void
}

/** It keeps the process alive unless it is told not to. */
export interface Watcher {
  /** It only looks from time to time. */
  readonly isPolling?: boolean
  ref(): unknown
  unref(): unknown
  close(): void
}

/** Calls back whenever the file was touched, changed, moved or deleted; `isBroken` where it will not do so again. */
export type WatchFile = (path: string, onEvent: (isBroken?: boolean) => void) => Watcher

export interface BellOptions {
  readonly path: string
  readonly onEvent: () => void
  readonly watch?: WatchFile | undefined
}

const OPEN_FLAGS = constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW
const FILE_MODE = 0o600
const POLL_MS = 250
const REOPEN_MS = 1000
const MAX_OPENINGS = 10

/** Out of inotify instances or watches: a limit of the machine that programs of all kinds share. */
const NO_WATCHES_LEFT: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOSPC'])

/**
 * One watched file. A watch belongs to a file, not to its path: when the file is deleted or replaced the watch is
 * deaf. So every event is passed on, and followed by a look whether the path still leads to the watched file; if not, the
 * bell makes and watches a new one, and tells once more for whoever rang in between. While nobody needs it, it leaves what
 * was removed alone.
 */
export function openBell({ path, onEvent, watch = watchByKernel }: BellOptions): Bell {
  let current = openWatch(path, handle, watch)
  let retry: NodeJS.Timeout | undefined
  let isClosed = false
  let isHeld = true
  /** What it watches is not the file at its path, or nothing at all. */
  let isStale = false

  function handle(isBroken = false): void {
    if (isClosed) return
    onEvent()
    if (isClosed || (!isBroken && inodeAt(path) === current.inode)) return
    isStale = true
    if (isHeld) look()
  }

  function look(): void {
    if (!isStale && inodeAt(path) === current.inode) return
    reopen()
    onEvent()
  }

  function hold(held: boolean): void {
    isHeld = held
    if (held) current.ref()
    else current.unref()
  }

  function reopen(): void {
    current.close()
    clearTimeout(retry)
    try {
      current = openWatch(path, handle, watch)
      isStale = false
      hold(isHeld)
    } catch {
      isStale = true
      // The folder cannot be written to for now. Listeners ask the store from time to time in any case.
      retry = setTimeout(handle, REOPEN_MS, true).unref()
    }
  }

  return {
    look,
    get isPolling() {
      return current.isPolling === true
    },
    ref: () => hold(true),
    unref: () => hold(false),
    close() {
      isClosed = true
      clearTimeout(retry)
      current.close()
    },
  }
}

interface OpenWatch extends Watcher {
  readonly inode: bigint
}

/**
 * Makes the file if need be and watches it; begins again where it was replaced between the two. The file stays open:
 * so long as it does, no other file can get its inode number.
 */
function openWatch(path: string, onEvent: (isBroken?: boolean) => void, watch: WatchFile): OpenWatch {
  for (let opening = 1; opening <= MAX_OPENINGS; opening++) {
    const fd = openFile(path)
    let watcher: Watcher | undefined
    const close = once(() => {
      watcher?.close()
      closeSync(fd)
    })
    try {
      const inode = fstatSync(fd, { bigint: true }).ino
      const opened = watch(path, onEvent)
      watcher = opened
      if (inodeAt(path) === inode) {
        const isPolling = opened.isPolling === true
        return { inode, isPolling, close, ref: () => opened.ref(), unref: () => opened.unref() }
      }
    } catch (error) {
      close()
      throw error
    }
    close()
  }
  throw new Error(`${path} is replaced as fast as it can be watched`)
}

function openFile(path: string): number {
  makePrivateFolder(dirname(path))
  return openSync(path, OPEN_FLAGS, FILE_MODE)
}

function inodeAt(path: string): bigint | undefined {
  return statOf(path)?.ino
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A descriptor must not be closed twice: its number may be another file's by then. */
function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}

/** By events of the kernel; by looking from time to time where the machine has no watches left. */
function watchByKernel(path: string, onEvent: (isBroken?: boolean) => void): Watcher {
  try {
    const watcher = watchByEvents(path, () => onEvent())
    watcher.on('error', () => onEvent(true))
    return watcher
  } catch (error) {
    if (!NO_WATCHES_LEFT.has((error as NodeJS.ErrnoException).code)) throw error
    return watchByPolling(path, onEvent)
  }
}

/**
 * Compares by what it sees now, at once: `fs.watchFile` looks first some time later, and takes for old what was rung
 * in between.
 */
export function watchByPolling(path: string, onEvent: (isBroken?: boolean) => void): Watcher {
  let last = stampAt(path)
  const timer = setInterval(() => {
    const stamp = stampAt(path)
    if (stamp === last) return
    last = stamp
    onEvent()
  }, POLL_MS)
  return { isPolling: true, ref: () => timer.ref(), unref: () => timer.unref(), close: () => clearInterval(timer) }
}

function stampAt(path: string): string | undefined {
  const stat = statOf(path)
  return stat && `${stat.ino} ${stat.mtimeNs}`
}
