import { parseAgentId } from '../../model/agent.ts'
import { agentOf, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { parseSpaceId, type Space } from '../../model/sources/space.ts'
import type { CreateSpace, SpaceInFull } from '../../model/sources/spaces.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { parseDisplayName } from '../registry/register.ts'
import { inFull, requireOpenSpace } from './find.ts'
import { addMembers } from './members.ts'

const MAX_OPEN_SPACES = 10_000

/** Makes a space with its first members. The same space again is no error, so that set-up scripts can be repeated. */
export async function createSpace(ctx: Context, input: CreateSpace): Promise<SpaceInFull> {
  const id = parseSpaceId(input.id)
  const name = parseDisplayName(input.name ?? id, 'name of the space')
  const named = (input.members ?? []).map((agent) => parseAgentId(agent))
  const space: Space = { id, name, createdBy: ctx.caller.id, createdAt: ctx.store.now(), closedAt: null }
  return ctx.store.transact(async (tx) => {
    const isNew = await tx.spaces.insert(space)
    const made = isNew ? space : await requireSame(tx, space, input)
    if (isNew) await requireRoom(tx)
    else await requireLeaveToAdd(ctx, tx, made, named)
    const maker = isNew ? agentOf(ctx.caller) : undefined
    await addMembers(ctx, tx, made, maker === undefined ? named : [maker, ...named])
    return inFull(tx, made)
  })
}

async function requireSame(tx: Shelves, { id, name }: Space, input: CreateSpace): Promise<Space> {
  const known = await requireOpenSpace(tx, id)
  if (input.name === undefined || known.name === name) return known
  throw new PosternError('SPACE_EXISTS', { id })
}

/** To make a space again is no way to put others into one that somebody else made. */
async function requireLeaveToAdd(ctx: Context, tx: Shelves, space: Space, named: readonly string[]): Promise<void> {
  const { caller } = ctx
  if (!isProgram(caller) || caller.id === space.createdBy) return
  const members = (await tx.spaces.members(space.id)).map(({ agent }) => agent)
  const other = named.find((agent) => agent !== caller.id && !members.includes(agent))
  if (other === undefined) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} did not make the space ${space.id}, so it cannot add ${other}.`,
    next: `Let ${other} join it, or a person add them.`,
  })
}

async function requireRoom(tx: Shelves): Promise<void> {
  const open = await tx.spaces.list({ closed: false })
  if (open.length <= MAX_OPEN_SPACES) return
  throw new PosternError('VALUE_INVALID', {
    field: 'number of open spaces',
    value: open.length,
    next: 'Close some that nobody needs any more with "postern space close <id>".',
  })
}
