import type { Caller } from '../model/caller.ts'
import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { SessionGateRule } from '../model/gate.ts'
import type { Limits } from '../model/limits.ts'
import type { Liveness } from '../model/session.ts'
import type { Store } from '../store/store.ts'
import type { Wire } from '../wires/wire.ts'

/** Everything the heart needs from outside: it has no clock, no chance and no machine of its own. */
export interface Context {
  readonly store: Store
  readonly wire: Wire
  readonly caller: Caller
  readonly limits: Limits
  /** A new id, such as `msg_01J…`. */
  readonly newId: (prefix: string) => string
  readonly timers: Timers
  /** How much room a message takes when it is shown, and the frame around all of them. */
  readonly measure: (message: InboxMessage, form: ShownForm) => Size
  readonly frame: () => Size
  readonly machine: Machine
  /** Gates of every session, as the configuration sets them. */
  readonly sessionGates: readonly SessionGateRule[]
  /** Where a session's spool lies. */
  readonly spoolOf: (project: string, sessionId: string) => string
  /** Runs a command in a shell and tells how it went; one that takes too long is ended. */
  readonly runCommand: (command: string, options: CommandOptions) => Promise<CommandOutcome>
  /** Hands something that has happened to the commands that the user has set for it. Never fails. */
  readonly announce: (event: string, about: Readonly<Record<string, unknown>>) => Promise<void>
  /** Something went wrong that nobody who asked has to know about. */
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

export interface Timers {
  /** Calls back after a while; the returned function takes that back. */
  after(ms: number, call: () => void): () => void
  /** The same for work that alone does not keep a process alive. */
  inBackground(ms: number, call: () => void): () => void
}

export interface CommandOptions {
  readonly folder: string | null
  readonly timeoutMs: number
}

export interface CommandOutcome {
  /** Null where it did not end by itself. */
  readonly exitCode: number | null
}

export interface Size {
  readonly characters: number
  readonly tokens: number
}

/** The machine this runs on, as far as sessions concern it. */
export interface Machine {
  readonly name: string
  isAlive(pid: number, startedAt: number): Liveness
  /** When a hook of the agent last found nothing to do, of which the store is not told. */
  heardAt(agent: string): number | undefined
}
