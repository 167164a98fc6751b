import type { Space, SpaceMember, SpacePost } from '../../model/sources/space.ts'
import type { SpaceStatus } from '../../model/sources/spaces.ts'

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
