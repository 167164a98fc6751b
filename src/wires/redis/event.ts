import type { InboxMessage } from '../../model/delivery.ts'
import { isJson, type Json } from '../../model/json.ts'
import { parseMessageType } from '../../model/message.ts'
import { toInboxEvent } from '../../model/sources/inbox-event.ts'

/** What a foreign producer pushes, in our words. Who it was cannot be known. */
export interface ForeignEvent {
  readonly type: string
  readonly content: string
  readonly eventId?: string
  readonly subject?: string
  /** The name its producer gives itself. */
  readonly source?: string
  /** When it happened, by its producer's clock. */
  readonly writtenAt?: number
  /** The names that the seed's line shows, and whatever else it says. */
  readonly payload?: Json
}

export type ParsedEvent = { readonly event: ForeignEvent } | { readonly fault: string }

/**
 * Seed 001's JSON of a message. The event's id is the id of the message, by which readers recognise and trace it. The id
 * comes first, so that a search in a list need not parse the rest.
 */
export function formatInboxEvent(message: InboxMessage): string {
  const { eventId: _, ...event } = toInboxEvent(message)
  return JSON.stringify({ eventId: message.id, ...event })
}

type Fields = { readonly [key: string]: Json }

/**
 * Reads seed 001's entry. Only what cannot be shown is a fault: a text that is no JSON object, or one that says nothing. A
 * type that the seed does not know is kept, with all of its data.
 */
export function parseEvent(text: string): ParsedEvent {
  const fields = parseFields(text)
  if (typeof fields === 'string') return { fault: fields }
  const { data = null } = fields
  const said = isFields(data) ? data : {}
  const body = bodyOf(readType(fields['type']), said, fields)
  if (!body) return { fault: 'it says nothing' }
  return {
    event: {
      ...body,
      ...optional('eventId', readId(fields['eventId'])),
      ...optional('writtenAt', readTime(fields['timestamp'])),
    },
  }
}

type Body = Omit<ForeignEvent, 'eventId' | 'writtenAt'>

function bodyOf(type: string, said: Fields, fields: Fields): Body | undefined {
  if (type === 'plan') return planBody(said)
  if (type === 'service') return serviceBody(said)
  // The form in which we write what the seed has no type for.
  const own = type === 'message' ? readType(said['type']) : type
  const { content: _, ...rest } = said
  const content = textOf(said, 'content') ?? textOf(fields, 'content') ?? textOf(fields, 'data') ?? wholeOf(said)
  return content === undefined
    ? undefined
    : {
        type: own,
        content,
        ...optional('subject', textOf(said, 'subject')),
        ...optional('source', textOf(said, 'senderEntityId') ?? textOf(said, 'senderName')),
        ...optional('payload', Object.keys(rest).length > 0 ? rest : undefined),
      }
}

function planBody(said: Fields): Body | undefined {
  const content = textOf(said, 'instruction')
  if (content === undefined) return undefined
  const { instruction: _, ...payload } = said
  const source = textOf(said, 'planId')
  return {
    type: 'plan',
    content,
    payload,
    ...optional('subject', textOf(said, 'planName')),
    ...optional('source', source),
  }
}

function serviceBody(said: Fields): Body | undefined {
  const { payload } = said
  if (payload === undefined || payload === null) return undefined
  const content = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return { type: 'service', content, payload: said, ...optional('source', textOf(said, 'serviceName')) }
}

function parseFields(text: string): Fields | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is not JSON'
  }
  if (!isJson(value)) return 'it is nested too deep, or a number in it too large'
  return isFields(value) ? value : 'it is not a JSON object'
}

function isFields(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wholeOf(said: Fields): string | undefined {
  return Object.keys(said).length > 0 ? JSON.stringify(said) : undefined
}

function textOf(fields: Fields, key: string): string | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readType(value: Json | undefined): string {
  try {
    return parseMessageType(typeof value === 'string' ? value.trim().toLowerCase() : value)
  } catch {
    return 'event'
  }
}

function readId(value: Json | undefined): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readTime(value: Json | undefined): number | undefined {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(at) && at > 0 ? at : undefined
}

function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: T })
}
