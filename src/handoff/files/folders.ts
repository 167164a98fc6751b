import { type BigIntStats, lstatSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { syncFolder } from '../../kit/node/folders.ts'
import { inFolder, unusable } from './trouble.ts'

/** As `mkdir` makes it: others may look, and only its owner writes. */
const MODE = 0o755

/** Why a folder is not one of our own, as the end of a sentence; undefined where it is, or is not there. */
export function folderFault(path: string): string | undefined {
  const stat = lstat(path)
  if (stat === undefined) return undefined
  if (stat.isSymbolicLink()) return 'it is a link'
  if (!stat.isDirectory()) return 'it is no folder'
  return isOwn(stat) ? undefined : 'it belongs to another user'
}

/** False where the folder is not there. Throws HANDOFF_UNUSABLE for what is no folder of one's own. */
export function hasOwnFolder(path: string): boolean {
  const fault = inFolder(path, () => folderFault(path))
  if (fault !== undefined) throw unusable(path, fault)
  return inFolder(path, () => lstat(path)) !== undefined
}

/** Makes a folder, and puts its name on the disk. True where it was not there. */
export function makeOwnFolder(path: string): boolean {
  if (hasOwnFolder(path)) return false
  return inFolder(path, () => {
    const isNew = tryMake(path)
    syncFolder(dirname(path))
    hasOwnFolder(path)
    return isNew
  })
}

function tryMake(path: string): boolean {
  try {
    mkdirSync(path, MODE)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Of the name itself, not of what it may lead to; undefined where there is none. */
export function lstat(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

export function isOwn({ uid }: BigIntStats): boolean {
  const own = process.getuid?.()
  return own === undefined || uid === BigInt(own)
}

export function isSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}
