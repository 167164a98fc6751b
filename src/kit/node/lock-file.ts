import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { lockDescriptor } from './native/flock.ts'

/** A file that one process at a time holds, with what its holders leave in it. The lock goes with the process. */
export interface LockFile {
  /** What this holder has written, or else the one before. */
  read(): string
  /** Replaces what stands in it. Where that is cut short by a crash, the next holder finds only a part. */
  write(text: string): void
  /** Lets go of it; the file stays for the next one. */
  close(): void
  /** Lets go of it and takes the file away. */
  remove(): void
}

const FLAGS = constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW
const MODE = 0o600

/** Takes the lock if nobody has it; undefined where somebody does. Its folder must be there. */
export async function takeLockFile(path: string): Promise<LockFile | undefined> {
  for (;;) {
    const fd = openSync(path, FLAGS, MODE)
    let isOurs = false
    try {
      // Whoever held it may have taken the file away between our opening and our locking it: then it is no lock any more.
      const isFree = await lockDescriptor(fd, 0)
      if (!isFree) return undefined
      isOurs = statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino
      if (isOurs) return lockFile(path, fd)
    } finally {
      if (!isOurs) closeSync(fd)
    }
  }
}

/** What the holder of a lock has written into it. */
export function readLockFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function lockFile(path: string, fd: number): LockFile {
  let isOpen = true
  const close = () => {
    if (isOpen) closeSync(fd)
    isOpen = false
  }
  return {
    read: () => readLockFile(path),
    write(text) {
      ftruncateSync(fd, 0)
      writeSync(fd, text, 0)
    },
    close,
    remove() {
      if (isOpen) rmSync(path, { force: true })
      close()
    },
  }
}
