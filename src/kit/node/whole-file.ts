import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs'
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

/** The same for a short text, at once: nothing else of this process comes in between. */
export function createWholeText(path: string, text: string): void {
  const partial = `${path}.partial-${process.pid}-${process.hrtime.bigint()}`
  try {
    writeFileSync(partial, text, { flag: 'wx', mode: 0o600 })
    sync(partial)
    linkSync(partial, path)
    sync(dirname(path))
  } finally {
    rmSync(partial, { force: true })
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
