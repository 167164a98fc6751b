import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { Context } from '../context.ts'

/**
 * Makes deliveries of the broadcasts that an agent has not taken up, so that it can act on them. If the store cannot
 * be written, it logs `broadcasts.failed` and creates none.
 */
export async function takeUpBroadcasts(ctx: Context, agent: string): Promise<void> {
  if (!(await ctx.store.read.agents.isBehind(agent))) return
  try {
    await ctx.store.transact((tx) => tx.deliveries.takeUpBroadcasts({ agent, now: ctx.store.now() }))
  } catch (error) {
    ctx.note('broadcasts.failed', { error: reasonOf(error) })
  }
}
