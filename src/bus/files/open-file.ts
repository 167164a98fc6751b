import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { makePrivateFolder, syncFolder } from '../../kit/node/folders.ts'
import type { Location } from './places.ts'
import { onFile, unusable } from './trouble.ts'

/** Neither follows a link nor waits for somebody at the other end of a pipe. */
const CAREFUL = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
const READING = constants.O_RDONLY | CAREFUL
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | CAREFUL
const FILE_MODE = 0o600

/** A plain file to read; undefined where there is none. */
export function openToRead(path: string): number | undefined {
  return onFile(path, () => {
    try {
      return requirePlain(openSync(path, READING), path)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  })
}

/** A bus to write to, which is made if need be, with its folders. */
export function openToAppend({ path, folder, owned }: Location): number {
  return onFile(path, () => {
    requirePlainFolders(owned)
    if (makePrivateFolder(folder)) requirePlainFolders(owned)
    return requirePlain(openSync(path, APPENDING, FILE_MODE), path)
  })
}

/**
 * Puts the names that lead to a bus on the disk: its own, and those of its folders. It is done before anything is
 * written into an empty file, so that whoever finds one with something in it need not.
 */
export function syncNames({ folder, owned }: Location): void {
  const [top] = owned
  const above = top === undefined ? [] : [dirname(top), dirname(dirname(top))]
  for (const each of new Set([folder, ...owned.slice(0, -1), ...above])) {
    try {
      syncFolder(each)
    } catch (error) {
      // Folders above may be such as we can pass through and not read.
      if (each === folder || codeOf(error) !== 'EACCES') throw error
    }
  }
}

/** A link in the place of a folder of ours must not lead anywhere. The root may be one: that is its owner's choice. */
export function requirePlainFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    const stat = onFile(folder, () => lstatSync(folder, { throwIfNoEntry: false }))
    if (stat && !stat.isDirectory()) throw unusable(folder, 'it is not a plain folder')
  }
}

function requirePlain(fd: number, path: string): number {
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw unusable(path, 'it is not a plain file')
}
