import { parseAgentId } from '../../model/agent.ts'
import type { ListSessions } from '../../model/postern.ts'
import { type Liveness, parseSessionId, type Session } from '../../model/session.ts'
import type { Context } from '../context.ts'

export async function listSessions(
  ctx: Context,
  input: ListSessions = {},
): Promise<(Session & { readonly liveness: Liveness })[]> {
  const sessions = await findSessions(ctx, input)
  return sessions.map((session) => withLiveness(ctx, session))
}

async function findSessions(ctx: Context, { agent, id, pids }: ListSessions): Promise<readonly Session[]> {
  const { sessions } = ctx.store.read
  const of = agent === undefined ? {} : { agent: parseAgentId(agent) }
  if (pids === undefined && id === undefined) return sessions.open(of)
  const found = pids ? await sessions.ofProcesses({ pids }) : [await sessions.get(parseSessionId(id))].filter(isOpen)
  return found.filter((each) => (agent ?? each.agent) === each.agent && (id ?? each.id) === each.id)
}

function isOpen(session: Session | undefined): session is Session {
  return session?.endedAt === null
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

/**
 * Whether the session's mail has no reader left: the session ended, its host is gone, or, without a known host, its
 * starter is gone.
 */
export function isOrphaned(ctx: Context, session: Session): boolean {
  if (livenessOf(ctx, session) === 'gone') return true
  const { machine, pid, starterPid, starterStartedAt } = session
  if (pid !== null || starterPid === null || starterStartedAt === null || machine !== ctx.machine.name) return false
  return ctx.machine.isAlive(starterPid, starterStartedAt) === 'gone'
}

export function livenessOf({ machine }: Context, session: Session): Liveness {
  if (session.endedAt !== null) return 'gone'
  if (session.pid === null || session.pidStartedAt === null || session.machine !== machine.name) return 'unknown'
  return machine.isAlive(session.pid, session.pidStartedAt)
}
