import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Context } from '../context.ts'

/**
 * Makes deliveries of broadcasts for those who have not drained since, so that whoever looks sees them too. Where the
 * store cannot be written, there is less to see.
 */
export async function takeUpBroadcasts(ctx: Context, only?: string): Promise<void> {
  const behind = await ctx.store.read.agents.behind()
  const agents = behind.filter((agent) => only === undefined || agent === only)
  if (agents.length === 0) return
  try {
    await ctx.store.transact(async (tx) => {
      for (const agent of agents) await tx.deliveries.takeUpBroadcasts({ agent, now: ctx.store.now() })
    })
  } catch (error) {
    ctx.note('broadcasts.failed', { error: reasonOf(error) })
  }
}
