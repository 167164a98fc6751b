import { UNBOUND } from '../host/hook-log.ts'
import type { HookEvent, Host } from './hosts/host.ts'

export interface Understood {
  /** Undefined where the input is no event at all. */
  readonly event?: HookEvent
  /** Why nothing can be shown. */
  readonly fault?: string
}

/** Reads what a host has sent for an agent. */
export function understand(host: Host, agent: string | undefined, input: string): Understood {
  let value: unknown
  try {
    value = JSON.parse(input.replace(/^\uFEFF/, ''))
  } catch {
    return { fault: input.trim() === '' ? 'the input was empty' : 'the input was not JSON' }
  }
  const event = host.parse(value)
  if (!event) return { fault: 'the input was no event of this host' }
  if (event.sessionId === null) return { event, fault: 'the event names no session, or not a sound one' }
  return agent === undefined ? { event, fault: UNBOUND } : { event }
}
