import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../kit/node/folders.ts'
import { lstat } from '../files/folders.ts'
import { isUnchanged } from '../files/item-file.ts'
import { unlinkIfThere } from '../files/publish.ts'
import { inFolder, unusable } from '../files/trouble.ts'
import { removeOldPartials } from '../files/unfinished.ts'

/** As the seed has them: items are ephemeral, their folders are not. */
export const IGNORED_LINES: readonly string[] = ['inbox/*.md', '!inbox/.gitkeep', 'outbox/*.md', '!outbox/.gitkeep']

/** The text with those of our lines that it lacks at its end, in the way in which its lines end. */
export function withIgnoredLines(text: string): string {
  const present = new Set(text.split(/\r?\n/).map((line) => line.trimEnd()))
  const missing = IGNORED_LINES.filter((line) => !present.has(line))
  if (missing.length === 0) return text
  const end = /\r\n/.test(text) ? '\r\n' : '\n'
  const before = text === '' || text.endsWith('\n') ? text : `${text}${end}`
  return before + missing.map((line) => `${line}${end}`).join('')
}

const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
const CREATING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const NEW_MODE = 0o644
const MODE_BITS = 0o777
const MAX_TRIES = 5

/** Adds our lines to the file. It is replaced whole, with the rights that it had. True where some of them were missing. */
export function ignoreItems(root: string, unique: () => string): boolean {
  const path = join(root, '.gitignore')
  return inFolder(path, () => {
    removeOldPartials(root)
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = lstat(path)
      const { text, mode } = before === undefined ? { text: '', mode: NEW_MODE } : readPlain(path)
      const wanted = withIgnoredLines(text)
      if (wanted === text) return false
      if (replace(path, `${path}.${unique()}.partial`, { text: wanted, mode, before })) return true
    }
    throw unusable(path, 'somebody changes it again and again')
  })
}

/** One character for each byte: what others wrote there is kept, whatever it is. */
function readPlain(path: string): { readonly text: string; readonly mode: number } {
  const fd = openSync(path, READING)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw unusable(path, 'it is no plain file')
    return { text: readFileSync(fd, 'latin1'), mode: stat.mode & MODE_BITS }
  } finally {
    closeSync(fd)
  }
}

interface Replacement {
  readonly text: string
  readonly mode: number
  readonly before: ReturnType<typeof lstat>
}

/** False where somebody has changed the file meanwhile. */
function replace(path: string, partial: string, { text, mode, before }: Replacement): boolean {
  const fd = openSync(partial, CREATING, mode)
  try {
    fchmodSync(fd, mode)
    writeFileSync(fd, text, 'latin1')
    fsyncSync(fd)
    const now = lstat(path)
    const isAsBefore = before === undefined || now === undefined ? before === now : isUnchanged(before, now)
    if (!isAsBefore) return false
    renameSync(partial, path)
    syncFolder(dirname(path))
    return true
  } finally {
    closeSync(fd)
    unlinkIfThere(partial)
  }
}
