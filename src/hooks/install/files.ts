import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'

/** A file of settings as it was found. */
export interface Found {
  /** Where it really lies; links are resolved. */
  readonly path: string
  /** The link that was followed, if one was. */
  readonly link: string | null
  /** Null where there is no such file. */
  readonly text: string | null
  readonly rights: Rights | null
}

/** Who may do what with a file. */
export interface Rights {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/**
 * Reads a file that may be absent. A link is followed, as people keep their settings elsewhere; but the file of a
 * project must lie within it, because a cloned repository may hold any link.
 */
export function readSettings(path: string, within: string | null): Found {
  const real = resolveLinks(path)
  if (within !== null && leadsOut(realpathSync(within), real))
    throw refuse(path, `it leads out of the project, to ${real}`)
  const link = [path, dirname(path)].some(isLink) ? path : null
  const stat = statSync(real, { throwIfNoEntry: false })
  if (!stat) return { path: real, link, text: null, rights: null }
  if (!stat.isFile()) throw refuse(path, 'it is not a file')
  const { mode, uid, gid } = stat
  return { path: real, link, text: decode(path, readBytes(real)), rights: { mode: mode & 0o7777, uid, gid } }
}

/** Whether a path lies outside of a folder, which may be the root of the file system. */
function leadsOut(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** Where a path leads, whose last parts need not exist. */
function resolveLinks(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false })) {
    try {
      return realpathSync(path)
    } catch {
      throw refuse(path, 'it is a link that leads nowhere')
    }
  }
  const parent = dirname(path)
  return parent === path ? path : join(resolveLinks(parent), basename(path))
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw refuse(path, `it cannot be read (${codeOf(error)})`)
  }
}

/** Only what is whole UTF-8 can be written back byte for byte. */
function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refuse(path, 'it is not UTF-8 text')
  }
}

/** Puts a file in its place at once. With a mode it is made as new files are, with rights it gets exactly those. */
export function replaceFile(path: string, content: string | Uint8Array, rights: number | Rights): void {
  const partial = join(dirname(path), `.${basename(path)}.postern-${process.pid}`)
  try {
    rmSync(partial, { force: true })
    writeFileSync(partial, content, { flag: 'wx', mode: typeof rights === 'number' ? rights : 0o600 })
    if (typeof rights !== 'number') setRights(partial, rights)
    sync(partial)
    renameSync(partial, path)
    sync(dirname(path))
  } catch (error) {
    rmSync(partial, { force: true })
    throw refuse(path, `it cannot be written (${codeOf(error)})`)
  }
}

/** Whoever edits the file of another leaves it theirs where that is possible. */
function setRights(path: string, { mode, uid, gid }: Rights): void {
  const own = statSync(path)
  if (own.uid !== uid || own.gid !== gid) {
    try {
      chownSync(path, uid, gid)
    } catch {
      // Only root can; the file stays usable for whoever wrote it.
    }
  }
  chmodSync(path, mode)
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes the folders above a file that are missing, and names them, the outermost first. */
export function makeFolders(path: string, mode: number): readonly string[] {
  const folder = dirname(path)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const above = makeFolders(folder, mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    throw refuse(folder, `it cannot be made (${codeOf(error)})`)
  }
  return [...above, folder]
}

/** Removes folders that we made, the innermost first, as far as they are empty. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}

function refuse(path: string, reason: string): PosternError {
  return new PosternError('SETTINGS_REFUSED', { path, reason })
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? reasonOf(error)
}
