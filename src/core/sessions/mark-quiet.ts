import { parseAgentId } from '../../model/agent.ts'
import type { Context } from '../context.ts'

/** Whoever holds the store is busy with something else, and will disturb the agent or not. */
const PATIENCE_MS = 50

/**
 * Says, where it can be said, that nothing waits for an agent, so that its next hooks need not ask. False where something
 * does, or where nobody could tell in time when something comes.
 */
export async function settleAgent(ctx: Context, input: { readonly agent: string }): Promise<boolean> {
  const agent = parseAgentId(input.agent)
  // A gate before every tool has to be judged at every tool.
  if (ctx.sessionGates.some(({ hook }) => hook === 'tool')) return false
  return ctx.store.transact(
    async (tx) => {
      const sessions = await tx.sessions.open({ agent })
      const spools = sessions.flatMap(({ id, project }) => (project === null ? [] : [ctx.spoolOf(project, id)]))
      return tx.agents.settle({ agent, spools })
    },
    { isDurable: false, patienceMs: PATIENCE_MS },
  )
}
