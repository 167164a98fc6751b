import { close, constants, fstatSync, lstatSync, openSync, promises, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { randomToken, sha256 } from '../../kit/node/crypto.ts'
import { fileNameOf } from '../../kit/node/file-names.ts'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { createWhole } from '../../kit/node/whole-file.ts'
import type { BusAttachment } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
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

export interface KeepAttachment {
  readonly name: string
  readonly bytes: Uint8Array
  readonly now: number
}

/**
 * Puts bytes beside a bus: whole and on the disk, or not at all. The name that somebody gave is only the end of that
 * of the file, which begins with the time and a token, so that it never was another's and never will be.
 */
export async function keepAttachment(location: Location, { name, bytes, now }: KeepAttachment): Promise<BusAttachment> {
  const path = await makeAttachment(location, { name, now }, (partial) => promises.writeFile(partial, bytes))
  return { path, size_bytes: bytes.length, sha256: sha256(bytes) }
}

/** The same with a copy of a file, however large it is. Returns its path within the folder. */
export function keepCopy(
  location: Location,
  { file, now }: { readonly file: string; readonly now: number },
): Promise<string> {
  return makeAttachment(location, { name: file, now }, async (partial) => {
    await promises.copyFile(file, partial)
    await promises.chmod(partial, PRIVATE)
  })
}

async function makeAttachment(
  location: Location,
  { name, now }: Omit<KeepAttachment, 'bytes'>,
  write: (partial: string) => Promise<void>,
): Promise<string> {
  const folder = join(location.folder, FOLDER)
  try {
    requirePlainFolders([...location.owned, folder])
    makePrivateFolder(folder)
    requirePlainFolders([...location.owned, folder])
    const stamp = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
    const file = `${stamp}-${randomToken(TOKEN_LENGTH)}-${fileNameOf(lastPartOf(name))}`
    await createWhole(join(folder, file), write)
    return `${FOLDER}/${file}`
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
