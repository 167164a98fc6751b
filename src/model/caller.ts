import type { AgentKind } from './agent.ts'

/** Who asks. It is bound once per connection; the sender of a message is its caller, never an argument. */
export interface Caller {
  readonly id: string
  readonly kind: AgentKind | 'local' | 'system'
  /**
   * Whether a credential was shown. A local process may claim to be anyone and stays unverified. The socket and the tokens of
   * administrators set this for `local` too, which says that the caller came through the server, and not who it is.
   */
  readonly verified: boolean
  /** The door: `cli`, `sdk`, `hook`, `http`, `mcp`, … */
  readonly via: string
  /** The process or network address of the caller, if its door knows it. Recorded with refused attempts only. */
  readonly peer?: string
}

/** What was known of a caller when it acted. It is stored beside the caller's id and never changes afterwards. */
export interface Trust {
  readonly kind: string
  readonly verified: boolean
  readonly via: string
}

/**
 * What is recorded of a caller. The UNIX socket and the tokens of administrators name nobody, so `local` is never recorded
 * as verified, although the flag of such a caller is set.
 */
export function trustOf({ kind, verified, via }: Trust): Trust {
  return { kind, verified: verified && kind !== 'local', via }
}

/** How far an author is known, as every door says it. */
export function trustWord({ verified }: Pick<Trust, 'verified'>): string {
  return verified ? 'verified' : 'unverified'
}

/** Who did something, and how far that is known, in words. */
export function describeAuthor(id: string, trust: Trust): string {
  return `${id} (${trust.kind}, ${trustWord(trust)})`
}

/** The trust of callers that acted before the store recorded it. */
export const UNKNOWN_TRUST: Trust = { kind: 'unknown', verified: false, via: 'unknown' }

/** Somebody at this machine who has not said who they are. */
export const LOCAL_CALLER: Caller = { id: 'local', kind: 'local', verified: false, via: 'sdk' }

/** Postern itself: notices to people, and the upkeep's own acts. */
export const SYSTEM_CALLER: Caller = { id: 'system', kind: 'system', verified: true, via: 'postern' }

/** A program's word counts for nobody but itself: any of them may claim to be another. */
export function isProgram({ kind }: { readonly kind: string }): boolean {
  return kind === 'ai' || kind === 'service'
}

/**
 * Whether the caller sees only what concerns it: a program that has shown a credential. To others nothing can be denied
 * that they could not read in the store themselves.
 */
export function isConfined(caller: Caller): boolean {
  return caller.verified && isProgram(caller)
}

/**
 * Whether a credential has said which agent, service or person asks. Such a caller may be on any machine. Administrators
 * have a credential too, but are none of these.
 */
export function hasCredential(caller: Caller): boolean {
  return caller.verified && agentOf(caller) !== undefined
}

/** The agent that a caller is, if it is one at all. */
export function agentOf(caller: Caller): string | undefined {
  return caller.kind === 'local' || caller.kind === 'system' ? undefined : caller.id
}
