import type { SetPlan } from '../sources/plans.ts'
import type { HandoffItem, ItemPriority, ItemRef, ItemType, RefusedFile } from './item.ts'

/** What one session deliberately leaves for the next. The files are the truth; the store only knows who is being shown what. */
export interface Handoff {
  /** Makes the folders of a project, as far as they are missing, and records that its items may be shown. Not for programs. */
  init(input: HandoffPlace): Promise<HandoffFolders>
  /** Leaves an item: its file appears whole or not at all, and replaces none. */
  leave(input: LeaveItem): Promise<LeftItem>
  /** Offers what waits, urgent first, then the oldest. Nobody else is offered the same while the offer lasts. */
  inherit(input: InheritItems): Promise<Inheritance>
  /** Notes that the text was written out whole. */
  printed(input: InheritanceRef): Promise<void>
  /** It was taken in: the files move to `processed/`. Refused for one that was never printed. */
  confirm(input: InheritanceRef & { readonly printed?: boolean }): Promise<Inherited>
  /** Gives it back: the next one is shown the same. */
  release(input: InheritanceRef & { readonly reason: string }): Promise<void>
  list(input: HandoffPlace & { readonly processed?: boolean }): Promise<HandoffListing>
  show(input: HandoffPlace & { readonly name: string }): Promise<HandoffItem>
  /** Writes for consumers outside; sessions never read it. */
  writeOut(input: WriteOut): Promise<OutboxFile>
  listOut(input: HandoffPlace): Promise<readonly OutboxFile[]>
  /** Removes what was processed longer ago than that. */
  clean(input: HandoffPlace & { readonly olderThanMs: number }): Promise<{ readonly removed: readonly string[] }>
}

export interface HandoffPlace {
  /** Any folder of the project, by its whole path. */
  readonly project: string
  /** At the root of the main repository instead of that of the worktree; absent: as the configuration says. */
  readonly shared?: boolean
}

export interface HandoffFolders {
  readonly root: string
  readonly inbox: string
  readonly outbox: string
  /** What was missing, as paths below the root. */
  readonly made: readonly string[]
}

export interface LeaveItem extends HandoffPlace {
  readonly type: ItemType
  readonly priority?: ItemPriority
  readonly text: string
  /** The session that leaves it; absent: the date and the branch. */
  readonly session?: string
  /** Only for this agent, which is told by a message too. */
  readonly to?: string
  /** Into the inbox that repositories share; a name: only for that repository. */
  readonly toRepo?: string | true
  /** A thread may come back by itself: a plan reminds the agent of it. */
  readonly plan?: Pick<SetPlan, 'runAfter' | 'scheduledAt' | 'cron' | 'zone'>
  /** A thread may hold the agent: it may not stop for good before somebody has inherited it. */
  readonly gate?: boolean
}

export interface LeftItem extends ItemRef {
  readonly path: string
  readonly from_session: string
  /** What showing it will cost. */
  readonly tokens: number
  /** The message to the agent it is for. */
  readonly message: string | null
  readonly gate: string | null
  readonly plan: string | null
}

export interface InheritItems extends HandoffPlace {
  /** For whom; items for other agents are left alone. */
  readonly agent?: string
  /** The session that inherits: it is not shown what it left itself. */
  readonly session?: string
  readonly maxTokens?: number
}

export interface InheritanceRef {
  readonly id: string
}

export interface Inheritance {
  /** Null where there was nothing to offer: then nothing is to be confirmed. */
  readonly id: string | null
  /** Where the folders are. */
  readonly root: string
  /** False where no person has set up handoff on this machine: then nothing is offered. */
  readonly isInitialised: boolean
  /** How many items wait where nobody has set up handoff. */
  readonly heldBack: number
  readonly items: readonly HandoffItem[]
  /** What waits for the next one because it does not fit. */
  readonly waiting: readonly Headline[]
  readonly refused: readonly RefusedFile[]
  /** What all of it costs when it is shown. */
  readonly tokens: number
}

export interface Headline extends ItemRef {
  readonly type: ItemType | null
  readonly from_session: string | null
  readonly headline: string
  readonly tokens: number
}

export interface Inherited {
  readonly id: string
  /** Where the files are now, as paths below the root. */
  readonly moved: readonly string[]
}

export interface HandoffListing {
  readonly root: string
  readonly isInitialised: boolean
  /** In the order in which they are inherited. */
  readonly items: readonly ListedItem[]
  readonly refused: readonly RefusedFile[]
  /** What inheriting cost here so far, on average. */
  readonly averageTokens: number | null
  readonly inheritances: number
}

export interface ListedItem extends HandoffItem {
  readonly tokens: number
  /** Somebody is being shown it. */
  readonly isOffered: boolean
}

export interface WriteOut extends HandoffPlace {
  /** `governance-report`, or another kind: lower-case letters, digits and `-`. */
  readonly kind: string
  readonly text: string
  /** What a report is about; it becomes its title. */
  readonly topic?: string
  readonly session?: string
}

export interface OutboxFile {
  readonly name: string
  readonly path: string
  readonly bytes: number
  /** When it was written. */
  readonly at: number
}
