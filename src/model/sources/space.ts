import { PosternError } from '../errors.ts'
import type { Sender } from '../message.ts'
import type { Priority } from '../priority.ts'
import type { SpaceJoining, SpaceReading } from './space-rules.ts'

/** A conversation. What is posted in it reaches every member but its author. */
export interface Space {
  /** A slug that never changes. */
  readonly id: string
  readonly name: string
  /** Who becomes a member: those whom its maker or a person adds, or every agent that wants to. */
  readonly joining: SpaceJoining
  /** What a new member may read: posts from its joining on, or all. */
  readonly history: SpaceReading
  readonly createdBy: string
  readonly createdAt: number
  /** A closed space can be read and left, and nothing more. */
  readonly closedAt: number | null
}

export interface SpaceMember {
  readonly agent: string
  readonly joinedAt: number
}

/** One thing said in a space. Its words stay in the conversation when the message that carried them is long gone. */
export interface SpacePost {
  /** The number within its space, without gaps. */
  readonly seq: number
  /** The message that carried it to the members; where there was nobody else, there is none under this id. */
  readonly messageId: string
  readonly from: Sender
  /** What the author was called when it was said. */
  readonly senderName: string
  readonly content: string
  /** The stored post does not match its checksum: only its number and its message are its own. */
  readonly damaged?: true
  readonly priority: Priority
  /** The post that it answers, by its message. */
  readonly replyTo: string | null
  readonly createdAt: number
}

/** The type of the messages that carry posts. */
export const SPACE_MESSAGE = 'space_message'

const SPACE_ID = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/

/** An ASCII slug, as an agent's id is: it stands in addresses and provenance lines. */
export function parseSpaceId(value: string): string {
  if (SPACE_ID.test(value)) return value
  throw new PosternError('SPACE_ID_INVALID', { id: value })
}

const PREFIX = 'space:'

/** The address of everybody in a space. */
export function spaceAddress(id: string): string {
  return `${PREFIX}${id}`
}

/** The space that an address names; undefined where it names something else. */
export function spaceOf(address: string): string | undefined {
  return address.startsWith(PREFIX) ? address.slice(PREFIX.length) : undefined
}
