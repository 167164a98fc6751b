import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes the names in a folder last. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
