import { lstatSync } from 'node:fs'

/** One look, without a lock: false where there certainly is nothing to take. */
export function mayHoldEntries(path: string): boolean {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat !== undefined && !(stat.isFile() && stat.size === 0)
  } catch {
    // A file where a folder should be: nobody can have written below it.
    return false
  }
}
