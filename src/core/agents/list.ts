import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { AgentStatus, ListAgents } from '../../model/postern.ts'
import type { AgentAtWork } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { withLiveness } from '../sessions/sessions.ts'

const MAX_LIMIT = 1_000
const SEARCH_CHARACTERS = 200

/** Without a limit all of them, read page by page. */
export async function listAgents(ctx: Context, input: ListAgents = {}): Promise<AgentStatus[]> {
  const { removed = false, limit, search } = input
  const wanted = {
    removed,
    now: ctx.store.now(),
    limit: limit === undefined ? MAX_LIMIT : parseLimit(limit),
    search: search === undefined ? undefined : parseSearch(search),
  }
  const found: AgentStatus[] = []
  let after = input.after === undefined ? undefined : parseAgentId(input.after)
  for (;;) {
    const page = await ctx.store.read.agents.statuses({ ...wanted, after })
    for (const each of page) found.push(statusOf(ctx, each))
    after = found.at(-1)?.id
    if (limit !== undefined || page.length < MAX_LIMIT) return found
    // Let other work of this process run before the next page.
    await new Promise<void>((resolve) => ctx.timers.after(0, resolve))
  }
}

export async function showAgent(ctx: Context, { id }: { readonly id: string }): Promise<AgentStatus> {
  const agent = await requireAgent(ctx.store.read, id)
  const { deliveries, sessions } = ctx.store.read
  const pending = await deliveries.countPending({ agent: agent.id, now: ctx.store.now() })
  const [session = null] = await sessions.open({ agent: agent.id })
  return statusOf(ctx, { agent, pending, session })
}

function statusOf(ctx: Context, { agent, pending, session }: AgentAtWork): AgentStatus {
  const live = session ? withLiveness(ctx, session) : null
  // Any caller may know that another agent is at work. A confined program may not know where, or in which session.
  const isHidden = isConfined(ctx.caller) && agent.id !== ctx.caller.id
  return { ...agent, pending, liveness: live?.liveness ?? null, session: isHidden ? null : live }
}

function parseLimit(value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value
  throw new PosternError('VALUE_INVALID', { field: 'limit', value, next: `Use a whole number from 1 to ${MAX_LIMIT}.` })
}

function parseSearch(value: string): string {
  // PostgreSQL has no place for a NUL in a text.
  if (value.length <= SEARCH_CHARACTERS && value.isWellFormed() && !value.includes('\0')) return value
  const next = `Search for at most ${SEARCH_CHARACTERS} characters of an id or a name.`
  throw new PosternError('VALUE_INVALID', { field: 'search', value, next })
}
