import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Liveness, Session } from '../model/session.ts'
import { spoolPath } from '../spool/path.ts'

export type LiveSession = Session & { readonly liveness: Liveness }

export interface TargetParams {
  /** The session that the user named; undefined: the one that was last active. */
  readonly sessionId: string | undefined
  /** The root that the user named; undefined: that of the session. */
  readonly root: string | undefined
  /** The root for a named session that the store does not know. */
  readonly workingRoot: string
  readonly machine: string
}

export interface TargetSpool {
  readonly root: string
  readonly sessionId: string
  readonly path: string
}

/** The session that a courier serves now, and its spool. */
export interface Target {
  readonly session: LiveSession | undefined
  /** Undefined if there is no spool to write to. */
  readonly spool: TargetSpool | undefined
  /** The root of the project, if there is no such folder on this machine. */
  readonly missing?: string
}

/** No host reports that a turn was interrupted, so a session that was silent this long counts as idle. */
const STALE_MS = 10 * 60_000

/** The host of a program under `postern wake`. It is never busy: it checks its mail whenever it is nudged. */
const WRAPPED = 'wake'

/**
 * Finds the named session, or else the one on this machine that was last active. A courier may run in another container
 * than the agent, where process ids mean nothing. So a dead process does not rule a session out; it only ranks below
 * live ones.
 */
export function findTarget(sessions: readonly LiveSession[], params: TargetParams): Target {
  const { sessionId, root, workingRoot, machine } = params
  const session = sessionId === undefined ? latestOf(sessions, machine) : sessions.find(({ id }) => id === sessionId)
  const id = sessionId ?? session?.id
  const folder = root ?? session?.project ?? workingRoot
  if (id === undefined) return { session, spool: undefined }
  if (!isFolder(folder)) return { session, spool: undefined, missing: folder }
  return { session, spool: { root: folder, sessionId: id, path: spoolPath(folder, id) } }
}

/** Whether the agent may be woken: its session waits for a prompt, or there is no session that could be interrupted. */
export function isAtRest(session: LiveSession | undefined, now: number): boolean {
  if (!session || session.host === WRAPPED || session.idleSince !== null) return true
  return now - session.lastEventAt >= STALE_MS
}

function latestOf(sessions: readonly LiveSession[], machine: string): LiveSession | undefined {
  return sessions
    .filter((session) => hostOf(session.machine) === hostOf(machine) && session.host !== WRAPPED)
    .toSorted((a, b) => rank(a) - rank(b) || b.lastEventAt - a.lastEventAt)[0]
}

/** The name of a machine without its PID namespace. */
function hostOf(machine: string): string {
  return machine.replace(/ pid:\[\d+\]$/, '')
}

function rank({ liveness }: LiveSession): number {
  return liveness === 'gone' ? 1 : 0
}

/** A session may name any root, so a missing folder is not created. */
function isFolder(path: string): boolean {
  try {
    return isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
