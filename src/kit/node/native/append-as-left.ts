import { loadAddon } from './addon.ts'

/** What a writer knows of a file that it has open for appending. */
export interface LeftFile {
  readonly fd: number
  readonly path: string
  readonly dev: number
  readonly ino: number
  readonly size: number
  /** What is changed later was changed by somebody else. */
  readonly changedByMs: number
}

/** As `native/flock.c` has them. */
const [DEVICE, INODE, SIZE, LATEST_CHANGE_MS, ADDED] = [0, 1, 2, 3, 4] as const
const left = new Float64Array(5)

/** Whether that can be done on this platform at all. */
export function canAppendAsLeft(): boolean {
  return loadAddon() !== undefined
}

/**
 * Adds the first bytes of some to a file under its lock and waits for the disk, in one step, for which it stands still.
 * False where the lock is taken, the path does not name the file as it was left, or the disk did not take all of them:
 * then nothing was done. Throws, as Node does, where the disk failed: then nobody knows what is on it.
 */
export function appendAsLeft(
  { fd, path, dev, ino, size, changedByMs }: LeftFile,
  bytes: Buffer,
  count: number = bytes.length,
): boolean {
  left[DEVICE] = dev
  left[INODE] = ino
  left[SIZE] = size
  left[LATEST_CHANGE_MS] = changedByMs
  left[ADDED] = count
  const outcome = loadAddon()?.appendAsLeft(fd, path, left, bytes) ?? 0
  if (outcome < 0) throw systemError(outcome)
  return outcome === 1
}

function systemError(errno: number): NodeJS.ErrnoException {
  const code = process.getBuiltinModule('node:util').getSystemErrorName(errno)
  return Object.assign(new Error(`${code}: the disk did not take what was added`), { code, errno })
}
