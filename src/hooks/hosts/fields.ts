import { parseSessionId } from '../../model/session.ts'
import type { HookEvent, HookEventName, HookTool } from './host.ts'

/** What a host sent. Nothing about it is certain but that it is an object. */
export type Fields = Readonly<Record<string, unknown>>

/** Longer than any name or id that a host gives, and short enough to keep. */
const MAX_WORD = 256
const MAX_PATH = 4_096
const EVENT = /^[A-Za-z][A-Za-z.]{0,63}$/
const CONTROL = /[\0-\x1f\x7f-\x9f]/

export function parseFields(input: unknown): Fields | undefined {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Fields) : undefined
}

/** Own members only, so that no input names what every object has. */
export function readField(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** A host's word for an event. */
export function readEvent(fields: Fields, key: string): string | undefined {
  const value = readField(fields, key)
  return typeof value === 'string' && EVENT.test(value) ? value : undefined
}

export function readSession(fields: Fields, key: string): string | null {
  try {
    return parseSessionId(readField(fields, key))
  } catch {
    return null
  }
}

/** A name or an id: one line without control characters. */
export function readWord(fields: Fields, key: string): string | null {
  const value = readField(fields, key)
  if (typeof value !== 'string' || value.length === 0 || value.length > MAX_WORD) return null
  return CONTROL.test(value) ? null : value
}

export function readPath(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_PATH) return null
  return value.startsWith('/') && !value.includes('\0') ? value : null
}

export function readTool(fields: Fields, nameKey: string): HookTool | null {
  const name = readWord(fields, nameKey)
  return name === null ? null : { name, useId: readWord(fields, 'tool_use_id') }
}

/** True where the host says anything at all, however odd. */
export function isGiven(fields: Fields, key: string): boolean {
  const value = readField(fields, key)
  return value !== undefined && value !== null && value !== ''
}

export function isSet(fields: Fields, key: string): boolean {
  return readField(fields, key) === true
}

/** Our word for a host's event; what is not in its table neither delivers nor holds. */
export function nameEvent(events: Readonly<Record<string, HookEventName>>, hostEvent: string): HookEventName {
  return (Object.hasOwn(events, hostEvent) ? events[hostEvent] : undefined) ?? 'other'
}

/**
 * Names one firing by what tells it from all others of its session. Our own word for the event is in it where there is
 * one, because two hosts may call the same event differently.
 */
export function nameFiring(
  event: Pick<HookEvent, 'name' | 'hostEvent' | 'sessionId'>,
  ...marks: readonly (string | number | null)[]
): string | null {
  if (event.sessionId === null || marks.includes(null)) return null
  return JSON.stringify([event.sessionId, event.name === 'other' ? event.hostEvent : event.name, ...marks])
}
