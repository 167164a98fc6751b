import type { BusShelf } from '../bus/bus-shelf.ts'
import type { HandoffShelf } from '../handoff/handoff-shelf.ts'
import type { LedgerCodec } from '../ledger/codec.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { BusPlace } from '../model/bus/entry.ts'
import type { Caller } from '../model/caller.ts'
import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { SessionGateRule } from '../model/gate.ts'
import type { Inheritance } from '../model/handoff/handoff.ts'
import type { HandoffItem } from '../model/handoff/item.ts'
import type { LedgerSettings } from '../model/ledger/settings.ts'
import type { Limits } from '../model/limits.ts'
import type { Identity } from '../model/network/tokens.ts'
import type { HealthCheck } from '../model/postern.ts'
import type { Liveness } from '../model/session.ts'
import type { Shelves, Store } from '../store/store.ts'
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
  /**
   * How much room a message takes when it is shown; undefined if that is more than there is. Its cost grows with the
   * room, not with the message.
   */
  readonly measure: (message: InboxMessage, form: ShownForm, room: Size) => Size | undefined
  /** How much room the frame around all messages takes. */
  readonly frame: () => Size
  readonly machine: Machine
  /** Loaded on use, because few commands ever handle a secret. */
  readonly secrets: () => Promise<Secrets>
  readonly identities: Identities
  /** Gates of every session, as the configuration sets them. */
  readonly sessionGates: readonly SessionGateRule[]
  /** Where a session's spool lies. */
  readonly spoolOf: (project: string, sessionId: string) => string
  /** Reads what recurs. Loaded with the first call, for few ever need it. */
  readonly recurrences: () => Promise<Recurrences>
  /** The buses of this machine. Loaded with the first call, for most commands never touch one. */
  readonly bus: () => Promise<BusRegistry>
  /** The folders of the handoff. Loaded with the first call. */
  readonly handoff: () => Promise<Handoffs>
  /** The ledger. Loaded with the first call. */
  readonly ledger: () => Promise<Ledgers>
  /** Runs a command in a shell and tells how it went; one that takes too long is ended. */
  readonly runCommand: (command: string, options: CommandOptions) => Promise<CommandOutcome>
  /** Hands something that has happened to the commands that the user has set for it. Never fails. */
  readonly announce: (event: string, about: Readonly<Record<string, unknown>>) => Promise<void>
  /** What the machine of a server can say about its own health beside the store's. */
  readonly inspect?: (() => readonly HealthCheck[]) | undefined
  /** Something went wrong that nobody who asked has to know about. */
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** The buses of this machine. */
export interface BusRegistry {
  /** Those below the root, by project and task. */
  readonly shelf: BusShelf
  /** Looks at the bus of the work that goes on in a folder, wherever it lies; undefined where there is none. */
  around<T>(folder: string | null, look: (shelf: BusShelf, place: BusPlace) => Promise<T>): Promise<T | undefined>
  close(): void
}

/** The former name, which `host/bus/kept-buses.ts` uses until it goes. */
export interface Handoffs extends HandoffShelf {
  /** What showing it costs, in tokens. */
  tokensOf(item: HandoffItem): number
  /** What showing an inheritance costs, with all that stands around its items. */
  tokensOfAll(shown: Pick<Inheritance, 'items' | 'waiting' | 'refused'>): number
  /** As the configuration has it. */
  readonly maxTokens: number
  /** How long what was inherited is kept; null: until somebody cleans up. */
  readonly keepProcessedMs: number | null
}

export interface Ledgers {
  readonly ledger: Ledger
  readonly codec: LedgerCodec
  readonly settings: LedgerSettings
}

/** One transaction of a verb that writes to a ledger: what the caller has, which ledger it is, and the shelves. */
export interface LedgerTx {
  readonly ctx: Context
  readonly ledgers: Ledgers
  readonly tx: Shelves
}

export interface Timers {
  /** Calls back after a while; the returned function takes that back. */
  after(ms: number, call: () => void): () => void
}

/** A cron expression and the IANA zone in which it is read. */
export interface Recurrence {
  readonly cron: string
  readonly zone: string
}

export interface Recurrences {
  /**
   * As it is kept: five fields and the zone's own name. Throws CRON_INVALID, also where nothing comes within five years
   * from now, and ZONE_UNKNOWN.
   */
  parse(written: Recurrence, now: number): Recurrence
  parseZone(written: string): string
  /** The first instant after a time; undefined where none comes within five years. */
  next(recurrence: Recurrence, after: number): number | undefined
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

/** All that is done with secrets. The heart never sees a key of the machine. */
export interface Secrets {
  /** 32 bytes that nobody can guess. */
  random(encoding: 'base64' | 'base64url'): string
  /** What is kept of a secret that is only ever compared. */
  hash(secret: string): string
  /** Takes the same time wherever the two differ. */
  isSame(one: string, other: string): boolean
  /** HMAC-SHA256 of a text under a key in base64, itself in base64. */
  sign(key: string, text: string): string
  /** Locks a secret that is needed again with the key of this home. It opens only for what it is about. */
  seal(secret: string, about: string): string
  open(sealed: string, about: string): Opened
}

export type Opened = { readonly secret: string } | { readonly reason: string }

/** Whom tokens were good for a moment ago, by their hashes. */
export interface Identities {
  find(hash: string, now: number): Identity | undefined
  keep(hash: string, identity: Identity, span: { readonly since: number; readonly until: number }): void
  /** A token is good no longer. */
  forget(tokenId: string): void
}
