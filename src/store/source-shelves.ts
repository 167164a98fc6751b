import type { PosternEvent } from '../model/network/event.ts'
import type { Token } from '../model/network/token.ts'
import type { Plan } from '../model/sources/plan.ts'
import type { Service } from '../model/sources/service.ts'
import type { Space, SpaceMember, SpacePost } from '../model/sources/space.ts'
import type { SpaceStatus } from '../model/sources/spaces.ts'

export interface SpaceShelf {
  /** Inserts it unless the id is taken; false where it was. */
  insert(space: Space): Promise<boolean>
  /** Within a transaction it is locked until that ends, so that posts of one space have one order. */
  get(id: string): Promise<Space | undefined>
  /** By id; of one member or all. */
  list(params: { readonly member?: string; readonly closed: boolean }): Promise<readonly SpaceStatus[]>
  close(params: { readonly id: string; readonly at: number }): Promise<void>
  /** By agent, without those who were removed. */
  members(id: string): Promise<readonly SpaceMember[]>
  isMember(params: { readonly id: string; readonly agent: string }): Promise<boolean>
  /** Who is one already stays one. */
  join(params: { readonly id: string; readonly agent: string; readonly at: number }): Promise<void>
  leave(params: { readonly id: string; readonly agent: string }): Promise<void>
  /** Takes an agent out of every space, as when it is removed. The spaces are locked in the order of their ids. */
  leaveAll(params: { readonly agent: string }): Promise<void>
  /** Adds a post with the next number of its space, and returns it. */
  post(params: NewPost): Promise<SpacePost>
  /** The post of this author under a dedup key. */
  withKey(params: {
    readonly id: string
    readonly from: string
    readonly dedupKey: string
  }): Promise<SpacePost | undefined>
  /** The post that a message carried. */
  ofMessage(params: { readonly id: string; readonly messageId: string }): Promise<SpacePost | undefined>
  /** Posts between two numbers, both exclusive: the last `limit` of them, oldest first. */
  history(params: PostRange): Promise<readonly SpacePost[]>
  /** The first `limit` posts after a number, oldest first. */
  following(params: {
    readonly id: string
    readonly after: number
    readonly limit: number
  }): Promise<readonly SpacePost[]>
  /** The agent's active space; null takes it back. */
  setActive(params: { readonly agent: string; readonly id: string | null }): Promise<void>
  active(params: { readonly agent: string }): Promise<string | undefined>
}

export interface NewPost extends Omit<SpacePost, 'seq'> {
  readonly id: string
  readonly dedupKey: string | null
}

export interface PostRange {
  readonly id: string
  readonly after?: number
  readonly before?: number
  readonly limit: number
}

export interface PlanShelf {
  insert(plan: Plan): Promise<void>
  /** Within a transaction it is locked until that ends. */
  get(id: string): Promise<Plan | undefined>
  /** Within a transaction it is locked until that ends. */
  ofName(params: { readonly agent: string; readonly name: string }): Promise<Plan | undefined>
  /**
   * Locks plans until the transaction ends, in one order whoever asks: two who change several would wait for each other
   * otherwise. It takes those of these ids, and of these agents those of these names.
   */
  lock(params: {
    readonly ids: readonly string[]
    readonly agents: readonly string[]
    readonly names: readonly string[]
  }): Promise<void>
  /** Soonest first, those without an instant last; `all`: also those that have none and are not paused. */
  list(params: { readonly agent?: string; readonly all: boolean; readonly limit: number }): Promise<readonly Plan[]>
  /** How many of the agent's have an instant to come. Within a transaction nobody else adds one until that ends. */
  count(params: { readonly agent: string }): Promise<number>
  /** Writes every field of a plan that is there; `about`: also what it reminds of, which is otherwise left as it is. */
  update(plan: Plan & { readonly about?: string }): Promise<void>
  /** Deletes these; or those that remind of these things and have an instant to come. */
  delete(params: { readonly ids: readonly string[] } | { readonly about: readonly string[] }): Promise<void>
  /** Deletes all of one agent, as when it is removed. */
  deleteOf(params: { readonly agent: string }): Promise<void>
  /** Plans whose instant has come and whose gate, if they have one, is not open; soonest first. A look: nothing is locked. */
  due(params: DuePlans): Promise<readonly Plan[]>
  /**
   * The plan, if it is still due; locked until the transaction ends. Undefined where it is not, or another server has it:
   * it is left to that one.
   */
  claim(params: { readonly id: string; readonly now: number }): Promise<Plan | undefined>
  /** When the agent's next plan fires that no gate keeps; undefined where none will. */
  nextAt(params: { readonly agent: string }): Promise<number | undefined>
  /** Removes plans that have no instant to come since before a time; at most `limit`. */
  reap(params: { readonly finishedBefore: number; readonly limit: number }): Promise<number>
}

