import { HOOK_EVENTS } from '../../model/hook-event.ts'
import { type Group, refusal } from './group.ts'

/** A command of the user's own. It runs in the chain of handlers for a host's event, or after an event in the store. */
export interface UserHook {
  /** The event by Postern's name, such as `turn.stop`. */
  readonly event: string
  /** Its place in the chain: lower numbers come first. */
  readonly priority: number
  readonly command: string
  readonly timeoutMs: number
}

/** The events of hosts that have a name, and one event of the store. */
export const USER_EVENTS: readonly string[] = [...HOOK_EVENTS.filter((name) => name !== 'other'), 'decision.responded']

const FIELDS = ['event', 'command', 'priority', 'timeoutMs']
const DEFAULT_PRIORITY = 25
const DEFAULT_TIMEOUT_MS = 1_000
const MAX_TIMEOUT_MS = 60_000
const MAX_HOOKS = 50

/** Commands of the user's own. */
export const HOOKS: Group<readonly UserHook[]> = {
  name: 'hooks',
  parse(written) {
    const hooks = written.list('hooks')
    try {
      return parseUserHooks(hooks.map(({ value }) => value))
    } catch (error) {
      throw refusal(error, written, hooks)
    }
  },
}

/** Throws an error whose text completes the sentence "the configuration cannot be used, because …". */
export function parseUserHooks(value: unknown): readonly UserHook[] {
  if (!Array.isArray(value) || value.length > MAX_HOOKS)
    throw new Error(`"hooks" is not a list of at most ${MAX_HOOKS}`)
  return value.map((each: unknown, at) => parseUserHook(`"hooks[${at}]"`, each))
}

function parseUserHook(name: string, value: unknown): UserHook {
  const fields = Object(value) as Readonly<Record<string, unknown>>
  const { event, command, priority = DEFAULT_PRIORITY, timeoutMs = DEFAULT_TIMEOUT_MS } = fields
  const unknown = Object.keys(fields).find((field) => !FIELDS.includes(field))
  if (unknown !== undefined) throw new Error(`${name} has "${unknown}", which is not a setting of a hook`)
  if (typeof event !== 'string' || typeof command !== 'string' || command.trim() === '') {
    throw new Error(`${name} needs an event and a command`)
  }
  if (!USER_EVENTS.includes(event)) throw new Error(`${name} names no event: use one of ${USER_EVENTS.join(', ')}`)
  if (!isWhole(priority)) throw new Error(`${name} has a priority that is no whole number`)
  if (!isWhole(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw new Error(`${name} has a timeoutMs that is no whole number from 1 to ${MAX_TIMEOUT_MS}`)
  }
  return { event, command, priority, timeoutMs }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
