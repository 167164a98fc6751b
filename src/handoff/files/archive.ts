import { join } from 'node:path'
import type { ItemRef } from '../../model/handoff/item.ts'
import type { ArchivedItem } from '../handoff-shelf.ts'
import type { Archive, Box } from './boxes.ts'
import { hasOwnFolder } from './folders.ts'
import { fileFault, isSafeName, readItemFile } from './item-file.ts'
import { makeArchive } from './made-folders.ts'
import { moveInto } from './move.ts'
import { inFolder } from './trouble.ts'
import { finishFile } from './unfinished.ts'

/**
 * Takes an item out of its box. Tells its new path; undefined where it is not there any more: somebody else was quicker, or
 * has put something there that nobody was shown yet.
 */
export function archiveItem(box: Box, { name, digest }: ArchivedItem, into: Archive): string | undefined {
  if (!isSafeName(name) || !hasOwnFolder(box.folder)) return undefined
  return inFolder(box.folder, () => {
    const path = join(box.folder, name)
    const stat = finishFile(box, name)
    if (stat === undefined || fileFault(stat) !== undefined) return undefined
    if (digest !== undefined) {
      const read = readItemFile({ box: box.name, name, path, stat })
      if (read.kind !== 'read' || read.digest !== digest) return undefined
    }
    return moveInto(makeArchive(box, into), path, name, stat)
  })
}

/** Whether something lies in a box under this name, once all that was begun with it is done. */
export function hasItem(box: Box, { name }: ItemRef): boolean {
  if (!isSafeName(name) || !hasOwnFolder(box.folder)) return false
  return inFolder(box.folder, () => finishFile(box, name)) !== undefined
}
