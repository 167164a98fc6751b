import {
  closeSync,
  constants,
  fsyncSync,
  futimesSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { syncFolder } from '../../kit/node/folders.ts'
import { lstat } from './folders.ts'
import { inFolder } from './trouble.ts'

export interface Publishing {
  readonly folder: string
  /** The first that is free is taken. The last is nobody else's. */
  readonly names: readonly string[]
  readonly partial: string
  readonly bytes: Uint8Array
  readonly mode: number
  /** When it is said to have been written; absent: so long ago that no reader waits for it. */
  readonly at?: number
}

const CREATING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
/** Readers wait for files that were changed a moment ago, as those may be half written. Ours never are. */
const PAST_MS = 2_000

/** The name that a file has until it is whole. */
export function partialName(name: string): string {
  return `.${name}.partial`
}

/**
 * Makes a file that appears whole or not at all, and never in the place of another: it is written under a name that
 * nobody reads, forced to the disk, and linked, or renamed where files have only one name. Tells its name.
 */
export function publish({ folder, names, partial, bytes, mode, at }: Publishing): string {
  return inFolder(folder, () => {
    const path = join(folder, partial)
    let name: string
    try {
      writeWhole(path, { bytes, mode, at: at ?? Date.now() - PAST_MS })
      name = nameFirst(path, folder, names)
    } finally {
      unlinkIfThere(path)
    }
    syncFolder(folder)
    return name
  })
}

function writeWhole(path: string, { bytes, mode, at }: Required<Pick<Publishing, 'bytes' | 'mode' | 'at'>>): void {
  const fd = openSync(path, CREATING, mode)
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
    futimesSync(fd, at / 1_000, at / 1_000)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function nameFirst(path: string, folder: string, names: readonly string[]): string {
  for (const name of names) {
    const linked = tryLink(path, join(folder, name))
    if (linked === 'linked') return name
    if (linked === 'impossible') return renameToLast(path, folder, names)
  }
  throw allTaken()
}

/** The system would replace what appears there meanwhile, but only whoever made that name knows it. */
function renameToLast(path: string, folder: string, names: readonly string[]): string {
  const name = names.at(-1)
  if (name === undefined || lstat(join(folder, name)) !== undefined) throw allTaken()
  renameSync(path, join(folder, name))
  return name
}

export function allTaken(): Error {
  return Object.assign(new Error('all of its names are taken'), { code: 'EEXIST' })
}

const WITHOUT_LINKS: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

/** Whether the system may mean that a file has only one name there, as on FAT and on many drives of networks. */
export function isWithoutLinks(error: unknown): boolean {
  return WITHOUT_LINKS.includes(codeOf(error))
}

export function tryLink(from: string, to: string): 'linked' | 'taken' | 'impossible' {
  try {
    linkSync(from, to)
    return 'linked'
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'taken'
    if (isWithoutLinks(error)) return 'impossible'
    throw error
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
