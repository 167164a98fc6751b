import { type Agent, parseAgentId, skeletonOf } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import type { AgentStatus, ListAgents } from '../../model/postern.ts'
import type { Session } from '../../model/session.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { isConfined } from '../inbox/visible.ts'
import { withLiveness } from '../sessions/sessions.ts'
import { parseDisplayName, requireNobodys } from './register.ts'

/** Finds an agent that is registered and was not removed; says which names come close otherwise. */
export async function requireAgent(shelves: Shelves, id: string): Promise<Agent> {
  const agent = await shelves.agents.get(parseAgentId(id))
  if (agent && agent.removedAt === null) return agent
  throw await unknownAgent(shelves, id)
}

export async function unknownAgent(shelves: Shelves, id: string): Promise<PosternError> {
  const agents = await shelves.agents.list({ removed: false })
  const near = agents.map((agent) => agent.id).find((other) => isNear(id, other))
  return new PosternError('AGENT_NOT_FOUND', { id, hint: near ? ` Did you mean ${near}?` : '' })
}

/** One letter more, less, other or swapped, or the same beginning. */
function isNear(asked: string, known: string): boolean {
  if (known.startsWith(asked) || skeletonOf(asked) === skeletonOf(known)) return true
  if (Math.abs(asked.length - known.length) > 1) return false
  let start = 0
  while (start < asked.length && asked[start] === known[start]) start++
  let end = 0
  while (end < Math.min(asked.length, known.length) - start && asked.at(-1 - end) === known.at(-1 - end)) end++
  const [left, right] = [asked.slice(start, asked.length - end), known.slice(start, known.length - end)]
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && right === `${left[1]}${left[0]}`)
}

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

/** That another agent is at work is for everybody to know; where, and in which process, is not. */
function shownTo<T extends Session>(ctx: Context, session: T): T {
  if (!isConfined(ctx) || session.agent === ctx.caller.id) return session
  return { ...session, project: null, pid: null, pidStartedAt: null }
}

export async function renameAgent(
  ctx: Context,
  input: { readonly id: string; readonly displayName: string },
): Promise<Agent> {
  const displayName = parseDisplayName(input.displayName)
  const skeleton = skeletonOf(displayName)
  return ctx.store.transact(async (tx) => {
    const agent = await requireAgent(tx, input.id)
    await requireNobodys(tx, displayName)
    const others = await tx.agents.lookalikes([skeleton])
    const other = others.find(({ id }) => id !== agent.id)
    if (other) throw new PosternError('AGENT_CONFUSABLE', { id: displayName, other: other.id })
    await tx.agents.update({ id: agent.id, displayName, skeleton })
    return { ...agent, displayName }
  })
}