export interface DuePlans {
  readonly now: number
  readonly limit: number
  /** Only of this agent. */
  readonly agent?: string
  /** Not of these agents. */
  readonly without?: readonly string[]
}

/** A service and what its keys are known by. Secrets are sealed: the store alone cannot open them. */
export interface ServiceRecord {
  readonly service: Service
  readonly keyHash: string
  readonly earlierKeyHash: string | null
  readonly signingSecret: string
  readonly earlierSigningSecret: string | null
}

export interface ServiceShelf {
  /** Inserts it unless the agent has one of that name; false where it has. */
  insert(record: ServiceRecord): Promise<boolean>
  /** Within a transaction it is locked until that ends. */
  get(id: string): Promise<ServiceRecord | undefined>
  /** The services of an agent that are not revoked. */
  ofAgent(params: { readonly agent: string }): Promise<readonly ServiceRecord[]>
  /** Newest first. */
  list(params: { readonly agent?: string; readonly revoked: boolean }): Promise<readonly ServiceRecord[]>
  update(record: ServiceRecord): Promise<void>
  /** Counts an event of it. */
  heard(params: { readonly id: string; readonly at: number }): Promise<void>
  /** Whether any service that is not revoked has this name. */
  isNamed(name: string): Promise<boolean>
}

export interface TokenShelf {
  insert(params: { readonly token: Token; readonly hash: string }): Promise<void>
  get(id: string): Promise<Token | undefined>
  /** Also those that are revoked or expired. */
  withHash(hash: string): Promise<Token | undefined>
  /** Newest first. */
  list(params: { readonly revoked: boolean }): Promise<readonly Token[]>
  /** Also revokes those that were got with it. Which were good until now: none where it is revoked already. */
  revoke(params: { readonly id: string; readonly at: number }): Promise<readonly string[]>
  /** Removes those of a scope that were got with others and are over, or are not among the newest. */
  prune(params: { readonly scope: string; readonly now: number; readonly most: number }): Promise<void>
}

/** Answers that were given to requests with an `Idempotency-Key`. */
export interface ReplyShelf {
  /**
   * Takes a key for a request. Undefined: it is the caller's to answer. Otherwise what was answered, or that it is being
   * answered. One that was begun before `abandonedBefore` and never answered is taken over.
   */
  claim(params: ClaimReply): Promise<ClaimedReply | undefined>
  /** Keeps the answer. */
  keep(params: ReplyKey & { readonly status: number; readonly body: string }): Promise<void>
  /** Gives a key back: the request came to nothing. */
  drop(params: ReplyKey): Promise<void>
  reap(params: { readonly begunBefore: number; readonly limit: number }): Promise<number>
}

export interface ReplyKey {
  readonly caller: string
  readonly key: string
}

export interface ClaimReply extends ReplyKey {
  readonly fingerprint: string
  readonly at: number
  readonly abandonedBefore: number
}

export interface ClaimedReply {
  readonly fingerprint: string
  /** Null while it is being answered. */
  readonly status: number | null
  readonly body: string | null
}

/**
 * What has happened, in the order of commits. The engine writes it by itself, with the change that it tells of: there is
 * no way to change something that is not told, and none to tell of what did not happen.
 */
export interface EventShelf {
  /** Oldest first. Throws CURSOR_UNKNOWN for what is no cursor of this store. On PostgreSQL what an open transaction may still come before is not shown yet. */
  after(params: { readonly cursor: string; readonly limit: number }): Promise<EventSlice>
  /** The cursor of the present, or of so many events before it; of the oldest that is kept where there are fewer. */
  last(params?: { readonly back: number }): Promise<string>
  /** Removes events older than a time, and those beyond about `keep`; never the last one. At most `limit`. */
  reap(params: { readonly before: number; readonly keep: number; readonly limit: number }): Promise<number>
}

export interface EventSlice {
  readonly items: readonly PosternEvent[]
  /** True where events after the cursor have been removed. */
  readonly hasGap: boolean
  /** True where there are more that cannot be shown yet, for as long as an older transaction is open. */
  readonly isHeldBack: boolean
}
