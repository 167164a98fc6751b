import { type BigIntStats, closeSync, openSync, renameSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { syncFolder } from '../../kit/node/folders.ts'
import { isSame, lstat } from './folders.ts'
import { allTaken, tryLink, unlinkIfThere } from './publish.ts'

const ENDING = '.md'
const MAX_NAME_BYTES = 255
const PRIVATE = 0o600
/** So many files of one name are told apart. */
const MAX_LIKE = 10_000

/** `x.md`, `x.2.md`, `x.3.md` and so on: whoever looks for a place for the same file looks in the same order. */
export function* namesLike(name: string): Iterable<string> {
  yield name
  for (let nth = 2; nth < MAX_LIKE; nth++) yield withEnding(name.slice(0, -ENDING.length), `.${nth}${ENDING}`)
}

/** File systems take only so many bytes. */
function withEnding(stem: string, ending: string): string {
  let kept = ''
  for (const character of stem) {
    if (Buffer.byteLength(kept + character + ending) > MAX_NAME_BYTES) break
    kept += character
  }
  return kept + ending
}

/**
 * Gives a file a name in another folder, and only then takes away the one that it has, so that it is never without; where
 * files have only one name, the system changes it. It replaces nothing. Whoever does the same at the same time arrives at
 * the same. Undefined where the file is gone.
 */
export function moveInto(folder: string, from: string, name: string, stat: BigIntStats): string | undefined {
  for (const like of namesLike(name)) {
    const to = join(folder, like)
    const moved = moveOnce(from, to, stat)
    if (moved === 'gone') return undefined
    if (moved === 'taken') continue
    settleMove(from, to, stat)
    return to
  }
  throw allTaken()
}

type Moved = 'moved' | 'taken' | 'gone'

function moveOnce(from: string, to: string, stat: BigIntStats): Moved {
  try {
    return linkOnce(from, to, stat) ?? renameOnce(from, to, stat)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'gone'
    throw error
  }
}

/** Undefined where files have only one name. */
function linkOnce(from: string, to: string, stat: BigIntStats): Moved | undefined {
  const linked = tryLink(from, to)
  if (linked === 'impossible') return undefined
  if (isSame(stat, lstat(to))) return 'moved'
  if (linked === 'taken') return 'taken'
  // Somebody has put another file there since we looked: that one stays where it is.
  unlinkIfThere(to)
  return 'gone'
}

/**
 * Takes the new name with an empty file, which the system then replaces. Whoever dies in between leaves that file behind,
 * and the item where it was.
 */
function renameOnce(from: string, to: string, stat: BigIntStats): Moved {
  if (!tryClaim(to)) return 'taken'
  let isMoved = false
  try {
    if (!isSame(stat, lstat(from))) return 'gone'
    renameSync(from, to)
    isMoved = true
    return 'moved'
  } finally {
    if (!isMoved) unlinkIfThere(to)
  }
}

function tryClaim(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', PRIVATE))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The second half of a move, for a file that has both names already. From then on its time is that of the move. */
export function settleMove(from: string, to: string, stat: BigIntStats): void {
  const now = new Date()
  utimesSync(to, now, now)
  syncFolder(dirname(to))
  if (isSame(stat, lstat(from))) unlinkIfThere(from)
  syncFolder(dirname(from))
}
