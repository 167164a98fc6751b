import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { mayHoldEntries } from '../spool/may-hold.ts'
import { spoolPath } from '../spool/path.ts'

export { spoolPath }

/** The root of the repository around a folder, or the folder itself where it is in none. */
export function projectRoot(cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(`${folder}/.git`)) return folder
    if (dirname(folder) === folder) return cwd
  }
}

/** Costs one look at the file system: only where it says so need the spool itself be loaded. */
export function isSpoolWaiting({ root, sessionId }: { readonly root: string; readonly sessionId: string }): boolean {
  return mayHoldEntries(spoolPath(root, sessionId))
}
