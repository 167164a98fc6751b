import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { createWholeText } from '../../kit/node/whole-file.ts'
import type { Archive, Box } from './boxes.ts'
import { lstat, makeOwnFolder } from './folders.ts'
import { isWithoutLinks } from './publish.ts'
import { inFolder } from './trouble.ts'

const IGNORE = '.gitignore'
const EVERYTHING = '*\n'

/** The folder for what was taken out of a box, which is made if need be. */
export function makeArchive(box: Box, archive: Archive): string {
  const folder = join(box.folder, archive)
  makeOwnFolder(folder)
  hideFromGit(folder)
  return folder
}

/** The seed's own lines only cover what still waits. True where it was not hidden before. */
export function hideFromGit(folder: string): boolean {
  const path = join(folder, IGNORE)
  return inFolder(folder, () => {
    if (lstat(path) !== undefined) return false
    try {
      createIgnore(path)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
  })
}

function createIgnore(path: string): void {
  try {
    createWholeText(path, EVERYTHING)
  } catch (error) {
    if (!isWithoutLinks(error)) throw error
    writeFileSync(path, EVERYTHING, { flag: 'wx' })
  }
}
