import type { DeliveryState } from '../model/delivery.ts'
import type { HealthCheck, PushResult } from '../model/postern.ts'
import type { AgentShelf, SessionShelf } from './agent-shelves.ts'
import type { DecisionShelf, GateShelf } from './gate-shelf.ts'
import type { HistoryShelf } from './history-shelf.ts'
import type { DeliveryShelf, MessageShelf, OfferShelf, PushParams, SnoozeShelf } from './inbox-shelves.ts'
import type { InheritanceShelf } from './inheritance-shelf.ts'
import type { LedgerShelf } from './ledger-shelf.ts'
import type { RelayShelf } from './relay-shelf.ts'
import type { EventShelf, PlanShelf, ReplyShelf, ServiceShelf, SpaceShelf, TokenShelf } from './source-shelves.ts'

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

export type { AgentShelf, NewAgent, SessionShelf, SettleAgent, TurnParams } from './agent-shelves.ts'
export type { CloseGate, DecisionShelf, GateShelf, ListGates, SessionMark } from './gate-shelf.ts'
export type { DeliverySample, HistoryShelf, OfferSample, WaitingSample } from './history-shelf.ts'
export type {
  CandidateParams,
  ClosedOffer,
  CloseOffer,
  DeliveryShelf,
  ListParams,
  LookParams,
  MessageShelf,
  MoveAllParams,
  MoveParams,
  NewOffer,
  OfferShelf,
  PushItem,
  PushParams,
  RecordParams,
  SnoozeParams,
  SnoozeShelf,
  Waiting,
} from './inbox-shelves.ts'
export type {
  InheritanceOutcome,
  InheritanceRecord,
  InheritanceShelf,
  OfferedItem,
  RootRef,
} from './inheritance-shelf.ts'
export type { LedgerAccount, LedgerShelf, LedgerTransaction, ListTopics, NewEntry } from './ledger-shelf.ts'
export type { RelayRecord, RelayShelf, RelaySlice } from './relay-shelf.ts'
export type {
  ClaimedReply,
  EventShelf,
  NewPost,
  PlanShelf,
  ReplyKey,
  ReplyShelf,
  ServiceRecord,
  ServiceShelf,
  SpaceShelf,
  TokenShelf,
} from './source-shelves.ts'

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

export interface BudgetShelf {
  /** Takes one token of the pair's bucket; false where it is empty. */
  take(params: {
    readonly from: string
    readonly to: string
    readonly now: number
    readonly burst: number
    readonly perMinute: number
  }): Promise<boolean>
}

export interface UpkeepShelf {
  /** Whether a gate's time has come. */
  hasDueGates(params: { readonly now: number }): Promise<boolean>
  /** Whether a plan's instant has come. */
  hasDuePlans(params: { readonly now: number }): Promise<boolean>
  /** The earliest time after another at which a gate or a plan has to be looked at; undefined where there is none. */
  nextAt(params: { readonly after: number }): Promise<number | undefined>
  /** When each job was last claimed. */
  ranAt(): Promise<ReadonlyMap<string, number>>
  /** Claims the next slice of a named job if it is due; false where somebody else had it within the interval. */
  claim(params: { readonly job: string; readonly now: number; readonly intervalMs: number }): Promise<boolean>
  /** Forgets sessions, ended or not, of which nothing was heard since a time; at most `limit`. */
  forgetSessions(params: { readonly unheardSince: number; readonly limit: number }): Promise<number>
  /** Removes whole messages older than `idBefore`, all of whose deliveries were finished before a time; at most `limit`. */
  reap(params: { readonly finishedBefore: number; readonly idBefore: string; readonly limit: number }): Promise<number>
  counts(): Promise<Readonly<Record<DeliveryState, number>>>
}
