import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const PRIVATE = 0o700

/**
 * Makes a folder that only its owner can enter, and those above it that are missing. True where it was not there.
 * Node can do so itself, but never comes back where the system answers "no such file" for a folder whose parent exists,
 * as it does below /proc.
 */
export function makePrivateFolder(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false
  const parent = dirname(path)
  if (parent !== path) makePrivateFolder(parent)
  try {
    mkdirSync(path, PRIVATE)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(path).isDirectory()) return false
    throw error
  }
}

/** Makes the names in a folder last. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
