import { close, constants, fstatSync, lstatSync, openSync, promises, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { randomToken, sha256 } from '../../kit/node/crypto.ts'
import { fileNameOf } from '../../kit/node/file-names.ts'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { createWhole } from '../../kit/node/whole-file.ts'
import type { BusAttachment } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
import type { AttachmentData, PreparedAttachment } from '../bus-shelf.ts'
import { checksumOf } from './checksum.ts'
import { requirePlainFolders } from './open-file.ts'
import type { Location } from './places.ts'
import { troubleWith } from './trouble.ts'

/** Where the seed's examples keep theirs. */
const FOLDER = 'attachments'
const TOKEN_LENGTH = 8
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
const MAX_PATH = 4_096
const PRIVATE = 0o600

/** Prepares to put bytes beside a bus: whole and on the disk, or not at all. */
export function prepareAttachment(
  location: Location,
  { name, bytes, now }: AttachmentData & { readonly now: number },
): PreparedAttachment {
  const file = nameFile(name, now)
  return {
    attachment: { path: `${FOLDER}/${file}`, size_bytes: bytes.length, sha256: sha256(bytes) },
    keep: () => createFile(location, file, (partial) => promises.writeFile(partial, bytes)),
  }
}

/** Puts a copy of a file beside a bus, however large it is. Returns its path within the folder. */
export async function keepCopy(
  location: Location,
  { file, now }: { readonly file: string; readonly now: number },
): Promise<string> {
  const copy = nameFile(file, now)
  await createFile(location, copy, async (partial) => {
    await promises.copyFile(file, partial)
    await promises.chmod(partial, PRIVATE)
  })
  return `${FOLDER}/${copy}`
}

/**
 * The name that somebody gave is only the end of that of the file, which begins with the time and a token, so that it
 * never was another's and never will be.
 */
function nameFile(name: string, now: number): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  return `${stamp}-${randomToken(TOKEN_LENGTH)}-${fileNameOf(lastPartOf(name))}`
}

async function createFile(location: Location, file: string, write: (partial: string) => Promise<void>): Promise<void> {
  const folder = join(location.folder, FOLDER)
  try {
    requirePlainFolders([...location.owned, folder])
    makePrivateFolder(folder)
    requirePlainFolders([...location.owned, folder])
    await createWhole(join(folder, file), write)
  } catch (error) {
    throw troubleWith(folder, error)
  }
}

/** What lies in the folder of a bus already, by a path relative to it. */
export async function describeAttachment(location: Location, path: string): Promise<BusAttachment> {
  const fd = openWithin(location, path)
  try {
    const { bytes, sha256 } = await checksumOf(fd)
    return { path, size_bytes: bytes, sha256 }
  } catch (error) {
    throw refused(path, `it cannot be read (${codeOf(error)})`, error)
  } finally {
    close(fd)
  }
}

/** Opens a plain file below the folder, to which no link leads anywhere on the way. */
function openWithin({ folder, owned }: Location, path: string): number {
  requirePlainFolders(owned)
  const parts = path.split('/')
  if (path === '' || path.length > MAX_PATH || path.includes('\0')) throw refused(path, 'it is no path')
  if (isAbsolute(path)) throw refused(path, 'it is not relative')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw refused(path, 'it leads elsewhere')
  let fd: number | undefined
  try {
    // The folder itself may be reached through a link; what is below it may not.
    const home = realpathSync(folder)
    const file = join(home, ...parts)
    fd = openSync(file, READING)
    requireSame(fd, file, path)
    return fd
  } catch (error) {
    if (fd !== undefined) close(fd)
    if (error instanceof PosternError) throw error
    throw refused(path, openFault(codeOf(error)), error)
  }
}

/** Looks after opening, when the file that was opened can no longer be exchanged for another. */
function requireSame(fd: number, file: string, path: string): void {
  const stat = fstatSync(fd)
  if (!stat.isFile()) throw refused(path, 'it is not a plain file')
  const named = lstatSync(file)
  if (realpathSync(file) !== file || named.ino !== stat.ino || named.dev !== stat.dev) {
    throw refused(path, 'a link is on the way')
  }
}

function openFault(code: string | undefined): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file'
  if (code === 'ELOOP') return 'it is a link'
  return `it cannot be opened (${code})`
}

/** People name whole paths, with either slash. */
function lastPartOf(name: string): string {
  return name.split(/[/\\]/).at(-1) || 'file'
}

function refused(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('ATTACHMENT_REFUSED', { path, reason }, { cause })
}
