import type { HookEventName } from '../../model/hook-event.ts'
import type { Priority } from '../../model/priority.ts'
import type { SessionHost } from '../../model/session.ts'

export { HOOK_EVENTS, type HookEventName } from '../../model/hook-event.ts'

/** One call of a host, understood. Whatever was missing or not what it should be is null, never guessed. */
export interface HookEvent {
  readonly name: HookEventName
  /** The host's own word for it, which some answers must repeat. */
  readonly hostEvent: string
  readonly sessionId: string | null
  readonly cwd: string | null
  /** It happened in a subagent, whose events neither drain nor confirm. */
  readonly isSubagent: boolean
  readonly tool: HookTool | null
  /** The turn goes on because an earlier stop was continued. */
  readonly isStopActive: boolean
  /** Why a session began or ended, in the host's words. */
  readonly source: string | null
  /** Tells one firing from the next, where the host says enough: the same once more is the same event fired twice. */
  readonly firing: string | null
}

export interface HookTool {
  readonly name: string
  readonly useId: string | null
}

/** What the chain has decided. A host renders it as far as it can, and its data say how far that is. An empty text is none. */
export interface HookAnswer {
  /** Text to put before the model. At a stop it also continues the turn. */
  readonly context?: string
  /** Why the turn goes on, or why the tool may not be used. */
  readonly block?: string
  /** A line for the person at the terminal. */
  readonly notice?: string
}

/**
 * The program an AI agent runs in: pure functions over its events, and what differs between hosts as data.
 * An answer that a host cannot take is never rendered, so nothing is consumed where nobody would see it.
 */
export interface Host {
  readonly name: SessionHost
  /** What its program is called. What such a program starts is the agent's work, whoever it says it is. */
  readonly programs: readonly string[]
  /** Undefined where the input is no event of this host at all. */
  parse(input: unknown): HookEvent | undefined
  /** What goes to stdout: JSON, or nothing where the host wants nothing. */
  render(event: HookEvent, answer: HookAnswer): string
  /** Where text reaches the model. */
  readonly injects: readonly HookEventName[]
  /** Where a notice reaches the person. */
  readonly notifies: readonly HookEventName[]
  /** Where mail is shown, and how urgent it must be there. */
  readonly drains: Readonly<Partial<Record<HookEventName, Priority>>>
  readonly canBlockStop: boolean
  readonly canDenyTool: boolean
  /** Room for one answer's text. */
  readonly maxCharacters: number
  readonly maxTokens: number | null
  /** After so many continued stops in a row the host ends the turn by itself; null where it never does. */
  readonly stopCap: number | null
  /** The variable by which a user changes that number, if there is one. */
  readonly stopCapVariable: string | null
  /** A stop that was continued comes back as a prompt, which is then no new beginning. */
  readonly continuesAsPrompt: boolean
  /** Text that was shown since the model last answered is still there after a compaction. */
  readonly keepsContextWhenCompacting: boolean
  readonly wake: 'rewake' | 'queue' | 'none'
  /** How well each ability is known: tried with the real program, read in its manual, or not there. */
  readonly support: Readonly<Record<HostAbility, Support>>
}

export const HOST_ABILITIES = [
  'session start',
  'prompt',
  'after a tool',
  'stop',
  'stop gate',
  'tool gate',
  'idle wake',
] as const
export type HostAbility = (typeof HOST_ABILITIES)[number]
export type Support = 'verified' | 'documented' | 'unsupported'
