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

const left = new Float64Array(5)

/**
 * Adds the first bytes of some to a file under its lock and waits for the disk, in one step. It stands still for as long as the disk takes. False
 * where the lock is taken, the path does not name the file as it was left, the disk did not take everything, or there is no
 * addon: then nothing was done. Throws where it failed and may have left something behind.
 */
export function appendAsLeft(
  { fd, path, dev, ino, size, changedByMs }: LeftFile,
  bytes: Buffer,
  count: number = bytes.length,
): boolean {
  const addon = loadAddon()
  if (!addon) return false
  left[0] = dev
  left[1] = ino
  left[2] = size
  left[3] = changedByMs
  left[4] = count
  return addon.appendAsLeft(fd, path, left, bytes)
}
