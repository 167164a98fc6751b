import type { HandoffFolders, HandoffPlace, OutboxFile } from '../model/handoff/handoff.ts'
import type { HandoffItem, ItemRef, RefusedFile } from '../model/handoff/item.ts'

/**
 * The folders `inbox/` and `outbox/` of projects, as the heart sees them. Fails with HANDOFF_OUTSIDE where a folder
 * belongs to no project, and with HANDOFF_UNUSABLE where a folder of ours cannot be read or written, or is a link.
 */
export interface HandoffShelf {
  /** Finds the root of a project by git, without running it. */
  locate(place: HandoffPlace): Promise<HandoffRoot>
  isInitialised(root: HandoffRoot): Promise<boolean>
  init(root: HandoffRoot): Promise<HandoffFolders>
  /** Publishes an item under a name of its own: written whole, on the disk, replacing nothing. */
  leave(root: HandoffRoot, draft: ItemDraft): Promise<ItemRef & { readonly path: string }>
  /**
   * What waits in the inbox, and for this repository in the shared one, in the order in which it is inherited. Opens
   * nothing but plain files of one's own, and finishes what a dying writer or reader left half done.
   */
  look(root: HandoffRoot): Promise<Looked>
  /** What was inherited, newest first, with what is quarantined. */
  processed(root: HandoffRoot): Promise<Looked>
  /** Waiting or processed, also of what was left for other repositories; undefined where it is nowhere. */
  find(root: HandoffRoot, name: string): Promise<HandoffItem | undefined>
  /**
   * Takes a file out of its box, into `processed/` or, where it could not be understood, into `quarantine/`. Replaces
   * nothing there. Tells the new path, relative to the root; undefined where the file is gone, or is not the one that
   * was read any more: then that waits to be shown.
   */
  archive(root: HandoffRoot, item: ArchivedItem, into: 'processed' | 'quarantine'): Promise<string | undefined>
  /** Whether a file still lies in its box, whatever it is by now: whoever was faster may have archived it. */
  has(root: HandoffRoot, item: ItemRef): Promise<boolean>
  writeOut(root: HandoffRoot, file: { readonly kind: string; readonly text: string }): Promise<OutboxFile>
  listOut(root: HandoffRoot): Promise<readonly OutboxFile[]>
  /** Removes what was processed before a time; names, as paths below the root. */
  clean(root: HandoffRoot, options: { readonly before: number }): Promise<readonly string[]>
}

export interface HandoffRoot {
  /** With links resolved: the same for everybody who means it. */
  readonly root: string
  /** The name of the repository, as others see it: `from-<repo>`. */
  readonly repo: string
  /** Null where no branch is checked out. */
  readonly branch: string | null
  /** Where repositories leave items for each other; null where that is switched off. */
  readonly sharedInbox: string | null
}

/** An item as it is to be written. */
export interface ItemDraft
  extends Omit<HandoffItem, 'name' | 'box' | 'type' | 'from_session' | 'created' | 'extra' | 'digest'> {
  readonly type: NonNullable<HandoffItem['type']>
  readonly from_session: string
  readonly created: string
  /** Into the shared inbox instead of the project's own. */
  readonly isShared: boolean
}

/** An item that was shown, as it was when it was read. */
export type ArchivedItem = ItemRef & Pick<HandoffItem, 'digest'>

export interface Looked {
  readonly items: readonly HandoffItem[]
  readonly refused: readonly RefusedFile[]
}
