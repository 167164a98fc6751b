import type { InboxMessage } from '../delivery.ts'
import type { Json } from '../json.ts'
import type { Sender } from '../message.ts'
import { spaceOf } from './space.ts'

/**
 * A message in the form of seed 001. What wakes an agent from outside has the seed's own fields; everything else is a
 * `message`, whose own type stands in its data.
 */
export type InboxEvent = SpaceMessageEvent | PlanEvent | ServiceEvent | PlainMessageEvent

interface Stamped {
  /** The same event again has the same id: the message's, or the firing's of a plan. */
  readonly eventId: string
  /** ISO 8601. */
  readonly timestamp: string
}

/** As the seed says it: an AI is an `agent`. */
const SENDER_TYPES = ['human', 'agent', 'service', 'local', 'system'] as const
export type SenderType = (typeof SENDER_TYPES)[number]

export interface SpaceMessageEvent extends Stamped {
  readonly type: 'space_message'
  readonly data: {
    readonly spaceId: string
    readonly spaceName: string
    readonly messageId: string
    readonly senderEntityId: string
    readonly senderName: string
    readonly senderType: SenderType
    readonly content: string
  }
}

export interface PlanEvent extends Stamped {
  readonly type: 'plan'
  readonly data: { readonly planId: string; readonly planName: string; readonly instruction: string }
}

export interface ServiceEvent extends Stamped {
  readonly type: 'service'
  readonly data: { readonly serviceName: string; readonly payload: Json }
}

export interface PlainMessageEvent extends Stamped {
  readonly type: 'message'
  readonly data: {
    readonly messageId: string
    /** The type of the message: `mail`, `alert`, `task.blocked`, … */
    readonly type: string
    readonly senderEntityId: string
    readonly senderType: SenderType
    /** False where no credential has said who it was. */
    readonly senderVerified: boolean
    readonly subject: string | null
    readonly content: string
    readonly payload: Json | null
    readonly ref: string | null
    readonly replyTo: string | null
  }
}

/** How the message of a plan comes. No caller has this door, so no other message passes for that of a plan. */
export const VIA_PLAN = 'plan'

/** Who sent it comes from the sender's credential alone; a payload gives nothing but names. */
export function toInboxEvent(message: InboxMessage): InboxEvent {
  const { id, type, from } = message
  const timestamp = isoTime(message.createdAt)
  if (type === 'space_message') return { eventId: id, type, timestamp, data: spaceData(message) }
  // These two formats name no sender, so they are kept for those who may speak that way. Stores hold messages of plans
  // that name the system.
  if (type === 'plan' && (from.via === VIA_PLAN || from.kind === 'system' || from.id === message.agent))
    return { eventId: message.dedupKey ?? id, type, timestamp, data: planData(message) }
  if (type === 'service' && from.kind === 'service') return { eventId: id, type, timestamp, data: serviceData(message) }
  return { eventId: id, type: 'message', timestamp, data: messageData(message) }
}

function spaceData(message: InboxMessage): SpaceMessageEvent['data'] {
  const { id, from, to, content } = message
  const spaceId = textOf(message, 'spaceId') ?? spaceOf(message.ref ?? '') ?? spaceOf(to[0] ?? '')
  const spaceName = textOf(message, 'spaceName') ?? spaceId ?? 'space'
  return {
    spaceId: spaceId ?? spaceName,
    spaceName,
    messageId: id,
    senderEntityId: from.id,
    senderName: textOf(message, 'senderName') ?? from.id,
    senderType: senderType(from),
    content,
  }
}

function planData(message: InboxMessage): PlanEvent['data'] {
  return {
    planId: textOf(message, 'planId') ?? message.id,
    planName: textOf(message, 'planName') ?? message.subject ?? 'plan',
    instruction: textOf(message, 'instruction') ?? message.content,
  }
}

function serviceData(message: InboxMessage): ServiceEvent['data'] {
  return {
    serviceName: textOf(message, 'serviceName') ?? message.from.id,
    payload: fieldOf(message, 'payload') ?? message.payload ?? message.content,
  }
}

function messageData(message: InboxMessage): PlainMessageEvent['data'] {
  const { id, type, from, subject, content, payload, ref, replyTo } = message
  return {
    messageId: id,
    type,
    senderEntityId: from.id,
    senderType: senderType(from),
    senderVerified: from.verified,
    subject,
    content,
    payload,
    ref,
    replyTo,
  }
}

/** Every kind of sender but an AI keeps its name. */
function senderType({ kind }: Sender): SenderType {
  return SENDER_TYPES.find((type) => type === (kind === 'ai' ? 'agent' : kind)) ?? 'local'
}

const LATEST_DATE_MS = 8.64e15

function isoTime(at: number): string {
  return new Date(Math.min(Math.max(at, 0), LATEST_DATE_MS)).toISOString()
}

function textOf(message: InboxMessage, key: string): string | undefined {
  const value = fieldOf(message, key)
  return typeof value === 'string' ? value : undefined
}

function fieldOf({ payload }: InboxMessage, key: string): Json | undefined {
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload) || !Object.hasOwn(payload, key))
    return undefined
  return (payload as { readonly [key: string]: Json })[key]
}
