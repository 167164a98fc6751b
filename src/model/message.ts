import type { Trust } from './caller.ts'
import { PosternError } from './errors.ts'
import type { Json } from './json.ts'
import type { TraceContext } from './network/trace-context.ts'
import type { Priority } from './priority.ts'

/** Who said it. It is taken from the caller when the message is stored and never changes afterwards. */
export interface Sender extends Trust {
  readonly id: string
}

/** A file that belongs to a message but stays where it is. The checksum tells whether it is still the same. */
export interface Attachment {
  readonly name: string
  readonly path?: string
  readonly url?: string
  readonly sha256: string
  readonly bytes: number
}

/** Words of another author that a message passes on, kept apart from those of its sender. */
export interface Quote {
  /** What they are, in Postern's own words, such as `reason`. */
  readonly what: string
  readonly from: Sender
  readonly text: string
}

/** The immutable thing said. Whether it arrived is known only by its deliveries. */
export interface Message {
  readonly id: string
  readonly type: string
  readonly from: Sender
  /** Agents by id, in id order; or only `all`. */
  readonly to: readonly string[]
  readonly subject: string | null
  readonly content: string
  /** In notices of Postern, the words of others. */
  readonly quotes?: readonly Quote[]
  /** True if the stored row does not match its checksum. Then only the id is the message's own. */
  readonly damaged?: true
  /** False if Postern cannot prove with the key of this home that the message is as it was pushed. */
  readonly authenticated?: false
  readonly payload: Json | null
  readonly context: Json | null
  readonly priority: Priority
  /** The work item it is about, such as `task:PROJ-12`. */
  readonly ref: string | null
  readonly replyTo: string | null
  /** The id of the message that began the thread; its own id where it began one. */
  readonly threadId: string
  /** How many automatic replies led to this one. */
  readonly hops: number
  readonly dedupKey: string | null
  readonly attachments: readonly Attachment[]
  /** The distributed trace in which it was sent, if its sender named one. */
  readonly trace: TraceContext | null
  readonly createdAt: number
  readonly expiresAt: number | null
}

const TYPE = /^[a-z][a-z0-9_-]{0,39}(?:\.[a-z0-9_-]{1,40}){0,4}$/

/** The set of types is open; only their form is fixed, because types stand in provenance lines. */
export function parseMessageType(value: unknown): string {
  if (isMessageType(value)) return value
  throw new PosternError('TYPE_INVALID', { value })
}

export function isMessageType(value: unknown): value is string {
  return typeof value === 'string' && TYPE.test(value)
}

/** The address of every agent and person but the sender. */
export const EVERYBODY = 'all'
