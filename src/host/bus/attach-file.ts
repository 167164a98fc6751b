import { readFileSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { keepCopy } from '../../bus/files/attachments.ts'
import { type Location, locate } from '../../bus/files/places.ts'
import { fileTrouble } from '../../kit/node/file-trouble.ts'
import type { NewAttachment } from '../../model/bus/bus.ts'
import { BUS_LIMITS, type BusPlace } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'

export interface AttachFile {
  readonly file: string
  readonly about: Pick<NewAttachment, 'kind' | 'label' | 'mime'>
  /** Where the bus lies; undefined where only a server knows. */
  readonly bus:
    | { readonly place: BusPlace; readonly root: string; readonly files: Readonly<Record<string, string>> }
    | undefined
}

/** A file as an entry takes it. */
export interface AttachedFile {
  readonly attachment: NewAttachment
  /** Takes back what was put into the folder, for an entry that could not be written. */
  undo(): void
}

/**
 * Makes a file of this machine part of an entry. What lies in the folder of the bus stays where it is; everything else
 * goes along with the entry, or where it is too large for that is copied into the folder.
 */
export async function attachFile({ file, about, bus }: AttachFile): Promise<AttachedFile> {
  const location = bus && locate(bus, bus.place)
  const { size } = statOf(file)
  const inside = location && pathWithin(location, file)
  if (inside !== undefined) return { attachment: { path: inside, ...about }, undo: () => {} }
  if (size <= BUS_LIMITS.attachmentBytes) {
    const data = onFile(file, () => readFileSync(file)).toString('base64')
    return { attachment: { name: basename(file), data, ...about }, undo: () => {} }
  }
  if (location === undefined)
    throw refused(file, `it has ${size} bytes, and at most ${BUS_LIMITS.attachmentBytes} travel`)
  const path = await keepCopy(location, { file, now: Date.now() })
  return { attachment: { path, ...about }, undo: () => rmSync(join(location.folder, path), { force: true }) }
}

/** The path of a file relative to the folder of a bus; undefined where it lies elsewhere. */
function pathWithin({ folder }: Location, file: string): string | undefined {
  try {
    const path = relative(realpathSync(folder), realpathSync(file))
    return isAbsolute(path) || path.split(sep)[0] === '..' ? undefined : path
  } catch {
    // The folder is made with the first entry.
    return undefined
  }
}

function statOf(file: string): Stats {
  const stat = onFile(file, () => statSync(file))
  if (stat.isFile()) return stat
  throw refused(file, 'it is not a plain file')
}

function onFile<T>(file: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw refused(file, fileTrouble(error) ?? 'it cannot be read', error)
  }
}

function refused(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('ATTACHMENT_REFUSED', { path, reason }, { cause })
}
