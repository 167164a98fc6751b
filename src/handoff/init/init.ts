import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import type { HandoffFolders } from '../../model/handoff/handoff.ts'
import { ARCHIVES, ownBox } from '../files/boxes.ts'
import { hasOwnFolder, lstat, makeOwnFolder } from '../files/folders.ts'
import { hideFromGit } from '../files/made-folders.ts'
import { inFolder } from '../files/trouble.ts'
import type { HandoffRoot } from '../handoff-shelf.ts'
import { ignoreItems } from './gitignore.ts'

const KEEP = '.gitkeep'

export function outboxOf({ root }: HandoffRoot): string {
  return join(root, 'outbox')
}

/** Makes what is missing of the folders of a project; a second time it changes nothing. */
export function initProject(root: HandoffRoot, unique: () => string): HandoffFolders {
  const inbox = ownBox(root).folder
  const outbox = outboxOf(root)
  const archives = ARCHIVES.map((archive) => join(inbox, archive))
  const made: string[] = []
  const note = (path: string, isNew: boolean) => {
    if (isNew) made.push(relative(root.root, path))
  }
  for (const folder of [inbox, ...archives, outbox]) note(folder, makeOwnFolder(folder))
  for (const folder of archives) note(join(folder, '.gitignore'), hideFromGit(folder))
  for (const folder of [inbox, outbox]) note(join(folder, KEEP), keepInGit(folder))
  note(join(root.root, '.gitignore'), ignoreItems(root.root, unique))
  return { root: root.root, inbox, outbox, made }
}

/** Git knows no empty folders. */
function keepInGit(folder: string): boolean {
  return inFolder(folder, () => {
    try {
      writeFileSync(join(folder, KEEP), '', { flag: 'wx' })
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
  })
}

/** A clone has only what git kept: the folder, and the mark in it. A folder that is merely called so is not meant. */
export function isInitialised(root: HandoffRoot): boolean {
  const { folder } = ownBox(root)
  if (!hasOwnFolder(folder)) return false
  return hasOwnFolder(join(folder, 'processed')) || inFolder(folder, () => lstat(join(folder, KEEP)) !== undefined)
}
