import { existsSync } from 'node:fs'

/** What Node itself cannot do, by `native/flock.c`. */
export interface Addon {
  tryLock(fd: number): boolean
  lock(fd: number, callback: (errno: number) => void): void
  unlock(fd: number): void
  isReadable(fd: number, timeoutMs: number): boolean
  /** Ends the process as it is. */
  exit(code: number): never
}

let known: Addon | null | undefined

/** Undefined on platforms for which there is none. */
export function loadAddon(): Addon | undefined {
  if (known === undefined) known = findAddon() ?? null
  return known ?? undefined
}

/** The C library is not asked for: where one binary cannot be loaded the other can. */
function findAddon(): Addon | undefined {
  const folder = findPrebuilt()
  if (folder === undefined) return undefined
  for (const library of ['', '-musl']) {
    const addon = { exports: {} }
    try {
      // As `require` does it, which would first look for the file in every place where a module may be.
      process.dlopen(addon, `${folder}/flock-${process.platform}-${process.arch}${library}.node`)
      return addon.exports as Addon
    } catch {
      // Not for this platform, or for another C library.
    }
  }
  return undefined
}

/** Where what was built from `native/` lies, for every platform; undefined where it is missing. */
export function findPrebuilt(): string | undefined {
  const here = typeof __dirname === 'string' ? __dirname : import.meta.dirname
  return ['../native/prebuilt', '../../../../native/prebuilt'].map((way) => `${here}/${way}`).find(existsSync)
}
