import { type BigIntStats, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../kit/node/folders.ts'
import { ARCHIVES, type Box } from './boxes.ts'
import { hasOwnFolder, isOwn, isSame, lstat } from './folders.ts'
import { settleMove } from './move.ts'
import { partialName, unlinkIfThere } from './publish.ts'

/** A writer that takes longer is not one any more. */
const PARTIAL_MS = 60_000

/**
 * What is found under a name of a box, once all that was begun with it is done: a writer died before it took away the first
 * name of its file, or a reader before it took the file out of the box. Undefined where nothing is there then.
 */
export function finishFile(box: Box, name: string): BigIntStats | undefined {
  const path = join(box.folder, name)
  const stat = lstat(path)
  // Any other file with two names is refused: what is behind it may be anything.
  if (stat === undefined || !stat.isFile() || !isOwn(stat) || stat.nlink !== 2n) return stat
  const partial = join(box.folder, partialName(name))
  if (isSame(stat, lstat(partial))) {
    unlinkIfThere(partial)
    syncFolder(box.folder)
    return lstat(path)
  }
  const archived = archivedAs(box, name, stat)
  if (archived === undefined) return stat
  settleMove(path, archived, stat)
  return undefined
}

function archivedAs({ folder }: Box, name: string, stat: BigIntStats): string | undefined {
  // A long name may have lost its end there.
  const begin = name.slice(0, name.length / 4)
  for (const archive of ARCHIVES.map((each) => join(folder, each)).filter(hasOwnFolder)) {
    const names = readdirSync(archive).filter((each) => each.startsWith(begin))
    const found = names.map((each) => join(archive, each)).find((path) => isSame(stat, lstat(path)))
    if (found !== undefined) return found
  }
  return undefined
}

const PARTIAL = /^\.(?:.*\.md|gitignore\..*)\.partial$/s

/** Removes the partial files of dead writers. No reader was ever told of them. */
export function removeOldPartials(folder: string, names: readonly string[] = readdirSync(folder)): void {
  const oldest = Date.now() - PARTIAL_MS
  for (const name of names) {
    if (!PARTIAL.test(name)) continue
    const stat = lstat(join(folder, name))
    if (stat?.isFile() && isOwn(stat) && stat.mtimeMs < oldest) unlinkIfThere(join(folder, name))
  }
}
