import type { HandoffRoot, HandoffShelf, Looked } from '../../handoff/handoff-shelf.ts'
import type { Context } from '../context.ts'
import { isSetUp } from './place.ts'

export interface Waiting extends Looked {
  readonly isInitialised: boolean
}

/**
 * What waits for a project. Where nobody has set up a handoff, a folder may merely be called `inbox`: there only a file
 * with the front matter of an item counts as one.
 */
export async function lookForItems(ctx: Context, shelf: HandoffShelf, root: HandoffRoot): Promise<Waiting> {
  const isInitialised = await isSetUp(ctx, root)
  const { items, refused } = await shelf.look(root)
  return { isInitialised, items: items.filter(({ type }) => isInitialised || type !== null), refused }
}
