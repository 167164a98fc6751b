import { closeSync, fsyncSync, linkSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a private file that appears whole or not at all, and never in the place of another: it is written under a
 * name beside its own, forced to the disk, and linked. Throws EEXIST where the name is taken.
 */
export async function createWhole(
  path: string,
  write: (partial: string) => Promise<void>,
  leftovers: readonly string[] = [],
): Promise<void> {
  const partial = `${path}.partial-${process.pid}`
  try {
    closeSync(openSync(partial, 'wx', 0o600))
    await write(partial)
    sync(partial)
    linkSync(partial, path)
    sync(dirname(path))
  } finally {
    for (const suffix of ['', ...leftovers]) rmSync(partial + suffix, { force: true })
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
