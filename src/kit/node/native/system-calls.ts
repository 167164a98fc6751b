import { existsSync } from 'node:fs'

/** The system calls that Node lacks, by the addon `native/system-calls.c`. */
export interface SystemCalls {
  tryLock(fd: number): boolean
  lock(fd: number, callback: (errno: number) => void): void
  unlock(fd: number): void
  isReadable(fd: number, timeoutMs: number): boolean
  /** Ends the process as it is. */
  exit(code: number): never
}

let known: SystemCalls | null | undefined

/** Undefined on platforms for which there is no addon. */
export function loadSystemCalls(): SystemCalls | undefined {
  if (known === undefined) known = findSystemCalls() ?? null
  return known ?? undefined
}

/** The C library is not asked for: where one binary cannot be loaded the other can. */
function findSystemCalls(): SystemCalls | undefined {
  const folder = findPrebuilt()
  if (folder === undefined) return undefined
  for (const library of ['', '-musl']) {
    const addon = { exports: {} }
    try {
      // As `require` does it, which would first look for the file in every place where a module may be.
      process.dlopen(addon, `${folder}/system-calls-${process.platform}-${process.arch}${library}.node`)
      return addon.exports as SystemCalls
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
