import type { EnteredSpace, EnterSpace } from '../../model/sources/spaces.ts'
import type { Context } from '../context.ts'
import { agentMeant, inFull, requireMember, requireUnclosedSpace, unreadableUpTo } from './find.ts'
import { parseLimit } from './history.ts'

const DEFAULT_LIMIT = 20

/** Turns an agent to a space: what it posts from now on goes there, unless it names another. */
export async function enterSpace(ctx: Context, { id, agent, ...input }: EnterSpace): Promise<EnteredSpace> {
  const entering = agentMeant(ctx, agent)
  const limit = parseLimit(input.limit ?? DEFAULT_LIMIT)
  return ctx.store.transact(async (tx) => {
    const space = await requireUnclosedSpace(ctx, tx, id)
    await requireMember(tx, space, entering)
    await tx.spaces.setActive({ agent: entering, id })
    const after = await unreadableUpTo(ctx, tx, space)
    return { space: await inFull(tx, space), history: await tx.spaces.history({ id, limit, after }) }
  })
}
