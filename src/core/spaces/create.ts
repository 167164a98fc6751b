import { parseAgentId } from '../../model/agent.ts'
import { agentOf, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { parseSpaceId, type Space } from '../../model/sources/space.ts'
import { parseJoining, parseReading } from '../../model/sources/space-rules.ts'
import type { CreateSpace, SpaceInFull } from '../../model/sources/spaces.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { takeCreation } from '../creation-budget.ts'
import { parseDisplayName } from '../registry/register.ts'
import { inFull, isSpaceVisible } from './find.ts'
import { addMembers } from './members.ts'

const MAX_UNCLOSED_SPACES = 10_000

/** Makes a space with its first members. The same space again is no error, so that set-up scripts can be repeated. */
export async function createSpace(ctx: Context, input: CreateSpace): Promise<SpaceInFull> {
  const id = parseSpaceId(input.id)
  const name = parseDisplayName(input.name ?? id, 'name of the space')
  const named = (input.members ?? []).map((agent) => parseAgentId(agent))
  const createdAt = ctx.store.now()
  const rules = parseRules(input)
  const space: Space = { ...DEFAULT_RULES, ...rules, id, name, createdBy: ctx.caller.id, createdAt, closedAt: null }
  return ctx.store.transact(
    async (tx) => {
      if (await tx.spaces.insert(space)) {
        await takeCreation(ctx, tx, '@spaces')
        await requireRoom(ctx, tx)
        const maker = agentOf(ctx.caller)
        await addMembers(ctx, tx, space, maker === undefined ? named : [maker, ...named])
        return inFull(tx, space)
      }
      const known = await requireSame(ctx, tx, space, input)
      const wanted = { ...known, ...rules }
      await requireLeaveToChange(ctx, tx, wanted, { known, named })
      if (hasOtherRules(wanted, known)) await tx.spaces.setRules(wanted)
      await addMembers(ctx, tx, wanted, named)
      return inFull(tx, wanted)
    },
    { answers: ['spaces.create'] },
  )
}

const DEFAULT_RULES = { joining: 'invited', history: 'joined' } as const

function parseRules({ joining, history }: CreateSpace): Partial<Pick<Space, 'joining' | 'history'>> {
  return {
    ...(joining !== undefined && { joining: parseJoining(joining) }),
    ...(history !== undefined && { history: parseReading(history) }),
  }
}

function hasOtherRules(one: Space, other: Space): boolean {
  return one.joining !== other.joining || one.history !== other.history
}

/** A program that may not know of the space is only told that the id is taken. */
async function requireSame(ctx: Context, tx: Shelves, { id, name }: Space, input: CreateSpace): Promise<Space> {
  const known = await tx.spaces.get(id)
  if (!known || !(await isSpaceVisible(ctx, tx, known))) throw new PosternError('SPACE_EXISTS', { id })
  if (known.closedAt !== null) throw new PosternError('SPACE_CLOSED', { id })
  if (input.name === undefined || known.name === name) return known
  throw new PosternError('SPACE_EXISTS', { id })
}

/** Only people and the maker of a space add members to it or change its rules. */
async function requireLeaveToChange(
  { caller }: Context,
  tx: Shelves,
  wanted: Space,
  { known, named }: { readonly known: Space; readonly named: readonly string[] },
): Promise<void> {
  if (!isProgram(caller) || caller.id === known.createdBy) return
  const members = (await tx.spaces.members(known.id)).map(({ agent }) => agent)
  const isJoining = (agent: string) => agent === caller.id && known.joining === 'open'
  const added = named.find((agent) => !members.includes(agent) && !isJoining(agent))
  const change = hasOtherRules(wanted, known) ? 'change its rules' : added && `add ${added}`
  if (change === undefined) return
  throw new PosternError('NOT_ALLOWED', {
    message: `${caller.id} did not make the space ${known.id}, so it cannot ${change}.`,
    next: `Let ${known.createdBy} or a person do it.`,
  })
}

async function requireRoom({ caller, limits: { spacesPerProgram } }: Context, tx: Shelves): Promise<void> {
  const unclosed = await tx.spaces.list({ closed: false })
  const own = unclosed.filter(({ createdBy }) => createdBy === caller.id)
  if (isProgram(caller) && own.length > spacesPerProgram) {
    throw new PosternError('QUOTA_REACHED', {
      caller: caller.id,
      count: spacesPerProgram,
      what: 'spaces of its own that are not closed',
      next: 'Close some that are no longer needed with "postern space close <id>".',
    })
  }
  if (unclosed.length <= MAX_UNCLOSED_SPACES) return
  throw new PosternError('VALUE_INVALID', {
    field: 'number of spaces that are not closed',
    value: unclosed.length,
    next: 'Close some that are no longer needed with "postern space close <id>".',
  })
}
