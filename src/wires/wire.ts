import type { Message } from '../model/message.ts'

/**
 * What rings those who wait, in this process, on this machine or elsewhere. Never the truth: that is in the store.
 *
 * A ring is a hint. It may be lost, it may come for nothing, and many may come as one. So a listener asks the store
 *
 *   1. once `listen` has resolved, for what came before it listened;
 *   2. after every ring;
 *   3. from time to time, for what no ring ever told it.
 *
 * A wire that has lost its connection rings every name when it is back, so that rule 2 covers what was missed.
 */
export interface Wire {
  /**
   * Tells all who listen to any of these names. Call it after the commit, never before: who is rung looks at once.
   * It throws or rejects where it could not ring; that is for the log, for what was stored stays stored.
   */
  ring(names: readonly string[]): void | Promise<void>
  /**
   * Resolves once a ring of any of these names would be heard. `onRing` gets the names that may have been rung; it
   * is never called again after `close`.
   */
  listen(names: readonly string[], onRing: OnRing): Promise<Listener>
  /** When the name was last rung, as far as this wire can tell; undefined where it cannot. */
  lastRungAt(name: string): number | undefined
  /** Whether it rings now. Never rejects: what is wrong with it is its answer. */
  health(): Promise<WireHealth>
  /** Closes every listener. Safe to call twice. */
  close(): void | Promise<void>
}

export type OnRing = (names: readonly string[]) => void

export interface Listener {
  /** Safe to call twice. Afterwards it keeps no process alive. */
  close(): void | Promise<void>
}

export interface WireHealth {
  readonly isUp: boolean
  /** In words, for a person; never with a password in it. */
  readonly detail: string
}

/** A message on its way to one agent, or to all of them: null. */
export interface Copy {
  readonly message: Message
  readonly agent: string | null
}

/** A wire to an engine of its own, through which rings may carry copies. */
export interface EngineWire extends Wire {
  /** What it is called in the store and in logs: `nats`, `redis`. */
  readonly name: string
  /**
   * Rings with copies. In this order for each agent, also where some have to be sent again. Resolves once the engine has
   * taken all of them; where it rejects all may be handed over again, and those who hear know a message by its id.
   */
  carry(copies: readonly Copy[]): Promise<void>
  /**
   * Hands over what was carried to an agent and to all, also before anybody took it, in order. A copy is done with when
   * `onCopy` resolves; where it rejects it is tried again before those behind it. Where this process dies it comes again
   * to the next one, within 30 s and perhaps behind others. Absent where copies cannot be kept.
   */
  take?(agent: string, onCopy: OnCopy): Promise<Listener>
  /** Called whenever what was carried before may be gone, as when the engine's memory was wiped. */
  onWiped?(call: () => void): void
}

/** Gets a line of seed 000's inject queue, as it was carried. */
export type OnCopy = (line: string) => Promise<void>

/** Keep a subscription open this long after its last listener leaves; most listeners come straight back. */
export const LINGER_MS = 10_000

const NAME = /^[a-z0-9@][a-z0-9_@-]*$/

/** Returns the name unchanged, or throws: names become parts of paths and subjects. */
export function parseRingName(name: string): string {
  if (name.length <= 128 && NAME.test(name)) return name
  throw new RangeError(`"${name}" is no name that can be rung`)
}
