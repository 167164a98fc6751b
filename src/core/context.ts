import type { BusShelf } from '../bus/bus-shelf.ts'
import type { HandoffShelf } from '../handoff/handoff-shelf.ts'
import type { LedgerCodec } from '../ledger/codec.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { BusPlace } from '../model/bus/entry.ts'
import type { Caller } from '../model/caller.ts'
import type { InboxMessage, ShownForm } from '../model/delivery.ts'
import type { SessionGateRule } from '../model/gate.ts'
import type { StandingGate } from '../model/gates.ts'
import type { Headline } from '../model/handoff/handoff.ts'
import type { HandoffItem, RefusedFile } from '../model/handoff/item.ts'
import type { LedgerSettings } from '../model/ledger/settings.ts'
import type { Limits } from '../model/limits.ts'
import type { Identity } from '../model/network/tokens.ts'
import type { HealthCheck } from '../model/postern.ts'
import type { Liveness } from '../model/session.ts'
import type { Shelves, Store } from '../store/store.ts'
import type { Wire } from '../wires/wire.ts'

/** Everything that the core needs from outside: it has no clock, no randomness and no machine of its own. */
export interface Context {
  readonly store: Store
  readonly wire: Wire
  readonly caller: Caller
  readonly limits: Limits
  /** A new id, such as `msg_01J…`. */
  readonly newId: (prefix: string) => string
  readonly timers: Timers
  /**
   * The size of a message as it is shown; undefined if it does not fit into `room`. The time that this takes depends on
   * `room`, not on the length of the message.
   */
  readonly measure: (message: InboxMessage, form: ShownForm, room: Size) => Size | undefined
  /** False if the content of a message alone is longer than `room`. Cheap: it renders nothing. */
  readonly mayFit: (message: InboxMessage, room: Size) => boolean
  /** The size of the frame around all messages. */
  readonly frame: () => Size
  readonly machine: Machine
  /** Loaded on use, because few commands ever handle a secret. */
  readonly secrets: () => Promise<Secrets>
  readonly identities: Identities
  /** Gates of every session, as the configuration sets them. */
  readonly sessionGates: readonly SessionGateRule[]
  /** Whether the configuration lets a program hold another agent with a gate. */
  readonly mayHold: (program: string, agent: string) => boolean
  /** Writes a gate down for the hooks of sessions on this machine. Absent if no hooks belong to the store's home. */
  readonly foreshadow?: ((params: Foreshadowed) => Promise<void>) | undefined
  /** The path of a session's spool. */
  readonly spoolOf: (project: string, sessionId: string) => string
  /** Parses cron expressions. Loaded on first use, because few commands need it. */
  readonly recurrences: () => Promise<Recurrences>
  /** The buses of this machine. Loaded on first use, because most commands never touch one. */
  readonly bus: () => Promise<BusRegistry>
  /** The folders of the handoff. Loaded on first use. */
  readonly handoff: () => Promise<Handoffs>
  /** The ledger. Loaded on first use. */
  readonly ledger: () => Promise<Ledgers>
  /** Runs a command in a shell and returns its exit code. A command that exceeds its timeout is killed. */
  readonly runCommand: (command: string, options: CommandOptions) => Promise<CommandOutcome>
  /** Runs the user's own commands for an event. Never fails. */
  readonly announce: (event: string, about: Readonly<Record<string, unknown>>) => Promise<void>
  /** True on a server whose upkeep closes gates as they become due, so that reading them writes nothing. */
  readonly hasUpkeep?: boolean | undefined
  /** Health checks of the server's machine, in addition to those of the store. */
  readonly inspect?: (() => readonly HealthCheck[]) | undefined
  /** Logs a problem that the caller need not know about. */
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** A gate that hooks must hold, should they lose the store before their next event. */
export interface Foreshadowed {
  /** The id of the store. */
  readonly store: string
  readonly gate: StandingGate
  readonly owners: readonly { readonly agent: string; readonly sessionId: string }[]
}

/** The buses of this machine. */
export interface BusRegistry {
  /** The buses below the root, by project and task. */
  readonly shelf: BusShelf
  /** Calls `look` with the bus of the work in a folder, wherever its file is. Returns undefined if there is none. */
  around<T>(folder: string | null, look: (shelf: BusShelf, place: BusPlace) => Promise<T>): Promise<T | undefined>
  close(): void
}

/** The folders of the handoff, and what it costs to show their items. */
export interface Handoffs extends HandoffShelf {
  /**
   * A lower bound, not rounded, of the tokens that an item takes: its cost if no character has to be escaped. Cheap
   * to compute.
   */
  leastTokens(item: HandoffItem): number
  /**
   * The exact tokens that an item takes, not rounded. Counting costs about a millisecond per thousand hostile
   * characters.
   */
  tokensOf(item: HandoffItem): number
  /** The tokens of the line that names an item which waits. */
  tokensOfHeadline(headline: Headline): number
  /** The tokens of the line that says how many others wait. */
  readonly tokensOfMore: number
  /** The tokens of the text around as many items, and around headlines. */
  tokensAround(about: { readonly refused: readonly RefusedFile[]; readonly count: number }): number
  /** The most tokens that one inheritance may take. */
  readonly maxTokens: number
  /** How long inherited items are kept; null: until somebody cleans up. */
  readonly keepProcessedMs: number | null
}

export interface Ledgers {
  readonly ledger: Ledger
  readonly codec: LedgerCodec
  readonly settings: LedgerSettings
}

/** What a verb passes along within one transaction that writes to a ledger. */
export interface LedgerTx {
  readonly ctx: Context
  readonly ledgers: Ledgers
  readonly tx: Shelves
}

export interface Timers {
  /** Calls back once, after a delay. The returned function cancels that. */
  after(ms: number, call: () => void): () => void
}

/** A cron expression and the IANA zone in which it is read. */
export interface Recurrence {
  readonly cron: string
  readonly zone: string
}

export interface Recurrences {
  /**
   * The recurrence as it is stored: five fields and the zone's canonical name. Throws ZONE_UNKNOWN, and CRON_INVALID
   * also if there is no instant within five years from now.
   */
  parse(written: Recurrence, now: number): Recurrence
  parseZone(written: string): string
  /** The first instant after a time; undefined if there is none within five years. */
  next(recurrence: Recurrence, after: number): number | undefined
}

export interface CommandOptions {
  readonly folder: string | null
  readonly timeoutMs: number
}

export interface CommandOutcome {
  /** Null if the command did not end by itself. */
  readonly exitCode: number | null
}

export interface Size {
  readonly characters: number
  readonly tokens: number
}

/** The facts about this machine that sessions need. */
export interface Machine {
  /** Where process ids mean the same: a host since its last boot, and a container on it. */
  readonly name: string
  /** Whether a process is above the server that this core runs in. False for a core without a server. */
  readonly isAboveServer: (pid: number) => boolean
  /** What the host is called. It survives a reboot. */
  readonly host: string
  isAlive(pid: number, startedAt: number): Liveness
  /** When a hook of the agent last ended without writing to the store, because nothing waited. */
  heardAt(agent: string): number | undefined
}

/** Everything that is done with secrets. The core never sees a key of the machine. */
export interface Secrets {
  /** 32 random bytes that nobody can guess. */
  random(encoding: 'base64' | 'base64url'): string
  /** The hash that is stored of a secret that only has to be recognised. */
  hash(secret: string): string
  /** Compares in constant time, wherever the two differ. */
  isSame(one: string, other: string): boolean
  /** HMAC-SHA256 of a text. The key and the result are base64. */
  sign(key: string, text: string): string
  /** Encrypts a secret with the key of this home. Only `open` with the same `about` decrypts it. */
  seal(secret: string, about: string): string
  open(sealed: string, about: string): OpenedSecret
}

/** A decrypted secret, or the reason why it cannot be decrypted. */
export type OpenedSecret = { readonly secret: string } | { readonly reason: string }

/** A cache of the identities that tokens stand for, by the hashes of the tokens. */
export interface Identities {
  find(hash: string, now: number): Identity | undefined
  keep(hash: string, identity: Identity, span: { readonly since: number; readonly until: number }): void
  /** Drops a token that is no longer valid. */
  forget(tokenId: string): void
}
