import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Space } from '../../model/sources/space.ts'
import type { SpaceRef } from '../../model/sources/spaces.ts'
import type { Context } from '../context.ts'
import { requireSpace } from './find.ts'

/** Ends a conversation; it can still be read. One that is closed stays as it is. */
export async function closeSpace(ctx: Context, { id }: SpaceRef): Promise<Space> {
  const { caller } = ctx
  return ctx.store.transact(
    async (tx) => {
      const space = await requireSpace(ctx, tx, id)
      if (isProgram(caller) && caller.id !== space.createdBy) {
        throw new PosternError('NOT_ALLOWED', {
          message: `${caller.id} cannot close the space ${id}, which ${space.createdBy} made.`,
          next: `Let ${space.createdBy} do it, or a person; "postern space leave ${id}" is always possible.`,
        })
      }
      if (space.closedAt !== null) return space
      const closedAt = ctx.store.now()
      await tx.spaces.close({ id, at: closedAt })
      return { ...space, closedAt }
    },
    { answers: ['spaces.close'] },
  )
}
