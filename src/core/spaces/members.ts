import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Space } from '../../model/sources/space.ts'
import type { SpaceInFull, SpaceMembership } from '../../model/sources/spaces.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { agentMeant, inFull, requireSpace, requireUnclosedSpace } from './find.ts'

export async function joinSpace(ctx: Context, { id, agent }: SpaceMembership): Promise<SpaceInFull> {
  const joining = agentMeant(ctx, agent)
  return ctx.store.transact(
    async (tx) => {
      const space = await requireUnclosedSpace(ctx, tx, id)
      await requireInvitation(ctx, tx, space)
      await addMembers(ctx, tx, space, [joining])
      return inFull(tx, space)
    },
    { answers: ['spaces.join'] },
  )
}

/** A program joins a public space, one that it made, or one of which it is a member already. */
async function requireInvitation({ caller }: Context, tx: Shelves, { id, joining, createdBy }: Space): Promise<void> {
  if (!isProgram(caller) || joining === 'open' || caller.id === createdBy) return
  if (await tx.spaces.isMember({ id, agent: caller.id })) return
  throw new PosternError('NOT_ALLOWED', {
    message: `The space ${id} is joined by invitation, and ${caller.id} is not invited.`,
    next: `Ask ${createdBy} or a person to add you: "postern space create ${id} --members ${caller.id}".`,
  })
}

export async function leaveSpace(ctx: Context, { id, agent }: SpaceMembership): Promise<SpaceInFull> {
  const leaving = agentMeant(ctx, agent)
  return ctx.store.transact(
    async (tx) => {
      const space = await requireSpace(ctx, tx, id)
      await requireAgent(tx, leaving)
      await tx.spaces.leave({ id, agent: leaving })
      return inFull(tx, space)
    },
    { answers: ['spaces.leave'] },
  )
}

/** Everybody hears what is said, so a space has no more members than a message may have recipients. */
export async function addMembers(ctx: Context, tx: Shelves, { id }: Space, agents: readonly string[]): Promise<void> {
  const members = new Set((await tx.spaces.members(id)).map(({ agent }) => agent))
  for (const agent of agents) {
    if (members.has(agent)) continue
    await requireAgent(tx, agent)
    await tx.spaces.join({ id, agent, at: ctx.store.now() })
    members.add(agent)
  }
  const limit = ctx.limits.recipientsPerPush
  if (members.size <= limit) return
  throw new PosternError('VALUE_INVALID', {
    field: 'number of members',
    value: members.size,
    next: `A space has at most ${limit}; make another for the rest.`,
  })
}
