import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { findTree, type GitTree, readSmall } from './git.ts'
import { readGitIndex } from './git-index.ts'

/** Whether git tracks a file of one folder. */
export type IsTracked = (name: string) => boolean

const MAX_INDEX_BYTES = 64 * 1024 * 1024
const MAX_FILE_NAME_BYTES = 255
/** Repositories within repositories, from the inside out. */
const MAX_TREES = 8

/**
 * Which files of a folder git tracks, by the index of every working tree around it. Whoever can push to a repository
 * can write those. Where an index cannot be read, every file counts as tracked.
 */
export function trackedIn(folder: string): IsTracked {
  const names = new Set<string>()
  let isAll = false
  let tree = findTree(folder)
  for (let trees = 0; tree !== undefined; trees++) {
    if (trees === MAX_TREES || !noteTracked(tree, folder, names)) isAll = true
    if (isAll || dirname(tree.root) === tree.root) break
    tree = findTree(dirname(tree.root))
  }
  return (name) => isAll || names.has(keyOf(name))
}

/** Adds the names of a folder that one index holds. False where it may hold any of them. */
function noteTracked(tree: GitTree, folder: string, names: Set<string>): boolean {
  const path = relative(tree.root, folder)
  const prefix = Buffer.from(path === '' ? '' : `${path}/`)
  let isWhole = false
  const visit = (file: Buffer) => {
    // A submodule, or a folder that a sparse index does not list, stands for all that lies in it.
    if (file.length <= prefix.length) isWhole ||= isAlike(file, prefix) && isFolderOf(file, prefix)
    else if (isAlike(prefix, file)) noteName(file.subarray(prefix.length), names)
  }
  try {
    const hashBytes = hashBytesOf(tree)
    const visited = new Set<string>()
    for (let name: string | undefined = 'index'; name !== undefined && !visited.has(name); ) {
      visited.add(name)
      const bytes = readIndexFile(join(tree.gitDir, name))
      // A repository without an index tracks nothing. A split index without its base may track anything.
      if (bytes === undefined) return name === 'index'
      const { base } = readGitIndex(bytes, hashBytes, visit)
      name = base === undefined ? undefined : `sharedindex.${base}`
    }
    return !isWhole
  } catch {
    return false
  }
}

function noteName(name: Buffer, names: Set<string>): void {
  if (name.length <= MAX_FILE_NAME_BYTES && !name.includes(0x2f)) names.add(keyOf(name.toString()))
}

function isFolderOf(file: Buffer, prefix: Buffer): boolean {
  return file.length > 0 && (prefix[file.length - 1] === 0x2f || prefix[file.length] === 0x2f)
}

/** Whether a path begins with another. Some file systems take capitals and small letters for the same. */
function isAlike(begin: Buffer, path: Buffer): boolean {
  for (let at = 0; at < begin.length; at++) if (lower(begin[at] ?? 0) !== lower(path[at] ?? 0)) return false
  return true
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}

function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

const [SHA1_BYTES, SHA256_BYTES] = [20, 32]

function hashBytesOf({ commonDir }: GitTree): number {
  const config = readSmall(join(commonDir, 'config')) ?? ''
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? SHA256_BYTES : SHA1_BYTES
}

/** Undefined where there is none. */
function readIndexFile(path: string): Buffer | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size > MAX_INDEX_BYTES) throw new Error('it is not a plain file of at most 64 MB')
    const bytes = Buffer.allocUnsafe(stat.size)
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(fd, bytes, length, bytes.length - length, null)
    return bytes.subarray(0, length)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
