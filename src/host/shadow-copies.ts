import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileNameOf } from '../kit/node/file-names.ts'
import { SHADOW_FOLDER } from '../model/quiet.ts'

/**
 * Copies of a home's shadow files in a private folder of this user, in memory or in /tmp. They outlive a home that was
 * moved away, and they can be written while the home is read-only or its disk is full. A reboot removes those in memory.
 */
export interface ShadowCopies {
  /** Undefined if there is none. */
  read(name: string): string | undefined
  /** Undefined removes the copy. False if no folder can be written. */
  write(name: string, text: string | undefined): boolean
  /** Adds a line to a file. False if no folder can be written. */
  append(name: string, line: string): boolean
  /** Where a file lies. Undefined if there is none. */
  find(name: string): string | undefined
  /** The names of all that end so. */
  list(ending: string): readonly string[]
  /** False if there is none: of several processes that rename one, a single one succeeds. */
  rename(from: string, to: string): boolean
}

export function shadowCopiesOf(home: string): ShadowCopies {
  return {
    read(name) {
      for (const base of BASES()) {
        const text = readOwn(base, join(base, fileNameOf(home), name))
        if (text !== undefined) return text
      }
      return undefined
    },
    write(name, text) {
      if (text !== undefined) return BASES().some((base) => isDone(() => put(folderFor(base, home), { name, text })))
      for (const base of BASES()) isDone(() => rmSync(join(base, fileNameOf(home), name), { force: true }))
      return true
    },
    append: (name, line) =>
      BASES().some((base) =>
        isDone(() => appendFileSync(join(folderFor(base, home), name), `${line}\n`, { mode: PRIVATE_FILE })),
      ),
    find(name) {
      const paths = BASES().map((base) => [base, join(base, fileNameOf(home), name)] as const)
      return paths.find(([base, path]) => readOwn(base, path) !== undefined)?.[1]
    },
    list: (ending) => BASES().flatMap((base) => listOwn(base, join(base, fileNameOf(home)), ending)),
    rename: (from, to) =>
      BASES().some((base) => {
        const path = (name: string) => join(base, fileNameOf(home), name)
        return isOwn(base) && isDone(() => renameSync(path(from), path(to)))
      }),
  }
}

function listOwn(base: string, folder: string, ending: string): readonly string[] {
  try {
    return isOwn(base) ? readdirSync(folder).filter((name) => name.endsWith(ending)) : []
  } catch {
    return []
  }
}

/** Restores the shadow files that a home has lost. It is called before a new store is used, so that no gate is lost with the old one. */
export function restoreShadows(home: string): void {
  for (const base of BASES()) {
    isDone(() => {
      const copies = join(base, fileNameOf(home))
      for (const name of listOwn(base, copies, SHADOW_ENDING)) {
        const text = readOwn(base, join(copies, name))
        if (text !== undefined) isDone(() => restore(home, { name, text }))
      }
    })
  }
}

/** How the shadows of sessions end. Other files are only kept here. */
export const SHADOW_ENDING = '.json'

interface NamedText {
  readonly name: string
  readonly text: string
}

function restore(home: string, { name, text }: NamedText): void {
  makeFolder(join(home, SHADOW_FOLDER))
  writeFileSync(join(home, SHADOW_FOLDER, name), text, { flag: 'wx', mode: PRIVATE_FILE })
}

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const OTHERS = 0o077

/** Folders that may hold copies, the best first. */
const BASES = (): readonly string[] => {
  const uid = process.getuid?.()
  const runtime = process.env['XDG_RUNTIME_DIR'] || `/run/user/${uid}`
  return uid === undefined ? [] : [`${runtime}/postern`, `/dev/shm/postern-${uid}`, `/tmp/postern-${uid}`]
}

/** The folder of a home's copies. Throws if it cannot be made. */
function folderFor(base: string, home: string): string {
  makeFolder(base)
  if (!isOwn(base)) throw new Error(`${base} is not a private folder of this user`)
  const folder = join(base, fileNameOf(home))
  makeFolder(folder)
  return folder
}

function put(folder: string, { name, text }: NamedText): void {
  const path = join(folder, name)
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, text, { mode: PRIVATE_FILE })
  renameSync(partial, path)
}

/** A folder that another user made or may write proves nothing. */
function isOwn(base: string): boolean {
  const stat = lstatSync(base, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & OTHERS) === 0
}

function readOwn(base: string, path: string): string | undefined {
  try {
    return isOwn(base) ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, PRIVATE_FOLDER)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function isDone(call: () => void): boolean {
  try {
    call()
    return true
  } catch {
    return false
  }
}
