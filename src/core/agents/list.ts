import type { Agent } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import type { AgentStatus, ListAgents } from '../../model/postern.ts'
import type { Session } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { withLiveness } from '../sessions/sessions.ts'

export async function listAgents(ctx: Context, { removed = false }: ListAgents = {}): Promise<AgentStatus[]> {
  const agents = await ctx.store.read.agents.list({ removed })
  const statuses: AgentStatus[] = []
  for (const agent of agents) statuses.push(await statusOf(ctx, agent))
  return statuses
}

export async function showAgent(ctx: Context, { id }: { readonly id: string }): Promise<AgentStatus> {
  return statusOf(ctx, await requireAgent(ctx.store.read, id))
}

async function statusOf(ctx: Context, agent: Agent): Promise<AgentStatus> {
  const { deliveries, sessions } = ctx.store.read
  const pending = await deliveries.countPending({ agent: agent.id, now: ctx.store.now() })
  const [session] = await sessions.open({ agent: agent.id })
  return { ...agent, pending, session: session ? shownTo(ctx, withLiveness(ctx, session)) : null }
}

/** Any caller may know that another agent is at work. A confined program may not know where, or in which process. */
function shownTo<T extends Session>(ctx: Context, session: T): T {
  if (!isConfined(ctx.caller) || session.agent === ctx.caller.id) return session
  return { ...session, project: null, pid: null, pidStartedAt: null }
}
