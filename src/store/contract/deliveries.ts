import type { Delivery, DeliveryState, InboxMessage } from '../../model/delivery.ts'
import type { Priority } from '../../model/priority.ts'
import type { ReceiptStep } from '../../model/receipt.ts'

/**
 * One delivery per message and recipient, and its history. The state machine is in `model/delivery.ts`; `move` and
 * `moveAll` trust the caller to know it. Each move and its step of the history are written together.
 */
export interface DeliveryShelf {
  /**
   * A cheap check without locks: does anything wait for this agent? Undefined if the agent does not exist. A caller that
   * is about to drain passes its limits, and may get candidates at once.
   */
  waiting(params: LookParams | CandidateParams): Promise<Waiting | undefined>
  /**
   * Makes deliveries of the broadcasts above the agent's cursor, moves the cursor, and returns how many were made.
   * Expired broadcasts are recorded as such. The agent is locked until the transaction ends; repeating it makes none.
   */
  takeUpBroadcasts(params: { readonly agent: string; readonly now: number }): Promise<number>
  /**
   * Pending messages that a drain may take, by priority, then inbox order. If at most `limit` are pending, these are all
   * of them. Otherwise there are more than `limit`, including the oldest of all and every critical one up to
   * `criticalLimit`. Expired messages are left out.
   *
   * They are locked until the transaction ends, and those that another drain has locked are skipped. So two drains never
   * take the same message, and neither waits. A message that cannot be read, or does not match its checksum, is among
   * them as damaged.
   */
  candidates(params: CandidateParams): Promise<readonly InboxMessage[]>
  /** How many messages are pending for the agent, with the broadcasts that it has not taken up. */
  countPending(params: {
    readonly agent: string
    readonly now: number
    readonly maxPriority?: Priority
    /** Stop counting deliveries at this number. */
    readonly upTo?: number | undefined
  }): Promise<number>
  /** By agent, then inbox order; `after` is exclusive. */
  list(params: ListParams): Promise<readonly InboxMessage[]>
  /** All deliveries of one message by agent, with the times and outcomes of their offers. */
  ofMessage(id: string): Promise<readonly Delivery[]>
  /** The recorded history of one message's deliveries, oldest first: attempts, and moves other than the usual ones. */
  steps(id: string): Promise<readonly (ReceiptStep & { readonly agent: string })[]>
  /**
   * Moves deliveries of one message from one of `from` to `to`, records the step, and returns the agents concerned. A
   * delivery in another state is left alone, so repeating a move returns none. Waits for deliveries that another
   * transaction has locked. Nothing becomes pending for a removed agent.
   */
  move(params: MoveParams): Promise<readonly string[]>
  /**
   * Makes pending deliveries of damaged messages dead, and records why. They are named by their places in the inbox, for
   * even the ids of such messages may be damaged. Returns how many there were; repeating it finds none.
   */
  quarantine(params: QuarantineParams): Promise<number>
  /** Adds a step to the history of a message's deliveries that does not follow from their states. Not repeatable. */
  record(params: RecordParams): Promise<void>
  /**
   * Moves everything of one agent, as its removal does, and returns how many deliveries were moved. Until the
   * transaction ends nothing can be pushed into the inbox, and none of its offers confirmed.
   */
  moveAll(params: MoveAllParams): Promise<number>
  /**
   * Ends what agents have under some dedup keys because it asks for nothing any more: what was printed is acted, the rest
   * cancelled. What has ended stays as it is, so repeating it changes nothing. Returns whose deliveries were moved.
   */
  finish(params: FinishParams): Promise<readonly string[]>
  /** The dedup keys of an agent's deliveries that begin with a prefix, at most `limit`. */
  keysOf(params: {
    readonly agent: string
    readonly prefix: string
    readonly limit: number
  }): Promise<readonly string[]>
  /** Which of these agents have a delivery under a dedup key; with a time, one that is not expired by then or cancelled. */
  withKey(params: {
    readonly agents: readonly string[]
    readonly dedupKey: string
    readonly unlessOverAt?: number
  }): Promise<readonly string[]>
  /** Marks pending deliveries past their time as expired, at most `limit`, and returns how many. Skips locked ones. */
  expire(params: { readonly now: number; readonly limit: number; readonly agent?: string }): Promise<number>
}

/** What a drain would find. If all are false, there is nothing to do and nothing is written. */
export interface Waiting {
  readonly pending: boolean
  readonly broadcasts: boolean
  /** An offer has lapsed, or a snoozed message is due. */
  readonly lapsed: boolean
  /** A pending message is past its time to live. */
  readonly expired: boolean
  /** One of the agent's plans is due. */
  readonly plans: boolean
  /** An offer is open in a session that has a host process, which may be gone. */
  readonly hosted: boolean
  /** What a drain may take, not locked. PostgreSQL adds it if nothing else waits, which saves a round trip. */
  readonly candidates?: readonly InboxMessage[]
}

export interface LookParams {
  readonly agent: string
  readonly now: number
}

export interface CandidateParams extends LookParams {
  readonly limit: number
  readonly criticalLimit: number
  readonly maxPriority?: Priority
}

export interface ListParams {
  readonly agent?: string
  /** Pending messages that have expired by now are left out. */
  readonly now: number
  readonly states: readonly DeliveryState[]
  readonly limit: number
  readonly after?: { readonly agent: string; readonly inboxSeq: number }
  /** Of held messages, only those that are snoozed, or only those that are not. */
  readonly snoozed?: boolean | undefined
}

export interface MoveParams {
  readonly id: string
  readonly agent?: string
  readonly from: readonly DeliveryState[]
  readonly to: DeliveryState
  readonly at: number
  readonly by: string
  readonly reason: string
}

export interface FinishParams {
  readonly agents: readonly string[]
  readonly keys: readonly string[]
  /** Also every key that begins so. */
  readonly prefix?: string | undefined
  readonly at: number
  readonly by: string
  readonly reason: string
}

export interface QuarantineParams {
  readonly agent: string
  readonly inboxSeqs: readonly number[]
  readonly at: number
  readonly reason: string
}

export interface RecordParams {
  readonly id: string
  readonly agents: readonly string[]
  readonly step: string
  readonly at: number
  readonly by: string
  readonly evidence: string
}

export interface MoveAllParams {
  readonly agent: string
  readonly from: readonly DeliveryState[]
  readonly to: DeliveryState
  readonly at: number
  readonly by: string
  readonly reason: string
}
