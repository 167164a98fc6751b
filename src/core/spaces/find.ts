import { type Agent, parseAgentId } from '../../model/agent.ts'
import { agentOf, isConfined, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { parseSpaceId, type Space } from '../../model/sources/space.ts'
import type { SpaceInFull } from '../../model/sources/spaces.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

/** The space, unless there is none that the caller may know of. */
export async function requireSpace(ctx: Context, shelves: Shelves, id: string): Promise<Space> {
  const space = await shelves.spaces.get(parseSpaceId(id))
  if (space && (await isSpaceVisible(ctx, shelves, space))) return space
  throw new PosternError('SPACE_NOT_FOUND', { id })
}

/** A confined program knows public spaces, which everybody may join, those of which it is a member, and those that it made. */
export async function isSpaceVisible({ caller }: Context, shelves: Shelves, space: Space): Promise<boolean> {
  if (!isConfined(caller) || space.joining === 'open' || space.createdBy === caller.id) return true
  return shelves.spaces.isMember({ id: space.id, agent: caller.id })
}

/** A space that is not closed. */
export async function requireUnclosedSpace(ctx: Context, shelves: Shelves, id: string): Promise<Space> {
  const space = await requireSpace(ctx, shelves, id)
  if (space.closedAt !== null) throw new PosternError('SPACE_CLOSED', { id })
  return space
}

/** The number of the last post that the caller may not read: a confined member reads from its joining on. */
export async function unreadableUpTo({ caller }: Context, shelves: Shelves, { id, history }: Space): Promise<number> {
  if (!isConfined(caller) || history === 'all') return 0
  return (await shelves.spaces.joinedAfter({ id, agent: caller.id })) ?? Number.MAX_SAFE_INTEGER
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

export const SAY_WHO = 'Say who you are: on the command line with "--as <agent>".'

/** The agent that is named, else the caller. A program speaks for nobody but itself. */
export function agentMeant({ caller }: Context, named: string | undefined): string {
  const agent = named === undefined ? agentOf(caller) : parseAgentId(named)
  if (agent === undefined) {
    throw new PosternError('USAGE', { message: 'It is not clear which agent is meant.', next: SAY_WHO })
  }
  if (!isProgram(caller) || agent === caller.id) return agent
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot join, leave or enter a space for ${agent}.`,
    next: `Let ${agent} do it, or a person.`,
  })
}
