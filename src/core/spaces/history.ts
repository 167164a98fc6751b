import { isConfined } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Space } from '../../model/sources/space.ts'
import type { PostPage, SpaceHistory } from '../../model/sources/spaces.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { requireMember, requireSpace, unreadableUpTo } from './find.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 1_000

/** A page of what was said. Numbers have no gaps and are given in the order of commits, so no page skips or repeats. */
export async function spaceHistory(ctx: Context, { id, after, before, ...input }: SpaceHistory): Promise<PostPage> {
  const limit = parseLimit(input.limit ?? DEFAULT_LIMIT)
  for (const number of [after, before]) if (number !== undefined) requireNumber(number)
  const { read } = ctx.store
  const space = await requireSpace(ctx, read, id)
  await requireReader(ctx, read, space)
  const floor = await unreadableUpTo(ctx, read, space)
  const from = Math.max(after ?? 0, floor)
  const isOnward = after !== undefined && before === undefined
  const items = isOnward
    ? await read.spaces.following({ id, after: from, limit })
    : await read.spaces.history({ id, limit, after: from, ...(before !== undefined && { before }) })
  const first = items[0]?.seq ?? 0
  const beginning = (isOnward ? floor : from) + 1
  return { items, earlier: first > beginning ? first : null }
}

/** What others say reaches a program only where it is a member. A local one is nobody for certain, so it may read. */
async function requireReader({ caller }: Context, shelves: Shelves, space: Space): Promise<void> {
  if (isConfined(caller)) await requireMember(shelves, space, caller.id)
}

export function parseLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new PosternError('VALUE_INVALID', {
    field: 'limit',
    value: limit,
    next: `Use a whole number from 1 to ${MAX_LIMIT}.`,
  })
}

function requireNumber(seq: number): void {
  if (Number.isSafeInteger(seq) && seq >= 0) return
  throw new PosternError('VALUE_INVALID', {
    field: 'number of a post',
    value: seq,
    next: 'Use the number of a post, such as the "earlier" of a page.',
  })
}
