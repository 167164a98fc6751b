import { constants, copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Flock, openFlock } from '../../kit/node/native/flock.ts'
import { PosternError } from '../../model/errors.ts'
import { type Found, makeFolders, readSettings, removeFolders, replaceFile } from './files.ts'
import { type Installed, readRecord, writeRecord } from './record.ts'
import { takeOut, type Unwanted } from './removal.ts'
import { addHooks, isInstalled, listHooks, understand, type Wanted } from './settings.ts'
import type { Places, Scope, Target } from './targets.ts'

/** What shall be done to one file of settings. Nothing is written before it is applied. */
export interface Change {
  readonly found: Found
  readonly scope: Scope
  /** The text afterwards; null where the file goes. */
  readonly after: string | null
  /** Agents whose hooks stood there and go. */
  readonly agents: readonly string[]
  readonly known: Installed | undefined
  /** What will be remembered; null where ours are taken out. */
  readonly next: Next | null
}

type Next = Pick<Installed, 'host' | 'agent' | 'memory' | 'tokenId'>

export interface Applied {
  /** The copy of the file as it was, where there is one. */
  readonly backup: string | null
}

const USER_MODES = { file: 0o600, folder: 0o700 }
const PROJECT_MODES = { file: 0o644, folder: 0o755 }

/** The file in which a host looks for hooks of a scope. */
export function findSettings(target: Target, scope: Scope, places: Places): Found {
  return scope === 'user'
    ? readSettings(target.userFile(places), null)
    : readSettings(target.projectFile(places), places.project)
}

/** Exactly the wanted hooks of ours, whichever of them stood there before. Undefined where they do already. */
export function planInstall(found: Found, scope: Scope, wanted: Wanted): Change | undefined {
  const text = found.text ?? ''
  const understood = understand(text, found.path)
  if (isInstalled(understood, wanted)) return undefined
  const { base, known } = withoutOurs(found, { ...wanted, agent: undefined })
  const { text: after, memory } = addHooks(base, found.path, wanted)
  const tokenId = wanted.server?.tokenId ?? null
  const next = { host: wanted.target.host, agent: wanted.agent, memory, tokenId }
  return { found, scope, after, agents: agentsIn(text, found.path, wanted), known, next }
}

/** Takes ours out again. Undefined where there is none. */
export function planUninstall(found: Found, scope: Scope, unwanted: Unwanted): Change | undefined {
  const { base, known } = withoutOurs(found, unwanted)
  if (found.text === null || base === found.text) return undefined
  const agents = agentsIn(found.text, found.path, unwanted).filter(
    (agent) => unwanted.agent === undefined || agent === unwanted.agent,
  )
  const after = base === '' && known?.isNew ? null : base
  return { found, scope, after, agents, known, next: null }
}

function withoutOurs({ path, text }: Found, unwanted: Unwanted) {
  const known = recordOf(unwanted.home, path, unwanted)
  const base = text === null ? '' : takeOut(text, path, unwanted, known?.memory)
  // What was recorded of a file that no longer holds ours says nothing about it.
  return { base, known: base === (text ?? '') ? undefined : known }
}

export function recordOf(
  home: string,
  path: string,
  { target, agent }: Pick<Unwanted, 'target' | 'agent'>,
): Installed | undefined {
  const known = readRecord(home)[path]
  return known?.host === target.host && (agent === undefined || known.agent === agent) ? known : undefined
}

function agentsIn(text: string, path: string, wanted: Pick<Wanted, 'target' | 'home'>): readonly string[] {
  return [...new Set(listHooks(understand(text, path), wanted).map(({ agent }) => agent))]
}

const LOCK = 'installed.lock'
const LOCK_MS = 10_000

/** Writes what was planned, if the file is still the one that was read. One at a time: all share one record. */
export async function applyChange(change: Change, home: string): Promise<Applied> {
  const lock = openLock(home)
  try {
    const isOurs = await lock?.lock(LOCK_MS)
    if (isOurs === false)
      throw new PosternError('SETTINGS_REFUSED', {
        path: join(home, LOCK),
        reason: 'another init has held it for long',
      })
    return apply(change, home)
  } finally {
    lock?.close()
  }
}

/** Undefined where there is no record that anybody could write to. */
function openLock(home: string): Flock | undefined {
  try {
    return openFlock(join(home, LOCK))
  } catch {
    return undefined
  }
}

function apply(change: Change, home: string): Applied {
  const { found, after, next } = change
  const now = readSettings(found.link ?? found.path, null)
  if (now.path !== found.path || now.text !== found.text) {
    throw new PosternError('SETTINGS_REFUSED', {
      path: found.path,
      reason: 'it was changed while this ran',
    })
  }
  return next ? applyInstall(change, next, after ?? '', home) : applyUninstall(change, home)
}

/** The record comes first: whoever dies in between has one that fits nothing, which does no harm. */
function applyInstall({ found, scope, known }: Change, next: Next, after: string, home: string): Applied {
  const modes = scope === 'user' ? USER_MODES : PROJECT_MODES
  const folders = makeFolders(found.path, modes.folder)
  // What holds hooks of ours already is not the file as it was.
  const backup = known ? known.backup : keepBackup(found)
  const isNew = known?.isNew ?? found.text === null
  writeRecord(home, found.path, { ...next, isNew, folders: [...(known?.folders ?? []), ...folders], backup })
  replaceFile(found.path, after, found.rights ?? modes.file)
  return { backup }
}

/** A backup that says nothing which the file itself does not is of no use any more. */
function applyUninstall({ found, after, known }: Change, home: string): Applied {
  if (after === null) rmSync(found.path)
  else replaceFile(found.path, after, found.rights ?? USER_MODES.file)
  const backup = known?.backup && existsSync(known.backup) ? known.backup : null
  const isSpare = backup !== null && readFileSync(backup, 'utf8') === after
  if (backup && isSpare) rmSync(backup)
  if (after === null) removeFolders(known?.folders ?? [])
  if (known) writeRecord(home, found.path, null)
  return { backup: isSpare ? null : backup }
}

const BACKUPS = 1_000

/** Copies a file beside itself, under a name that is free. */
function keepBackup({ path, text }: Found): string | null {
  if (text === null) return null
  for (let number = 0; number < BACKUPS; number++) {
    const backup = `${path}.postern-backup${number === 0 ? '' : `-${number}`}`
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL)
      return backup
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EEXIST')
        throw new PosternError('SETTINGS_REFUSED', { path: backup, reason: `it cannot be written (${code})` })
    }
  }
  throw new PosternError('SETTINGS_REFUSED', { path, reason: 'too many backups of it lie beside it' })
}
