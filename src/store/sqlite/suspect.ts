import { existsSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Stores in which a page was found corrupt. A file beside the store tells other processes. A push into such a store is
 * acknowledged only if it can be read back; `doctor` removes the mark from a store that is sound again.
 */
const suspects = new Set<string>()

/** Those of them beside which no file could be written. Only this process knows of them. */
const unmarked = new Set<string>()

function markOf(path: string): string {
  return `${path}-suspect`
}

export function isSuspect(path: string): boolean {
  return suspects.has(path)
}

/** Called before every group of writes: another process may have found a corrupt page, or removed the mark. */
export function readMark(path: string): void {
  if (existsSync(markOf(path))) suspects.add(path)
  else if (!unmarked.has(path)) suspects.delete(path)
}

export function markSuspect(path: string): void {
  if (suspects.has(path)) return
  suspects.add(path)
  try {
    writeFileSync(markOf(path), '', { flag: 'wx', mode: 0o600 })
  } catch {
    // If the file is there, another process was faster. Otherwise others find out for themselves.
    unmarked.add(path)
  }
}

export function clearMark(path: string): void {
  suspects.delete(path)
  unmarked.delete(path)
  rmSync(markOf(path), { force: true })
}
