import { parseAgentId } from '../../model/agent.ts'
import type { Context } from '../context.ts'

/** Marking is only a saving, so it does not wait long for another writer. */
const PATIENCE_MS = 50

/**
 * Marks an agent as quiet if nothing waits for it, so that its next hooks need not ask the store. Returns false if
 * something waits, or if the store cannot take the mark back in time when something comes.
 */
export async function markAgentQuiet(ctx: Context, input: { readonly agent: string }): Promise<boolean> {
  const agent = parseAgentId(input.agent)
  // A gate on tools has to be judged at every tool.
  if (ctx.sessionGates.some(({ hook }) => hook === 'tool')) return false
  return ctx.store.transact(
    async (tx) => {
      const sessions = await tx.sessions.open({ agent })
      const spools = sessions.flatMap(({ id, project }) => (project === null ? [] : [ctx.spoolOf(project, id)]))
      return tx.agents.markQuiet({ agent, spools })
    },
    { isDurable: false, patienceMs: PATIENCE_MS },
  )
}
