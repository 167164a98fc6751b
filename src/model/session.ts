import { PosternError } from './errors.ts'

/**
 * The programs in which sessions run: the hosts that Postern has hooks for, `postern wake`, and `agent()` of the
 * library.
 */
export const SESSION_HOSTS = ['claude-code', 'codex', 'gemini', 'cursor', 'generic', 'wake', 'agent'] as const

export type SessionHost = (typeof SESSION_HOSTS)[number]

/** One life of an agent's process in a host. */
export interface Session {
  readonly id: string
  readonly agent: string
  readonly host: SessionHost
  /** The root of the project it works in. */
  readonly project: string | null
  /**
   * The machine it runs on: only there can its process be looked for. `unknown` where only a token has named the
   * session.
   */
  readonly machine: string
  /** The host's process, by number and start time, so that a reused number is not taken for it. */
  readonly pid: number | null
  readonly pidStartedAt: number | null
  /**
   * The process that runs the session's hooks if no known host does. When it ends, the session's mail returns to the
   * inbox.
   * It also proves that a local hook named the session (`isNamedHere`). Unlike a host, it does not make processes
   * below it an agent's.
   */
  readonly starterPid: number | null
  readonly starterStartedAt: number | null
  readonly startedAt: number
  readonly lastEventAt: number
  readonly endedAt: number | null
  /** Since when it waits for a prompt; null while it works. */
  readonly idleSince: number | null
  /** How often in a row the end of its turn was put off. */
  readonly continuations: number
  /** When the end of its turn was last put off. */
  readonly continuedAt: number | null
  /** When it last came to rest with our leave. */
  readonly stoppedAt: number | null
}

/**
 * Whether a process of this machine has named the process of the session. No token can name one, so the session's
 * folder is
 * more than the word of a token.
 */
export function isNamedHere({ pid, starterPid, machine }: Session, here: string): boolean {
  return machine === here && (pid !== null || starterPid !== null)
}

/** Where hooks are installed twice, an event is fired twice within this time. */
export const FIRED_WITHIN_MS = 10_000

/** The end of a turn is put off at most this often in a row, even if the host would allow more. */
export const MAX_CONTINUED_STOPS = 5

/** A token may be used from anywhere. */
export const UNKNOWN_MACHINE = 'unknown'

/** More than any system gives to a process. */
const MAX_PID = 2 ** 32

/**
 * The process of a host. The first process of a machine is above all others, and a process above the server is above
 * everything that the server starts: neither is an agent's host.
 */
export function parsePid(value: number, isAboveServer: (pid: number) => boolean): number {
  if (Number.isInteger(value) && value > 1 && value <= MAX_PID && !isAboveServer(value)) return value
  const next = 'Use the number of the process in which the agent runs.'
  throw new PosternError('VALUE_INVALID', { field: 'pid', value, next })
}

export function parseSessionHost(value: string): SessionHost {
  if (isSessionHost(value)) return value
  const next = `Use one of ${SESSION_HOSTS.join(', ')}.`
  throw new PosternError('VALUE_INVALID', { field: 'host', value, next })
}

export function isSessionHost(value: string): value is SessionHost {
  return (SESSION_HOSTS as readonly string[]).includes(value)
}

/** The last moment that a date can tell; beyond it the stores would not agree either. */
const LATEST_MS = 8.64e15

/** A moment or a span of time that a host names. */
export function parseMilliseconds(field: string, value: number): number {
  if (Number.isFinite(value) && value >= 0 && value <= LATEST_MS) return value
  throw new PosternError('VALUE_INVALID', { field, value, next: 'Use a number of milliseconds.' })
}

export type Liveness = 'alive' | 'gone' | 'unknown'

const SESSION_ID = /^[\x21-\x2e\x30-\x5b\x5d-\x7e]{1,200}$/

/** Session ids come from hosts. They are kept as they are and never become part of a path without encoding. */
export function parseSessionId(value: unknown): string {
  if (typeof value === 'string' && SESSION_ID.test(value)) return value
  throw new PosternError('SESSION_INVALID')
}
