import { type Caller, hasCredential, isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { BeginSession } from '../../model/postern.ts'
import {
  parseMilliseconds,
  parsePid,
  parseSessionHost,
  parseSessionId,
  type Session,
  UNKNOWN_MACHINE,
} from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { takeCreation } from '../creation-budget.ts'
import { requireAgent } from '../registry/find.ts'
import { livenessOf } from './sessions.ts'

const MACHINE_BYTES = 300
const PROJECT_BYTES = 16_000

/** The clocks of two processes that use one store differ by less. */
const CLOCK_SLACK_MS = 1_000

/** Registers a session, or notes that it goes on. A session belongs to one agent for good. */
export function beginSession(ctx: Context, input: BeginSession): Promise<Session> {
  return ctx.store.transact((tx) => putSession(ctx, tx, input))
}

/** `begunAt` is when the event began in which the session goes on; null if nobody knows. */
export async function putSession(
  ctx: Context,
  tx: Shelves,
  input: BeginSession,
  begunAt: number | null = null,
): Promise<Session> {
  const id = parseSessionId(input.id)
  for (const field of ['pid', 'pidStartedAt', 'starterPid', 'starterStartedAt', 'machine'] as const) {
    if (input[field] !== undefined) requireLocal(ctx, field)
  }
  const agent = await requireAgent(tx, input.agent)
  const known = await tx.sessions.get(id)
  requireOwnSession(known, agent.id, ctx.caller)
  // Ended sessions are kept for a while. A token may name any number of them, a local hook only those of a running host.
  if (!known && isConfined(ctx.caller)) await takeCreation(ctx, tx, '@sessions')
  // Gates are judged and commands of the user run in the folder of a session of this machine.
  if (known?.machine === ctx.machine.name && input.project !== undefined && input.project !== known.project) {
    requireLocal(ctx, 'project')
  }
  const now = ctx.store.now()
  const before = (begunAt ?? now) - 1
  const inPast = <At extends number | null>(at: At) => (at !== null && at > now + CLOCK_SLACK_MS ? before : at)
  const machine = machineOf(ctx, input, known)
  const isAboveServer = (pid: number) => machine === ctx.machine.name && ctx.machine.isAboveServer(pid)
  // A session that continues runs in another process than one that is gone.
  const isGone = known !== undefined && livenessOf(ctx, { ...known, endedAt: null }) === 'gone'
  const session: Session = {
    id,
    agent: agent.id,
    host: input.host === undefined ? (known?.host ?? 'generic') : parseSessionHost(input.host),
    machine,
    pid: input.pid === undefined ? (known?.pid ?? null) : parsePid(input.pid, isAboveServer),
    // A number that comes without its start time must not be taken for the process that was known before.
    pidStartedAt: startOf(input) ?? (input.pid === undefined && !isGone ? (known?.pidStartedAt ?? null) : null),
    ...starterOf(input, known),
    project:
      input.project === undefined ? (known?.project ?? null) : parseText('project', input.project, PROJECT_BYTES),
    startedAt: inPast(known?.startedAt ?? now),
    lastEventAt: now,
    endedAt: null,
    idleSince: known?.idleSince ?? null,
    continuations: known?.continuations ?? 0,
    continuedAt: inPast(known?.continuedAt ?? null),
    stoppedAt: inPast(known?.stoppedAt ?? null),
  }
  await tx.sessions.put({ ...session, clock: { after: now + CLOCK_SLACK_MS, before } })
  if (known?.endedAt !== null) await endOldest(ctx, tx, session)
  return session
}

/**
 * Ends the sessions beyond the limit. Their messages return when the lease is over. An ended session that still runs
 * reopens with its next event.
 */
async function endOldest(ctx: Context, tx: Shelves, { id, agent, lastEventAt }: Session): Promise<void> {
  const others = (await tx.sessions.open({ agent })).filter((each) => each.id !== id)
  for (const each of others.slice(ctx.limits.sessionsPerAgent - 1)) {
    await tx.sessions.end({ id: each.id, at: lastEventAt })
  }
}

/**
 * Refuses a fact that only a process on this machine can know. A token or a cookie may be anywhere, and its holder would
 * give its session the process of somebody else.
 */
export function requireLocal({ caller }: Pick<Context, 'caller'>, field: string): void {
  if (!hasCredential(caller)) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot set "${field}" of a session with a token or a cookie.`,
    next: 'Leave it to a process on the machine of the session.',
  })
}

/**
 * Refuses an agent other than the one of the session. A session that does not exist yet may be of any agent. A program
 * with a token is not told whose session it is.
 */
export function requireOwnSession(session: Session | undefined, agent: string, caller: Caller): void {
  if (!session || session.agent === agent) return
  const owner = isConfined(caller) ? 'another agent' : `the agent ${session.agent}`
  throw new PosternError('SESSION_CONFLICT', { id: session.id, owner })
}

function startOf({ pidStartedAt }: BeginSession): number | undefined {
  return pidStartedAt === undefined ? undefined : Math.floor(parseMilliseconds('pidStartedAt', pidStartedAt))
}

type Starter = Pick<Session, 'starterPid' | 'starterStartedAt'>

const NO_STARTER: Starter = { starterPid: null, starterStartedAt: null }

/**
 * Keeps a starter only while every event that names one names the same process. A program started for each
 * hook exits right after it while the host reads on, so it is no starter. An event without a starter leaves the known
 * one. Only a new session may name another.
 */
function starterOf(input: BeginSession & { readonly event?: string }, known: Session | undefined): Starter {
  const before = known ?? NO_STARTER
  const { pid, starterPid, starterStartedAt } = input
  if (pid !== undefined || (known && known.pid !== null)) return NO_STARTER
  if (starterPid === undefined) return starterIn(before)
  // A step of the machine's clock moves the start times of all processes.
  if (starterPid === before.starterPid)
    return { starterPid, starterStartedAt: starterStartedAt ?? before.starterStartedAt }
  const isNew = !known || known.endedAt !== null || input.event === 'session.start'
  const wasMixed = known !== undefined && known.endedAt === null && before.starterPid === null
  if (!isNew || wasMixed || starterStartedAt === undefined) return NO_STARTER
  return {
    starterPid: parsePid(starterPid, () => false),
    starterStartedAt: Math.floor(parseMilliseconds('starterStartedAt', starterStartedAt)),
  }
}

function starterIn({ starterPid, starterStartedAt }: Starter): Starter {
  return { starterPid, starterStartedAt }
}

/**
 * A call that names no process leaves the session's machine as it is. A token may be used from anywhere, so a
 * session that only a token has named gets no machine, and Postern touches no files for it.
 */
function machineOf(ctx: Context, { pid, starterPid, machine }: BeginSession, known: Session | undefined): string {
  if (pid === undefined && (starterPid === undefined || known?.pid != null))
    return known?.machine ?? (hasCredential(ctx.caller) ? UNKNOWN_MACHINE : ctx.machine.name)
  return machine === undefined ? ctx.machine.name : parseText('machine', machine, MACHINE_BYTES)
}
