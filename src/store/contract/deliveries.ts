import type { Delivery, DeliveryState, InboxMessage } from '../../model/delivery.ts'
import type { Priority } from '../../model/priority.ts'
import type { ReceiptStep } from '../../model/receipt.ts'

export interface DeliveryShelf {
  /**
   * A cheap look, without locks: is there anything for this agent? Undefined for an agent that does not exist. Who means
   * to drain says how much, and may be shown candidates at once.
   */
  waiting(params: LookParams | CandidateParams): Promise<Waiting | undefined>
  /** Makes deliveries of the broadcasts above the agent's cursor. Expired ones are recorded as such. */
  takeUpBroadcasts(params: { readonly agent: string; readonly now: number }): Promise<number>
  /**
   * Pending messages that a drain may take, by priority, then order: no more than `limit` where that is all there are;
   * else more than `limit`, with the oldest of all and every critical one up to `criticalLimit`. Expired ones are left
   * out. Locked until the transaction ends.
   */
  candidates(params: CandidateParams): Promise<readonly InboxMessage[]>
  countPending(params: {
    readonly agent: string
    readonly now: number
    readonly maxPriority?: Priority
    /** Of deliveries, no more than so many are counted. */
    readonly upTo?: number | undefined
  }): Promise<number>
  /** By agent and order; `after` is exclusive. */
  list(params: ListParams): Promise<readonly InboxMessage[]>
  /** All deliveries of one message, with what their offers know. */
  ofMessage(id: string): Promise<readonly Delivery[]>
  /** The recorded history of one message's deliveries, oldest first: attempts, and moves other than the usual ones. */
  steps(id: string): Promise<readonly (ReceiptStep & { readonly agent: string })[]>
  /**
   * Moves deliveries of one message from one of `from` to `to` and records the step; returns the agents concerned.
   * Nothing becomes pending for an agent that was removed.
   */
  move(params: MoveParams): Promise<readonly string[]>
  /** Adds a step to the history of a message's deliveries that their state alone does not tell. */
  record(params: RecordParams): Promise<void>
  /** Moves everything of one agent, as when it is removed. */
  moveAll(params: MoveAllParams): Promise<number>
  /** Which of these agents have a delivery under a dedup key. */
  withKey(params: { readonly agents: readonly string[]; readonly dedupKey: string }): Promise<readonly string[]>
  /** Marks pending deliveries past their time as expired; at most `limit`. */
  expire(params: { readonly now: number; readonly limit: number; readonly agent?: string }): Promise<number>
}

/** What a drain would find. All false: there is nothing to do and nothing is written. */
export interface Waiting {
  readonly pending: boolean
  readonly broadcasts: boolean
  /** An offer's time is over, or the time has come until which something was put off. */
  readonly lapsed: boolean
  /** Some of what is pending is past its time. */
  readonly expired: boolean
  /** The instant of one of its plans has come. */
  readonly plans: boolean
  /** What a drain may take, not locked. PostgreSQL shows it where nothing but that waits, and saves a way to the server. */
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
  /** Only of one agent: the other way round. */
  readonly isNewestFirst?: boolean
  /** Of what is held, only what was put off until a time, or only what was not. */
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
