import type { HandoffRoot, HandoffShelf, Looked } from '../../handoff/handoff-shelf.ts'

export interface Waiting extends Looked {
  readonly isInitialised: boolean
}

/**
 * What waits for a project. Where nobody has set up a handoff, a folder may merely be called `inbox`: there only what
 * says that it is an item counts as one.
 */
export async function lookForItems(shelf: HandoffShelf, root: HandoffRoot): Promise<Waiting> {
  const isInitialised = await shelf.isInitialised(root)
  const { items, refused } = await shelf.look(root)
  return { isInitialised, items: items.filter(({ type }) => isInitialised || type !== null), refused }
}
