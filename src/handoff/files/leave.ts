import { dirname, join } from 'node:path'
import type { ItemRef } from '../../model/handoff/item.ts'
import { formatItem, invalid } from '../codec/format-item.ts'
import type { HandoffRoot, ItemDraft } from '../handoff-shelf.ts'
import { type Box, outgoingBox, ownBox } from './boxes.ts'
import { makeOwnFolder } from './folders.ts'
import { makeArchive } from './made-folders.ts'
import { partialName, publish } from './publish.ts'
import { removeOldPartials } from './unfinished.ts'

export interface Leaving {
  readonly at: number
  readonly unique: string
}

/** Only whoever left it, and whoever inherits it, are meant to read it. */
const MODE = 0o600

/** Publishes an item under a name that sorts by time and is nobody else's. */
export function leaveItem(root: HandoffRoot, draft: ItemDraft, { at, unique }: Leaving): ItemRef & { path: string } {
  if (draft.body.trim() === '') throw invalid('it has no text')
  const bytes = formatItem(draft)
  const box = makeBox(root, draft.isShared)
  const name = `${Math.floor(at / 1_000)}-${unique}-${draft.type}.md`
  // The sender of a shared item may never list the box that it is left in.
  removeOldPartials(box.folder)
  publish({ folder: box.folder, names: [name], partial: partialName(name), bytes, mode: MODE })
  return { box: box.name, name, path: join(box.folder, name) }
}

function makeBox(root: HandoffRoot, isShared: boolean): Box {
  const box = isShared ? outgoingBox(root) : ownBox(root)
  if (box === undefined) throw invalid('the inbox that repositories share is switched off')
  if (isShared) makeOwnFolder(dirname(box.folder))
  makeOwnFolder(box.folder)
  // By this folder the hooks of the next session know that there may be something for it.
  if (!isShared) makeArchive(box, 'processed')
  return box
}
