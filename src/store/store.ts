import type { OperationName } from '../model/operations.ts'
import type { HealthCheck, PushResult } from '../model/postern.ts'
import type { Verified } from '../model/verified.ts'
import type { AgentShelf } from './contract/agents.ts'
import type { BudgetShelf } from './contract/budgets.ts'
import type { DecisionShelf } from './contract/decisions.ts'
import type { DeliveryShelf } from './contract/deliveries.ts'
import type { EventShelf } from './contract/events.ts'
import type { GateShelf } from './contract/gates.ts'
import type { HistoryShelf } from './contract/history.ts'
import type { InboxShelf } from './contract/inboxes.ts'
import type { InheritanceShelf } from './contract/inheritances.ts'
import type { LedgerShelf } from './contract/ledger.ts'
import type { MessageShelf, PushParams } from './contract/messages.ts'
import type { OfferShelf } from './contract/offers.ts'
import type { PlanShelf } from './contract/plans.ts'
import type { RelayShelf } from './contract/relays.ts'
import type { ReplyShelf } from './contract/replies.ts'
import type { ServiceShelf } from './contract/services.ts'
import type { SessionShelf } from './contract/sessions.ts'
import type { SnoozeShelf } from './contract/snoozes.ts'
import type { SpaceShelf } from './contract/spaces.ts'
import type { TokenShelf } from './contract/tokens.ts'
import type { UpkeepShelf } from './contract/upkeep.ts'

/**
 * The store: the one place that is right if two places disagree. SQLite and PostgreSQL implement it; one conformance
 * suite runs against both.
 *
 * - **Durable.** When `transact` resolves, its writes are on stable storage, unless `isDurable` is false.
 * - **Atomic.** A verb that throws leaves nothing behind.
 * - **Isolated.** On SQLite writing transactions run one after the other. On PostgreSQL they run side by side, and each
 *   method of a shelf says what it locks.
 * - **Run again.** The engine may run a verb again from its beginning: PostgreSQL after a lost race, SQLite if a group
 *   failed half-way. So a verb has no effects but those of its `tx`, and awaits nothing else.
 * - **Failures.** Expected outcomes are values, such as false or undefined. Refusals that a method names are
 *   PosternErrors, and so is trouble with the engine: STORE_BUSY, STORE_FULL, STORE_IO, STORE_READ_ONLY,
 *   STORE_CORRUPT, STORE_UNAVAILABLE. After STORE_UNAVAILABLE a write may have been committed; repeat it with its key.
 */
export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  /** Where the store is, safe to show: a path, or a URL without its password. */
  readonly location: string
  /** Runs a verb in one transaction: all of it or nothing. On SQLite concurrent verbs share one commit. */
  transact<T>(verb: (tx: Shelves) => Promise<T>, options?: TransactOptions): Promise<T>
  /**
   * Runs a verb that makes exactly one call on a shelf. On PostgreSQL it needs no BEGIN and COMMIT; a second statement
   * throws.
   */
  single<T>(call: (tx: Shelves) => Promise<T>, options?: TransactOptions): Promise<T>
  /**
   * Stores messages as `single` with one call of `messages.push` would, and fails in the same ways. Calls that wait at
   * the same time may share a commit or a statement; each is still all or nothing by itself.
   */
  push(params: PushParams): Promise<readonly PushResult[]>
  /** True if changes that were acknowledged were missing when it was opened. The next round of upkeep tells people. */
  readonly hasLost: boolean
  /** Reads what is committed, locks nothing, and never blocks a writer. Two reads may see two states. */
  readonly read: Shelves
  /**
   * The store's clock. For PostgreSQL it is the database server's, so that many servers agree on deadlines. For SQLite it
   * is the machine's; a step of more than a minute counts only after it has lasted ten minutes.
   */
  now(): number
  /** The time `ms` ago by the store's clock, not counting jumps that this clock has made since. */
  ago(ms: number): number
  /** Checks of the engine's own health: settings, integrity, schema. */
  check(): Promise<readonly HealthCheck[]>
  /** What is wrong with the contents, in words; empty if every message and delivery is accounted for. */
  audit(params: { readonly limit: number }): Promise<readonly string[]>
  /**
   * Checks everything, which takes as long as reading all of it: pages and indexes, and each message against its
   * checksum. Remembers when, and what it found.
   */
  verify(): Promise<Verified>
  /**
   * Writes a consistent copy while others write to the store. On SQLite the copy is checked; a copy with broken pages is
   * refused. On PostgreSQL the messages of the store are checked after the dump.
   */
  backup(path: string): Promise<Verified>
  /** Waits for the writes that were asked for. Later calls throw STORE_UNAVAILABLE. */
  close(): Promise<void>
}

export interface TransactOptions {
  /**
   * The operations whose change this transaction makes. A request under a key records what it returns, to answer its
   * repetition; the engines take no notice of it.
   */
  readonly answers?: readonly OperationName[]
  /** How long it waits for other processes. SQLite only. */
  readonly patienceMs?: number
  /**
   * False if loss of power may undo the transaction on SQLite; nothing else can. It saves waiting for the disk before a
   * message is shown. Use it only for an offer, which is then made again, and for what is known of a session, which has
   * ended then. PostgreSQL always waits: its server may crash while the agents that were shown the messages live on.
   */
  readonly isDurable?: boolean
}

export type * from './contract/agents.ts'
export type * from './contract/budgets.ts'
export type * from './contract/decisions.ts'
export type * from './contract/deliveries.ts'
export type * from './contract/events.ts'
export type * from './contract/gates.ts'
export type * from './contract/history.ts'
export type * from './contract/inboxes.ts'
export type * from './contract/inheritances.ts'
export type * from './contract/ledger.ts'
export type * from './contract/messages.ts'
export type * from './contract/offers.ts'
export type * from './contract/plans.ts'
export type * from './contract/relays.ts'
export type * from './contract/replies.ts'
export type * from './contract/services.ts'
export type * from './contract/sessions.ts'
export type * from './contract/snoozes.ts'
export type * from './contract/spaces.ts'
export type * from './contract/tokens.ts'
export type * from './contract/upkeep.ts'

/** The contents of the store, a shelf for each concept. Each contract is in `contract/<shelf>.ts`. */
export interface Shelves {
  readonly agents: AgentShelf
  readonly sessions: SessionShelf
  readonly messages: MessageShelf
  readonly deliveries: DeliveryShelf
  readonly offers: OfferShelf
  readonly snoozes: SnoozeShelf
  readonly inboxes: InboxShelf
  readonly history: HistoryShelf
  readonly gates: GateShelf
  readonly decisions: DecisionShelf
  readonly spaces: SpaceShelf
  readonly plans: PlanShelf
  readonly services: ServiceShelf
  readonly tokens: TokenShelf
  readonly replies: ReplyShelf
  readonly events: EventShelf
  readonly inheritances: InheritanceShelf
  readonly relays: RelayShelf
  readonly ledger: LedgerShelf
  readonly budgets: BudgetShelf
  readonly upkeep: UpkeepShelf
}
