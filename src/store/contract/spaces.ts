import type { Space, SpaceMember, SpacePost } from '../../model/sources/space.ts'
import type { SpaceStatus } from '../../model/sources/spaces.ts'

/**
 * Spaces, their members and posts. The posts of a space are numbered without gaps in the order of commits, because a
 * transaction that posts has the space locked.
 */
export interface SpaceShelf {
  /** False if the id is taken; then nothing is written. */
  insert(space: Space): Promise<boolean>
  /** Within a transaction the space is locked until that ends, so that its posts have one order. */
  get(id: string): Promise<Space | undefined>
  /** Sets who may join and what new members may read. */
  setRules(params: Pick<Space, 'id' | 'joining' | 'history'>): Promise<void>
  /** By id; the spaces of one member or all. With `visibleTo`, only open ones and those that this agent made or is a member of. */
  list(params: {
    readonly member?: string
    readonly closed: boolean
    readonly visibleTo?: string
  }): Promise<readonly SpaceStatus[]>
  /** Repeatable: the first time counts. */
  close(params: { readonly id: string; readonly at: number }): Promise<void>
  /** By agent, without removed agents. */
  members(id: string): Promise<readonly SpaceMember[]>
  isMember(params: { readonly id: string; readonly agent: string }): Promise<boolean>
  /** The number of the last post before the agent joined; undefined if it is not a member. */
  joinedAfter(params: { readonly id: string; readonly agent: string }): Promise<number | undefined>
  /** Repeatable: a member stays one, and reads from its first joining on. */
  join(params: { readonly id: string; readonly agent: string; readonly at: number }): Promise<void>
  /** Repeatable. The space is no longer the agent's active one. */
  leave(params: { readonly id: string; readonly agent: string }): Promise<void>
  /** Takes an agent out of every space, as its removal does. The spaces are locked in the order of their ids. */
  leaveAll(params: { readonly agent: string }): Promise<void>
  /** Adds a post under the next number of its space, and returns it. Not repeatable: see `withKey`. */
  post(params: NewPost): Promise<SpacePost>
  /** The author's post under a dedup key. */
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
  /** Sets the agent's active space; null clears it. */
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
