import type { TraceContext } from '../network/trace-context.ts'
import type { Priority } from '../priority.ts'
import type { Space, SpaceMember, SpacePost } from './space.ts'
import type { SpaceJoining, SpaceReading } from './space-rules.ts'

export interface Spaces {
  /**
   * Makes a space. The same again is not an error, adds agents that are not members yet, and sets `joining` and `history`
   * where they are given. Another space under its id is an error.
   */
  create(input: CreateSpace): Promise<SpaceInFull>
  /** By id. Of one member, or all. A program with a token sees public spaces and those of which it is a member. */
  list(input?: { readonly member?: string; readonly closed?: boolean }): Promise<readonly SpaceStatus[]>
  show(input: SpaceRef): Promise<SpaceInFull>
  /** Adds a member; a member stays one. Absent: the caller. A program joins public spaces and its own; people add anybody. */
  join(input: SpaceMembership): Promise<SpaceInFull>
  /** Takes a member out; who is none stays none. Absent: the caller. */
  leave(input: SpaceMembership): Promise<SpaceInFull>
  /** Nothing can be posted any more. A program may close only what it made. */
  close(input: SpaceRef): Promise<Space>
  /** Says something to every member but the author, or to nobody where one inbox is full. Only members speak. */
  post(input: PostInSpace): Promise<Posted>
  /** What was said, oldest first. A program with a token reads only as a member, and from its joining on unless `history` is `all`. */
  history(input: SpaceHistory): Promise<PostPage>
  /** Turns to a space: it is the agent's active one from now on. Tells what was said there last. */
  enter(input: EnterSpace): Promise<EnteredSpace>
}

export interface SpaceRef {
  readonly id: string
}

export interface CreateSpace extends SpaceRef {
  /** What it is called; by default its id. */
  readonly name?: string
  /** Whoever makes it, if it is an agent, is one too. */
  readonly members?: readonly string[]
  /** `invited` by default. */
  readonly joining?: SpaceJoining
  /** `joined` by default. */
  readonly history?: SpaceReading
}

export interface SpaceMembership extends SpaceRef {
  readonly agent?: string
}

export interface SpaceInFull extends Space {
  readonly members: readonly SpaceMember[]
}

export interface SpaceStatus extends Space {
  readonly members: number
  readonly posts: number
  readonly lastPostAt: number | null
}

export interface PostInSpace {
  /** Absent: the caller's active space. */
  readonly id?: string
  readonly content: string
  readonly priority?: Priority
  /** A post of the same space, by its message. */
  readonly replyTo?: string
  /** The same key again is the same post. */
  readonly dedupKey?: string
  /** The distributed trace that the message of it belongs to. */
  readonly trace?: TraceContext
}

export interface Posted {
  readonly post: SpacePost
  readonly spaceId: string
  readonly duplicate: boolean
  /** Whom it goes to. */
  readonly recipients: readonly { readonly agent: string; readonly state: string }[]
}

export interface SpaceHistory extends SpaceRef {
  readonly limit?: number
  /** Only what was said before this number; absent: the latest. */
  readonly before?: number
  /** Only what was said after this number: alone, what came next; go on with the last number of the page. */
  readonly after?: number
}

export interface PostPage {
  /** Oldest first. */
  readonly items: readonly SpacePost[]
  /** Pass it as `before` to go further back; null at the beginning. */
  readonly earlier: number | null
}

export interface EnterSpace extends SpaceRef {
  /** Absent: the caller. */
  readonly agent?: string
  readonly limit?: number
}

export interface EnteredSpace {
  readonly space: SpaceInFull
  readonly history: readonly SpacePost[]
}
