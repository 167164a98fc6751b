import { type Caller, isConfined } from '../caller.ts'
import { PosternError } from '../errors.ts'
import type { Json } from '../json.ts'

/**
 * Something that has happened, in the order of commits. Who follows the events of a store sees each once and misses
 * none; what was there before may be asked for by the cursor of the last one seen.
 */
export interface PosternEvent {
  /** Opaque, and greater as text for what came later in this store. */
  readonly cursor: string
  readonly at: number
  /** `message.created`, `delivery.seen`, `gate.resolved`, … */
  readonly type: string
  /** What it is about, by id. */
  readonly subject: string
  /** Whom it concerns; null where that is everybody. */
  readonly agents: readonly string[] | null
  /** What is known, at the moment of reading, of what it is about: headlines and ids, times in ISO 8601. */
  readonly data: Json
}

/** Everything that is told of, by what it is about. */
const WHAT_HAPPENS = {
  message: ['created'],
  delivery: ['seen', 'released', 'acted', 'held', 'expired', 'cancelled', 'dead', 'requeued'],
  gate: ['opened', 'resolved', 'waived', 'expired', 'breached', 'refused'],
  decision: ['created', 'responded', 'expired', 'cancelled', 'refused'],
  agent: ['added', 'renamed', 'removed', 'restored'],
  session: ['begun', 'idle', 'active', 'ended'],
  space: ['created', 'joined', 'posted', 'left', 'closed'],
  plan: ['set', 'fired', 'paused', 'resumed', 'deleted'],
  service: ['created', 'rotated', 'revoked'],
} as const satisfies Record<string, readonly string[]>

export const EVENT_TYPES: readonly string[] = Object.entries(WHAT_HAPPENS).flatMap(([noun, verbs]) =>
  verbs.map((verb) => `${noun}.${verb}`),
)

/** Which events somebody wants. */
export interface EventFilter {
  /** Only these types; `gate.*` stands for all that begin so. */
  readonly types?: readonly string[] | undefined
  /** Only what concerns this agent. */
  readonly agent?: string | undefined
}

/** A type that nobody ever hears of is a slip of the pen, and would be waited for in vain. */
export function parseEventTypes(types: readonly string[]): readonly string[] {
  for (const type of types) {
    if (EVENT_TYPES.some((known) => isOfType(known, type))) continue
    const ofNoun = EVENT_TYPES.filter((known) => known.startsWith(`${type.split('.')[0]}.`))
    const known = ofNoun.length > 0 ? ofNoun : Object.keys(WHAT_HAPPENS).map((noun) => `${noun}.*`)
    throw new PosternError('VALUE_INVALID', { field: 'type of event', value: type, next: `Use ${known.join(', ')}.` })
  }
  return types
}

/**
 * The part of an event that the caller may see; undefined if there is none. A program with a credential sees what
 * concerns it. People, and callers on this machine without a credential, see everything.
 */
export function visiblePart(caller: Caller, event: PosternEvent): PosternEvent | undefined {
  if (!isConfined(caller)) return event
  if (!concerns(event, caller.id)) return undefined
  return isOfForeignOffer(event, caller.id) ? ownPart(event, caller.id) : event
}

/** What is known of an offer: its messages, and the sender of each at the same index. */
interface OfferData {
  readonly agent: string
  readonly messages: readonly string[]
  readonly senders: readonly string[]
  readonly outcome: string
}

function isOfForeignOffer({ data }: PosternEvent, reader: string): boolean {
  return typeof data === 'object' && data !== null && 'offerId' in data && 'agent' in data && data.agent !== reader
}

/** An offer shows the mail of many senders. One of them is told of its own messages, and not of the session. */
function ownPart(event: PosternEvent, reader: string): PosternEvent {
  const { agent, messages, senders, outcome } = event.data as unknown as OfferData
  const own = messages.filter((_, index) => senders[index] === reader)
  const data = { agent, messages: own, senders: own.map(() => reader), offerId: event.subject, outcome }
  return { ...event, agents: [agent, reader], data }
}

export function isWanted(event: PosternEvent, { types, agent }: EventFilter): boolean {
  const isOfTypes = types === undefined || types.some((type) => isOfType(event.type, type))
  return isOfTypes && (agent === undefined || concerns(event, agent))
}

function concerns({ agents }: PosternEvent, agent: string): boolean {
  return agents === null || agents.includes(agent)
}

function isOfType(known: string, type: string): boolean {
  return type.endsWith('.*') ? known.startsWith(type.slice(0, -1)) : known === type
}
