import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { VIA_AGENT } from '../../model/offer.ts'
import type { BeginSession } from '../../model/postern.ts'
import { type Liveness, parseMilliseconds, parsePid, parseSessionId, type Session } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { closeOffer } from '../offers/offers.ts'
import { requireAgent } from '../registry/find.ts'
import { ring } from '../rings/ring.ts'

const HOST_BYTES = 200
const MACHINE_BYTES = 300
const PROJECT_BYTES = 16_000

/** Registers a session, or notes that it goes on. A session belongs to one agent for good. */
export function beginSession(ctx: Context, input: BeginSession): Promise<Session> {
  return ctx.store.transact((tx) => putSession(ctx, tx, input))
}

export async function putSession(ctx: Context, tx: Shelves, input: BeginSession): Promise<Session> {
  const id = parseSessionId(input.id)
  for (const field of ['pid', 'pidStartedAt', 'machine'] as const) {
    if (input[field] !== undefined) requireLocal(ctx, field)
  }
  const agent = await requireAgent(tx, input.agent)
  const known = await tx.sessions.get(id)
  requireOwnSession(known, agent.id)
  const now = ctx.store.now()
  const session: Session = {
    id,
    agent: agent.id,
    host: input.host === undefined ? (known?.host ?? 'generic') : parseText('host', input.host, HOST_BYTES),
    machine: machineOf(ctx, input, known),
    pid: input.pid === undefined ? (known?.pid ?? null) : parsePid(input.pid),
    // A number that comes without its start time must not be taken for the process that was known before.
    pidStartedAt: startOf(input) ?? (input.pid === undefined ? (known?.pidStartedAt ?? null) : null),
    project:
      input.project === undefined ? (known?.project ?? null) : parseText('project', input.project, PROJECT_BYTES),
    startedAt: known?.startedAt ?? now,
    lastEventAt: now,
    endedAt: null,
    idleSince: known?.idleSince ?? null,
    continuations: known?.continuations ?? 0,
    continuedAt: known?.continuedAt ?? null,
    stoppedAt: known?.stoppedAt ?? null,
  }
  await tx.sessions.put(session)
  return session
}

/**
 * Refuses a fact that only a process on this machine can know. A token may be anywhere, and its holder would give its
 * session the process of somebody else.
 */
export function requireLocal({ caller }: Pick<Context, 'caller'>, field: string): void {
  if (!isConfined(caller)) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot set the field "${field}" of a session with a token.`,
    next: `Leave "${field}" out: only a hook on the machine of the session knows it.`,
  })
}

/** What is a session's is for its agent alone. One that nobody has begun is nobody's yet. */
export function requireOwnSession(session: Session | undefined, agent: string): void {
  if (!session || session.agent === agent) return
  throw new PosternError('SESSION_CONFLICT', { id: session.id, agent: session.agent })
}

function startOf({ pidStartedAt }: BeginSession): number | undefined {
  return pidStartedAt === undefined ? undefined : Math.floor(parseMilliseconds('pidStartedAt', pidStartedAt))
}

/** A call without a process says nothing of the machine on which the known one runs. */
function machineOf(ctx: Context, { pid, machine }: BeginSession, known: Session | undefined): string {
  if (pid === undefined) return known?.machine ?? ctx.machine.name
  return machine === undefined ? ctx.machine.name : parseText('machine', machine, MACHINE_BYTES)
}

/**
 * Ends a session. What it was shown in the course of a turn has been consumed; what it was shown at its very start
 * may never have reached the model, so that is given back. What an agent's own loop holds is left to that.
 */
export async function endSession(ctx: Context, { id }: { readonly id: string }): Promise<Session> {
  const { ended, rings } = await ctx.store.transact(async (tx) => {
    const session = await tx.sessions.get(parseSessionId(id))
    if (!session) throw new PosternError('SESSION_NOT_FOUND', { id })
    const at = ctx.store.now()
    const rings: string[] = []
    for (const offer of await tx.offers.openOf({ sessionId: session.id })) {
      if (offer.via === VIA_AGENT) continue
      const wasConsumed = offer.printedAt !== null && offer.via !== 'session.start'
      const closed = await closeOffer(ctx, tx, offer.id, wasConsumed ? 'confirmed' : 'released', 'the session ended')
      rings.push(...closed.rings)
    }
    await tx.sessions.end({ id: session.id, at })
    return { ended: { ...session, endedAt: session.endedAt ?? at, lastEventAt: at }, rings }
  })
  ring(ctx, rings)
  return ended
}

export async function listSessions(
  ctx: Context,
  { agent }: { readonly agent?: string } = {},
): Promise<(Session & { readonly liveness: Liveness })[]> {
  const sessions = await ctx.store.read.sessions.open(agent === undefined ? {} : { agent: parseAgentId(agent) })
  return sessions.map((session) => withLiveness(ctx, session))
}

/** With what only this machine knows: whether its process lives, and hooks that left without asking the store. */
export function withLiveness(ctx: Context, session: Session): Session & { readonly liveness: Liveness } {
  const heardAt = (session.machine === ctx.machine.name && ctx.machine.heardAt(session.agent)) || 0
  // Whose hook it was is not known until another asks the store.
  const mayWork = heardAt > Math.max(session.lastEventAt, session.idleSince ?? 0)
  return {
    ...session,
    lastEventAt: Math.max(session.lastEventAt, heardAt),
    idleSince: mayWork ? null : session.idleSince,
    liveness: livenessOf(ctx, session),
  }
}

export function livenessOf({ machine }: Context, session: Session): Liveness {
  if (session.endedAt !== null) return 'gone'
  if (session.pid === null || session.pidStartedAt === null || session.machine !== machine.name) return 'unknown'
  return machine.isAlive(session.pid, session.pidStartedAt)
}
