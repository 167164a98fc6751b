import type { Context } from '../context.ts'
import { takeCreation } from '../creation-budget.ts'

/** What a post adds to the folders of the buses, besides an entry. */
export interface NewFiles {
  readonly isNewBus: boolean
  readonly isAttaching: boolean
}

/** A program makes buses and stores attachments only so fast. */
export async function takeNewFiles(ctx: Context, { isNewBus, isAttaching }: NewFiles): Promise<void> {
  await ctx.store.transact(async (tx) => {
    if (isNewBus) await takeCreation(ctx, tx, '@buses')
    if (isAttaching) await takeCreation(ctx, tx, '@attachments')
  })
}
