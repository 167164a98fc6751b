import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { syncFolder } from '../../kit/node/folders.ts'
import { HANDOFF_LIMITS, type HandoffItem, OWN_BOX } from '../../model/handoff/item.ts'
import type { HandoffRoot, Looked } from '../handoff-shelf.ts'
import { ARCHIVES, type Box, incomingBoxes, outgoingBox, outgoingBoxes, ownBox } from './boxes.ts'
import { folderFault, hasOwnFolder, isOwn, lstat } from './folders.ts'
import { isItemName, isSafeName } from './item-file.ts'
import { readFiles, separateRefused } from './list.ts'
import { compare } from './order.ts'
import { unlinkIfThere } from './publish.ts'
import { inFolder } from './trouble.ts'

/** What was taken out of the boxes that a project inherits from, the newest first. */
export function lookInArchives(root: HandoffRoot): Looked {
  const found = incomingBoxes(root).boxes.flatMap(archivesOf).map(findInArchive)
  const read = readFiles(found.flatMap(({ files }) => files))
  return {
    items: read.items
      .toSorted((a, b) => b.mtimeMs - a.mtimeMs || compare(b.item.name, a.item.name))
      .map(({ item }) => item),
    refused: [...found.flatMap(({ refused }) => refused), ...read.refused],
  }
}

/** An item by the name of its file, also of one's own for others: one that waits before one that was taken out. */
export function findItem(root: HandoffRoot, name: string): HandoffItem | undefined {
  if (!isSafeName(name)) return undefined
  const boxes = [...incomingBoxes(root).boxes, ...outgoingBoxes(root)]
  for (const place of [...boxes, ...boxes.flatMap(archivesOf)]) {
    const { files } = separateRefused(place, [name], (each) => lstat(join(place.folder, each)))
    const [found] = readFiles(files).items
    if (found !== undefined) return found.item
  }
  return undefined
}

/** Removes what was taken out before a time, from the boxes that this project has to look after. */
export function cleanArchives(root: HandoffRoot, before: number): string[] {
  const boxes = [ownBox(root), outgoingBox(root)].filter((box) => box !== undefined)
  return boxes
    .flatMap(archivesOf)
    .flatMap(({ folder }) => cleanFolder(folder, before).map((path) => relative(root.root, path)))
}

function cleanFolder(folder: string, before: number): string[] {
  return inFolder(folder, () => {
    const old = readdirSync(folder)
      .filter(isItemName)
      .map((name) => join(folder, name))
      .filter((path) => isOlder(path, before))
    for (const path of old) unlinkIfThere(path)
    if (old.length > 0) syncFolder(folder)
    return old
  })
}

function isOlder(path: string, before: number): boolean {
  const stat = lstat(path)
  return stat?.isFile() === true && isOwn(stat) && Number(stat.mtimeMs) < before
}

/** As places of their own, under the name of their box. What is wrong with one of others keeps nobody from their own. */
function archivesOf({ name, folder }: Box): Box[] {
  if (!hasOwnFolder(folder)) return []
  return ARCHIVES.map((archive) => ({ name, folder: join(folder, archive) })).filter(
    (box) => (name === OWN_BOX || folderFault(box.folder) === undefined) && hasOwnFolder(box.folder),
  )
}

function findInArchive(archive: Box) {
  const names = inFolder(archive.folder, () => readdirSync(archive.folder)).filter(isItemName)
  const newest = names.sort((a, b) => compare(b, a)).slice(0, HANDOFF_LIMITS.files)
  return separateRefused(archive, newest, (name) => lstat(join(archive.folder, name)))
}
