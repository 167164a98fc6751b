import type { HandoffSettings } from '../host/config/handoff.ts'
import type { PosternError } from '../model/errors.ts'
import type { Judgement } from '../model/gates.ts'
import type { Limits } from '../model/limits.ts'
import type { Offer } from '../model/offer.ts'
import type { LocalPostern } from '../model/postern.ts'
import type { Session } from '../model/session.ts'
import type { HookEvent, HookEventName, Host } from './hosts/host.ts'
import type { HookTimeouts } from './timeouts.ts'

/** One link of the chain: what it decides depends on the event and the Postern it is given, and on nothing else. */
export interface Handler {
  readonly name: string
  /** Lower numbers come first. */
  readonly priority: number
  readonly events: readonly HookEventName[]
  /** It has nothing to say where the store refuses the session. */
  readonly needsSession?: true
  handle(call: HookCall): Promise<Verdict | undefined>
}

/** What one handler adds to the answer. */
export interface Verdict {
  readonly context?: string
  readonly block?: string
  readonly notice?: string
  /** What was put before the model, to be noted as printed once it is. */
  readonly offer?: Offer
  /** What it shows of an earlier session, likewise. */
  readonly inheritance?: string
  /** Gates of which the answer warns, to be noted once it is out. */
  readonly warned?: readonly string[]
  /** Called once the answer is out. Throws nothing. */
  readonly noteShown?: () => void
  /** Nobody after this handler has anything to say. */
  readonly isFinal?: true
}

/** One event on its way through the chain. */
export interface HookCall {
  readonly event: HookEvent & { readonly sessionId: string }
  readonly host: Host
  readonly agent: string
  readonly postern: LocalPostern
  readonly settings: HookSettings
  readonly limits: Pick<Limits, 'drainMessages' | 'drainCharacters'>
  /** Throws if the settings of the handoff cannot be used. */
  readonly handoff: () => HandoffSettings
  /** The root of the project: where `.runtime/` lies. */
  root: string
  /** As it is after this event was noted; undefined where it is not the agent's own, or was answered before. */
  session: Session | undefined
  /** When the event began, by the store's clock; null before the event is noted. */
  begunAt: number | null
  /** How many stops were put off without the store and are not yet counted in it. */
  uncounted: number
  /** How many in a row it had counted before those. */
  counted: number
  /** Why the store refuses the session; undefined where it does not. Gates and mail are seen to without it. */
  refusal: PosternError | undefined
  /** Where the hook may leave files of its own; null for a session that only a token has named. */
  readonly home: string | null
  /** Only a token has named the session and its folder: nothing that lies in the folder is taken or shown for it. */
  readonly isForeign?: true
  /** The answer is out, here or elsewhere: nothing more may be decided. */
  isOver: boolean
  /** The end of the turn was put off too often: nothing may put it off once more. */
  isLoopBroken: boolean
  /** Characters of the answer that are spoken for. */
  used: number
  /** What they cost. */
  usedTokens: number
  /** The gates of this event, judged once. */
  judgement(): Promise<Judgement>
  /** Milliseconds until the answer must be out. */
  leftMs(): number
  /** Something went wrong of which the host need not hear: `doctor` tells it. */
  note(error: unknown): void
}

export interface HookSettings {
  /** After so many continued stops in a row the host ends the turn by itself; null where it never does. */
  readonly stopCap: number | null
  /** How long ago this process began. */
  ageMs(): number
  readonly timeouts: HookTimeouts
  readonly nonce: () => string
  /** The event came over HTTP: whoever has a token of the agent may have made it up. */
  readonly isPosted?: true
  /** The host's own process, looked for only when a session begins. */
  readonly hostProcess: () => { readonly pid: number; readonly startedAt: number } | undefined
  /** What has run the hook, where no host is known by its name. */
  readonly starter: () => { readonly pid: number; readonly startedAt: number } | undefined
  /** Names of markers that the agent has left for this session's gates. */
  readonly markers: (root: string, sessionId: string) => readonly string[]
}
