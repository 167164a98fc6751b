import { type Agent, skeletonOf } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import type { AddAgent } from '../../model/postern.ts'
import type { Context } from '../context.ts'
import { requireAgent } from '../registry/find.ts'
import { draftAgent, parseDisplayName, registerAgent, requireUnreservedName } from '../registry/register.ts'
import { requirePerson } from '../registry/require-person.ts'

/** Registers an agent under a name that nobody has, ever had, or could mistake for another's. */
export async function addAgent(ctx: Context, input: AddAgent): Promise<Agent> {
  const agent = draftAgent(ctx, input)
  return ctx.store.transact(
    async (tx) => {
      const registered = await registerAgent(tx, agent, input)
      if (input.restore) requirePerson(ctx.caller, `restore ${registered.id}`)
      // A caller that only brings an agent back need not say that it is a person.
      if (registered.kind === 'human') requirePerson(ctx.caller, `register ${registered.id}, who is a person`)
      return registered
    },
    { answers: ['agents.add'] },
  )
}

export async function renameAgent(
  ctx: Context,
  input: { readonly id: string; readonly displayName: string },
): Promise<Agent> {
  const displayName = parseDisplayName(input.displayName)
  const skeleton = skeletonOf(displayName)
  return ctx.store.transact(
    async (tx) => {
      const agent = await requireAgent(tx, input.id)
      requirePerson(ctx.caller, `rename ${agent.id}`)
      await requireUnreservedName(tx, displayName)
      const others = await tx.agents.lookalikes([skeleton])
      const other = others.find(({ id }) => id !== agent.id)
      if (other) throw new PosternError('AGENT_CONFUSABLE', { id: displayName, other: other.id })
      await tx.agents.update({ id: agent.id, displayName, skeleton })
      return { ...agent, displayName }
    },
    { answers: ['agents.rename'] },
  )
}
