import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What Node itself cannot do, by `native/flock.c`. */
export interface Addon {
  tryLock(fd: number): boolean
  lock(fd: number, callback: (errno: number) => void): void
  unlock(fd: number): void
  isReadable(fd: number, timeoutMs: number): boolean
}

let known: Addon | null | undefined

/** Undefined on platforms for which there is none. */
export function loadAddon(): Addon | undefined {
  if (known === undefined) known = findAddon() ?? null
  return known ?? undefined
}

/** The C library is not asked for: where one binary cannot be loaded the other can. */
function findAddon(): Addon | undefined {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url))
  const folder = ['../native/prebuilt', '../../../native/prebuilt'].map((way) => join(here, way)).find(existsSync)
  if (folder === undefined) return undefined
  const load = createRequire(join(folder, 'x.cjs'))
  for (const library of ['', '-musl']) {
    try {
      return load(`./flock-${process.platform}-${process.arch}${library}.node`) as Addon
    } catch {
      // Not for this platform, or for another C library.
    }
  }
  return undefined
}
