import type { HealthCheck, PushResult } from '../model/postern.ts'
import type { AgentShelf } from './contract/agents.ts'
import type { BudgetShelf } from './contract/budgets.ts'
import type { DecisionShelf } from './contract/decisions.ts'
import type { DeliveryShelf } from './contract/deliveries.ts'
import type { EventShelf } from './contract/events.ts'
import type { GateShelf } from './contract/gates.ts'
import type { HistoryShelf } from './contract/history.ts'
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
 * Where truth is kept. SQLite and PostgreSQL embody it; one conformance suite runs against both.
 *
 * Whatever `transact` resolves is on stable storage, unless it need not last. A verb may be run again from its
 * beginning if the engine asks for it (a lost race on PostgreSQL, a group that failed half-way on SQLite), so it must
 * have no effects but those of its `tx`, and it awaits nothing else.
 */
export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  /** Where it is, fit to be shown: a path, or a URL without its password. */
  readonly location: string
  /** All of a verb or nothing. On SQLite concurrent verbs share one commit. */
  transact<T>(verb: (tx: Shelves) => Promise<T>, options?: TransactOptions): Promise<T>
  /** A verb that makes exactly one call on a shelf: on PostgreSQL it needs no BEGIN and COMMIT around it. */
  single<T>(call: (tx: Shelves) => Promise<T>, options?: TransactOptions): Promise<T>
  /**
   * Stores messages as one call of `messages.push` within `single` would, and fails alike. Many such calls that wait
   * together may share a commit or a statement; each is still all or nothing by itself.
   */
  push(params: PushParams): Promise<readonly PushResult[]>
  /** Reads what is committed. Never blocks a writer. */
  readonly read: Shelves
  /** The store's clock: its machine's for PostgreSQL, so that many servers agree on deadlines. */
  now(): number
  /** What the engine can say about its own health: settings, integrity, schema. */
  check(): Promise<readonly HealthCheck[]>
  /** What is wrong with the contents, in words; empty when conservation holds. */
  audit(params: { readonly limit: number }): Promise<readonly string[]>
  /** A consistent copy, taken while others write. */
  backup(path: string): Promise<void>
  close(): Promise<void>
}

export interface TransactOptions {
  /** How long it waits for other processes, on SQLite. */
  readonly patienceMs?: number
  /**
   * False: on SQLite loss of power may undo it, though nothing else can. Only for an offer, which is then simply made
   * again, and for what is known of a session, which has ended then: nobody has to wait for the disk before a message is
   * shown. PostgreSQL always waits, for its server may crash
   * while those who were shown the messages live on.
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

export interface Shelves {
  readonly agents: AgentShelf
  readonly sessions: SessionShelf
  readonly messages: MessageShelf
  readonly deliveries: DeliveryShelf
  readonly offers: OfferShelf
  readonly snoozes: SnoozeShelf
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
