/** A command of the user's own in the chain of handlers. */
export interface UserHook {
  /** The event in our words, such as `turn.stop`. */
  readonly event: string
  /** Its place in the chain: lower numbers come first. */
  readonly priority: number
  readonly command: string
  readonly timeoutMs: number
}

const DEFAULT_PRIORITY = 25
const DEFAULT_TIMEOUT_MS = 1_000
const MAX_HOOKS = 50

/** Throws with words that complete "the configuration cannot be used, because …". */
export function parseUserHooks(value: unknown): readonly UserHook[] {
  if (!Array.isArray(value) || value.length > MAX_HOOKS)
    throw new Error(`"hooks" is not a list of at most ${MAX_HOOKS}`)
  return value.map((each: Readonly<Record<string, unknown>>, at) => {
    const { event, command, priority = DEFAULT_PRIORITY, timeoutMs = DEFAULT_TIMEOUT_MS } = each ?? {}
    if (typeof event !== 'string' || typeof command !== 'string' || command === '') {
      throw new Error(`"hooks[${at}]" needs an event and a command`)
    }
    if (!Number.isInteger(priority) || !Number.isInteger(timeoutMs) || (timeoutMs as number) < 1) {
      throw new Error(`"hooks[${at}]" has a priority or timeoutMs that is no whole number`)
    }
    return { event, command, priority: priority as number, timeoutMs: timeoutMs as number }
  })
}
