import { type Agent, parseAgentId } from '../../model/agent.ts'
import { agentOf, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { parseSpaceId, type Space } from '../../model/sources/space.ts'
import type { SpaceInFull } from '../../model/sources/spaces.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

export async function requireSpace(shelves: Shelves, id: string): Promise<Space> {
  const space = await shelves.spaces.get(parseSpaceId(id))
  if (!space) throw new PosternError('SPACE_NOT_FOUND', { id })
  return space
}

/** A space in which something can still be said. */
export async function requireOpenSpace(shelves: Shelves, id: string): Promise<Space> {
  const space = await requireSpace(shelves, id)
  if (space.closedAt !== null) throw new PosternError('SPACE_CLOSED', { id })
  return space
}

/** The member of that name. */
export async function requireMember(shelves: Shelves, { id }: Space, agent: string): Promise<Agent> {
  const member = (await shelves.spaces.isMember({ id, agent })) ? await shelves.agents.get(agent) : undefined
  if (member?.removedAt === null) return member
  throw new PosternError('SPACE_NOT_MEMBER', { id, agent })
}

export async function inFull(shelves: Shelves, space: Space): Promise<SpaceInFull> {
  return { ...space, members: await shelves.spaces.members(space.id) }
}

/** The agent that is named, else the caller. A program speaks for nobody but itself. */
export function agentMeant({ caller }: Context, named: string | undefined): string {
  const agent = named === undefined ? agentOf(caller) : parseAgentId(named)
  if (agent === undefined) {
    throw new PosternError('USAGE', { message: 'It is not clear who is meant.', next: 'Say who with "--as <agent>".' })
  }
  if (!isProgram(caller) || agent === caller.id) return agent
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot join, leave or enter a space for ${agent}.`,
    next: `Let ${agent} do it, or a person.`,
  })
}
