import {
  closeSync,
  constants,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rm,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { PosternError } from '../../model/errors.ts'
import { BOOT_ID_FILE, formatQuiet, LIVE_FOLDER, QUIET_FOLDER, SHADOW_FOLDER } from '../../model/quiet.ts'

/**
 * The quiet files of a store. They are made and removed only by whoever holds its write lock, so a look at the folder
 * under that lock is exact. A crash of the machine may undo the removal of a file though not the commit that followed:
 * that is why each carries the id of the boot in which it was made.
 */
export interface QuietFolder {
  /**
   * True where the file is there afterwards, with these spools, whose paths are absolute. It appears whole or not at
   * all. Never throws.
   */
  make(agent: string, spools: readonly string[]): boolean
  /** Throws where a file may still be there. */
  remove(agents: ReadonlySet<string>): void
  removeAll(): void
}

/** Only the home's own store has quiet files: two stores in one folder would speak for each other. */
const STORE_FILE = 'postern.db'
const OLD = `${QUIET_FOLDER}-old-`
/** No agent has such a name. */
const PARTIAL = '.partial'
const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants

/** From this number on the folder is read once, instead of looking for each file. */
const MANY = 16

/** Node's clocks drift apart a little. Too early costs a start of Node, too late could hide a change of the store. */
const MARGIN_MS = 50

const BORN_AT_S = (Date.now() - monotonicMs() - MARGIN_MS) / 1000

let renamed = 0

/** The folder beside the store's file, whose path must be the real one; undefined where the store has none. */
export function quietFolderOf(storeFile: string): QuietFolder | undefined {
  if (basename(storeFile) !== STORE_FILE) return undefined
  const home = dirname(storeFile)
  const folder = `${home}/${QUIET_FOLDER}`

  function removeAll(): void {
    try {
      if (!isThere(folder)) return
      const old = `${home}/${OLD}${process.pid}-${Date.now()}-${renamed++}`
      renameSync(folder, old)
      // After the commit, which comes in this turn of the event loop.
      setImmediate(() => discard(old))
    } catch (error) {
      // Somebody else has moved it.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw new PosternError('STORE_IO', { path: storeFile, reason: whyStuck(error, folder) }, { cause: error })
    }
  }

  return {
    removeAll,

    make(agent, spools) {
      const bootId = readBootId()
      const text = bootId !== undefined && spools.every(isAbsolute) ? formatQuiet(bootId, spools) : undefined
      if (text === undefined) return false
      try {
        if (hasShadow(home, agent)) return false
        if (makeFolder(folder)) {
          makeFolder(`${home}/${LIVE_FOLDER}`)
          discardLeftovers(home)
        }
        const partial = `${folder}/${PARTIAL}`
        // Nobody else writes it, for we hold the store's lock; what a killed process left of it is overwritten.
        write(partial, text)
        renameSync(partial, `${folder}/${agent}`)
        return true
      } catch {
        return false
      }
    },

    remove(agents) {
      if (agents.size === 0) return
      try {
        for (const agent of present(folder, agents)) unlinkSync(`${folder}/${agent}`)
      } catch {
        // Where a file cannot be removed, its folder may still be moved out of sight.
        removeAll()
      }
    },
  }
}

/** True if hooks keep a copy of the agent's gates in a home, or if the folder of such copies cannot be read. */
export function hasShadow(home: string, agent: string): boolean {
  const shadows = `${home}/${SHADOW_FOLDER}`
  if (!isThere(shadows)) return false
  try {
    return readdirSync(shadows).some((name) => name.startsWith(`${agent}.`))
  } catch {
    return true
  }
}

/** Those agents that have a quiet file. Mostly nobody has: to look costs far less than to fail. */
function present(folder: string, agents: ReadonlySet<string>): readonly string[] {
  if (agents.size > 1 && !isThere(folder)) return []
  if (agents.size >= MANY) return readdirSync(folder).filter((name) => agents.has(name))
  return [...agents].filter((agent) => isThere(`${folder}/${agent}`))
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // Below something that is no folder there is nothing to be found, for us or for a reader.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}

/** True where it was not there. */
function makeFolder(folder: string): boolean {
  // To fail costs far more than to look.
  if (isThere(folder)) return false
  try {
    mkdirSync(folder, 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * A file is as old as its process: the launcher believes none that is older than the configuration, and this process may
 * have read that before it was changed.
 */
function write(path: string, text: string): void {
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
  try {
    writeFileSync(descriptor, text)
    futimesSync(descriptor, BORN_AT_S, BORN_AT_S)
  } finally {
    closeSync(descriptor)
  }
}

function readBootId(): string | undefined {
  try {
    return readFileSync(BOOT_ID_FILE, 'latin1').trim() || undefined
  } catch {
    return undefined
  }
}

/** What was renamed by a process that was killed before it could delete it. */
function discardLeftovers(home: string): void {
  for (const name of readdirSync(home)) if (name.startsWith(OLD)) discard(`${home}/${name}`)
}

/** Nobody reads it any more, so whatever goes wrong is left for later. */
function discard(old: string): void {
  rm(old, { recursive: true, force: true }, () => {})
}

function whyStuck(error: unknown, folder: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  return `the quiet files in ${folder} cannot be removed (${code ?? message})`
}
