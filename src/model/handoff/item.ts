import { PosternError } from '../errors.ts'

/** What an item is about, in the words of seed 004. */
export const ITEM_TYPES = ['learning', 'caution', 'context', 'thread'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

/** The files' own scale; as priorities of messages they are 1, 2 and 3. */
export const ITEM_PRIORITIES = ['high', 'medium', 'low'] as const
export type ItemPriority = (typeof ITEM_PRIORITIES)[number]

export const HANDOFF_LIMITS = {
  /** A file that is larger is refused. */
  itemBytes: 64 * 1024,
  /** Of more files in a box nobody takes notice. */
  files: 1_000,
  /** What one inheritance may cost unless somebody says otherwise. */
  maxTokens: 500,
  mostTokens: 1_000_000,
  /** Of more items that wait, or files that are refused, only the number is told. */
  headlines: 10,
} as const

/** Why a file is refused that git tracks. */
export const TRACKED_BY_GIT = 'git tracks it'

/** The name of the project's own box. Others are those of the shared inbox: `from-<repo>`. */
export const OWN_BOX = 'inbox'

/** Where an item lies. Names are unique within a box. */
export interface ItemRef {
  readonly box: string
  /** The name of its file. */
  readonly name: string
}

/** What one session leaves for the next, as its file says it: names of fields are the seed's. */
export interface HandoffItem extends ItemRef {
  /** Null where the file has no front matter that could be read: then `body` is all of it, and it is shown raw. */
  readonly type: ItemType | null
  readonly priority: ItemPriority
  readonly from_session: string | null
  readonly created: string | null
  /** The only agent it is for. */
  readonly to: string | null
  /** The only repository it is for, of those that share an inbox. */
  readonly to_repo: string | null
  /** The gate that is held until it is inherited, and the plan that reminds of it. */
  readonly gate: string | null
  readonly plan: string | null
  /** Fields of other writers. */
  readonly extra: Readonly<Record<string, string>>
  readonly body: string
  /** Of the file as it was read: only that is taken out of the box, and not what somebody has written there since. */
  readonly digest?: string | undefined
}

/** A file of a box that is not read: a link, a pipe, somebody else's, too large. It stays where it is. */
export interface RefusedFile extends ItemRef {
  readonly reason: string
}

export function parseItemType(value: unknown): ItemType {
  return oneOf('HANDOFF_TYPE_INVALID', ITEM_TYPES, value)
}

export function parseItemPriority(value: unknown): ItemPriority {
  return oneOf('HANDOFF_PRIORITY_INVALID', ITEM_PRIORITIES, value)
}

function oneOf<T extends string>(
  code: 'HANDOFF_TYPE_INVALID' | 'HANDOFF_PRIORITY_INVALID',
  known: readonly T[],
  value: unknown,
): T {
  const found = known.find((each) => each === value)
  if (found === undefined) throw new PosternError(code, { value })
  return found
}
