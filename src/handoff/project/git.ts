import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'

/** A working tree, as the files of git describe it. Git itself is never run: what it runs may be named in a repository. */
export interface GitTree {
  readonly root: string
  /** That of the main repository, where this is one of its worktrees. */
  readonly mainRoot: string
  readonly name: string
  /** Where git keeps what belongs to this working tree alone, such as its index. */
  readonly gitDir: string
  /** Where git keeps what all worktrees of a repository share. */
  readonly commonDir: string
  /** Null where no branch is checked out. */
  readonly branch: string | null
}

/** The working tree that a folder belongs to; undefined where there is none, or no such folder. */
export function findTree(folder: string): GitTree | undefined {
  const start = realPath(folder)
  for (let root = start; root !== undefined; root = parentOf(root)) {
    const gitDir = gitDirOf(root)
    if (gitDir !== undefined) return treeAt(root, gitDir)
  }
  return undefined
}

function parentOf(folder: string): string | undefined {
  return dirname(folder) === folder ? undefined : dirname(folder)
}

/** Where git keeps what it knows of a working tree: `.git`, or the folder that a file of that name points to. */
function gitDirOf(root: string): string | undefined {
  const path = join(root, '.git')
  if (isFolder(path)) return realPath(path)
  const named = /^gitdir: *(.+?)\s*$/.exec(readSmall(path) ?? '')?.[1]
  return named === undefined ? undefined : realPath(resolve(root, named))
}

function treeAt(root: string, gitDir: string): GitTree {
  const common = commonDirOf(gitDir)
  const mainRoot = (common !== undefined && mainRootOf(common)) || root
  const name = nameOf(mainRoot, common)
  return { root, mainRoot, name, gitDir, commonDir: common ?? gitDir, branch: branchIn(gitDir) }
}

/**
 * The folder that the worktrees of a repository share; undefined where this is no worktree. A file in a folder that somebody
 * handed us could name any repository: only one that knows of the worktree counts.
 */
function commonDirOf(gitDir: string): string | undefined {
  const named = readSmall(join(gitDir, 'commondir'))?.trim()
  if (named === undefined) return undefined
  const common = realPath(resolve(gitDir, named))
  return common !== undefined && dirname(gitDir) === join(common, 'worktrees') ? common : undefined
}

/** Of a repository without a working tree it is the folder that points to it, where there is one. */
function mainRootOf(common: string): string | undefined {
  const parent = dirname(common)
  if (basename(common) === '.git') return parent
  const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(readSmall(join(common, 'config')) ?? '')?.[1]
  const configured = worktree === undefined ? undefined : realPath(resolve(common, worktree))
  if (configured !== undefined) return configured
  return gitDirOf(parent) === common ? parent : undefined
}

/** A repository without a working tree has a name of its own, which all its worktrees share. */
function nameOf(mainRoot: string, common: string | undefined): string {
  const isBare = common !== undefined && mainRootOf(common) === undefined
  return isBare ? basename(common).replace(/(?<=.)\.git$/, '') : basename(mainRoot)
}

function branchIn(gitDir: string): string | null {
  const [, branch = null] = /^ref: refs\/heads\/(.+?)\s*$/.exec(readSmall(join(gitDir, 'HEAD')) ?? '') ?? []
  // So a repository says that its references lie elsewhere.
  return branch === '.invalid' ? null : branch
}

const READING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
const MAX_BYTES = 64 * 1024

/** The beginning of a plain file; undefined where it is none. Links are followed, as git does. */
export function readSmall(path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, READING)
    if (!fstatSync(fd).isFile()) return undefined
    const bytes = Buffer.alloc(MAX_BYTES)
    return bytes.toString('utf8', 0, readSync(fd, bytes))
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
