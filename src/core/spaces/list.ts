import { parseAgentId } from '../../model/agent.ts'
import { isConfined } from '../../model/caller.ts'
import type { SpaceInFull, SpaceRef, SpaceStatus } from '../../model/sources/spaces.ts'
import type { Context } from '../context.ts'
import { inFull, requireSpace } from './find.ts'

export function listSpaces(
  ctx: Context,
  { member, closed = false }: { readonly member?: string; readonly closed?: boolean } = {},
): Promise<readonly SpaceStatus[]> {
  return ctx.store.read.spaces.list({
    closed,
    ...(member !== undefined && { member: parseAgentId(member) }),
    ...(isConfined(ctx.caller) && { visibleTo: ctx.caller.id }),
  })
}

export async function showSpace(ctx: Context, { id }: SpaceRef): Promise<SpaceInFull> {
  const { read } = ctx.store
  return inFull(read, await requireSpace(ctx, read, id))
}
