import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Liveness, Session } from '../model/session.ts'
import { spoolPath } from '../spool/path.ts'

export type LiveSession = Session & { readonly liveness: Liveness }

export interface TargetParams {
  /** The session that was named; absent: the one that was heard of last. */
  readonly sessionId: string | undefined
  /** The root that was named; absent: that of the session. */
  readonly root: string | undefined
  /** The root of a session that was named and that nobody knows. */
  readonly workingRoot: string
  readonly machine: string
}

export interface TargetSpool {
  readonly root: string
  readonly sessionId: string
  readonly path: string
}

/** Whom a courier serves at this moment. */
export interface Target {
  readonly session: LiveSession | undefined
  /** Its spool; undefined where there is none to write to. */
  readonly spool: TargetSpool | undefined
  /** The root of the project, where that is not here. */
  readonly missing?: string
}

/** No host says that a turn was broken off: one that was not heard of for so long is taken to be at rest. */
const STALE_MS = 10 * 60_000

/** A program under `postern wake` is no session that works or rests: whenever it is nudged it looks. */
const WRAPPED = 'wake'

/**
 * The session that was named, else the one of this host that was heard of last. A courier may run in a container beside
 * the agent's, from where process numbers mean nothing: so whether one lives only decides between several.
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

/** Whether it waits for a prompt. Where nobody knows of a session there is nobody who could be interrupted. */
export function isAtRest(session: LiveSession | undefined, now: number): boolean {
  if (!session || session.host === WRAPPED || session.idleSince !== null) return true
  return now - session.lastEventAt >= STALE_MS
}

function latestOf(sessions: readonly LiveSession[], machine: string): LiveSession | undefined {
  return sessions
    .filter((session) => hostOf(session.machine) === hostOf(machine) && session.host !== WRAPPED)
    .toSorted((a, b) => rank(a) - rank(b) || b.lastEventAt - a.lastEventAt)[0]
}

/** Of the name of a machine all but where process numbers count. */
function hostOf(machine: string): string {
  return machine.replace(/ pid:\[\d+\]$/, '')
}

function rank({ liveness }: LiveSession): number {
  return liveness === 'gone' ? 1 : 0
}

/** A session may name any root; none is made for it. */
function isFolder(path: string): boolean {
  try {
    return isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
