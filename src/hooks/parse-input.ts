import { UNBOUND } from '../host/hook-log.ts'
import type { HookEvent, Host } from './hosts/host.ts'

/** What a host has sent, parsed. */
export interface HookInput {
  /** Undefined where the input is no event at all. */
  readonly event?: HookEvent
  /** Why nothing can be shown. */
  readonly fault?: string
}

/** Parses what a host has sent for an agent. Never throws. */
export function parseInput(host: Host, agent: string | undefined, text: string): HookInput {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { fault: text.trim() === '' ? 'the input was empty' : 'the input was not JSON' }
  }
  const event = host.parse(value)
  if (!event) return { fault: 'the input was no event of this host' }
  if (event.sessionId === null) return { event, fault: 'the event names no session, or not a sound one' }
  return agent === undefined ? { event, fault: UNBOUND } : { event }
}
