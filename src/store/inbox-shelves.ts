import type { Delivery, DeliveryState, InboxMessage } from '../model/delivery.ts'
import type { Message, Sender } from '../model/message.ts'
import type { Offer, OfferOutcome } from '../model/offer.ts'
import type { PushResult } from '../model/postern.ts'
import type { Priority } from '../model/priority.ts'
import type { ReceiptStep } from '../model/receipt.ts'
import type { SearchPart } from '../model/search.ts'
import type { Session } from '../model/session.ts'

export interface MessageShelf {
  /**
   * Stores each message with a delivery per recipient. Recipients are locked in id order and their `inbox_seq`
   * counted up, so that an inbox has one order: that of commits. Throws AGENT_NOT_FOUND, INBOX_FULL or
   * DEDUP_CONFLICT; the transaction must then be given up, and nothing of any item is stored.
   */
  push(params: PushParams): Promise<readonly PushResult[]>
  /** Stores one message for everybody, in constant time. Drains take it up. Throws DEDUP_CONFLICT. */
  broadcast(params: { readonly message: Message }): Promise<{ readonly id: string; readonly duplicate: boolean }>
  get(id: string): Promise<Message | undefined>
  /** The message that is about to be answered. Until the transaction ends no gate begins to wait for an answer to it. */
  getAnswered(id: string): Promise<Message | undefined>
  /** The message whose answer is about to be waited for. Until the transaction ends nobody answers it. */
  getAwaited(id: string): Promise<Message | undefined>
  /** The thread's messages, oldest first. */
  thread(params: { readonly threadId: string; readonly limit: number }): Promise<readonly Message[]>
  /** Who has replied to a message. What is held, or was taken back, is no reply. */
  repliers(params: { readonly message: Message }): Promise<readonly Sender[]>
  /** How many messages the thread has had since the last one of a person. */
  countThread(params: { readonly threadId: string }): Promise<number>
  /** Ends a message's time to live, unless it is over already: a broadcast is then pending for nobody who takes it up later. */
  expire(params: { readonly id: string; readonly at: number }): Promise<void>
  /** Indexes what is not indexed yet; returns how many messages that were. A writing call. */
  indexForSearch(params: { readonly limit: number }): Promise<number>
  /** Newest first. */
  search(params: {
    readonly parts: readonly SearchPart[]
    readonly agent?: string
    readonly limit: number
  }): Promise<readonly Message[]>
}

export interface PushParams {
  readonly items: readonly PushItem[]
  readonly pendingLimit: number
}

/** A message for agents named in its `to`, without repetition and in ascending order. */
export interface PushItem {
  readonly message: Message
  /** Recipients for whom it is held because a budget was spent. */
  readonly held: readonly string[]
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

/** Single deliveries that their own agent picks out: to read them, or to put them off. */
export interface SnoozeShelf {
  /** Those of these messages that are pending for the agent, by priority, then order. Locked until the transaction ends. */
  pendingOf(params: {
    readonly agent: string
    readonly ids: readonly string[]
    readonly now: number
  }): Promise<readonly InboxMessage[]>
  /**
   * Holds a delivery until a time, whether it was shown before or not; one that is put off already until another. What its
   * offer knows is kept in its history. False where it is in no state to be put off.
   */
  snooze(params: SnoozeParams & { readonly untilAt: number }): Promise<boolean>
  /**
   * Makes a delivery that was put off pending again, also where its time to live has ended meanwhile: that counts no more.
   * False where it was not put off.
   */
  wake(params: SnoozeParams): Promise<boolean>
  /** Makes deliveries pending again whose time has come, at most `limit`; returns whose they are. */
  due(params: {
    readonly now: number
    readonly limit: number
    readonly agent?: string | undefined
  }): Promise<readonly string[]>
  /** Whether there are such, without a lock. */
  hasDue(params: { readonly now: number; readonly agent?: string | undefined }): Promise<boolean>
  /**
   * Who was shown a message before, whatever has become of it since: put off, or pending again. All its deliveries are
   * locked until the transaction ends. What only a present offer knows is not in it.
   */
  seenBy(id: string): Promise<readonly string[]>
  countSnoozed(): Promise<number>
}

export interface SnoozeParams {
  readonly id: string
  readonly agent: string
  readonly at: number
  readonly by: string
  readonly reason: string
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

export interface OfferShelf {
  /**
   * Opens an offer on candidates: they are `offered` with one more attempt. False, and nothing is done, where they were
   * not locked and somebody else has taken or moved one of them since.
   */
  open(params: NewOffer): Promise<boolean>
  get(id: string): Promise<Offer | undefined>
  /** Messages of which an offer shows only the headline. */
  headlines(id: string): Promise<readonly string[]>
  /** Whether the agent was offered anything by an offer with this id or a later one; ids are in order of time. */
  hasSince(params: { readonly agent: string; readonly id: string }): Promise<boolean>
  /** Sets the time of printing and the new expiry of an open offer; undefined where it is not open. */
  setPrinted(params: {
    readonly id: string
    readonly at: number
    readonly expiresAt: number
  }): Promise<Offer | undefined>
  /**
   * Closes an open offer. Confirmed: its deliveries are `seen`. Otherwise they are pending again, or dead. Undefined
   * where it is not open, or was to be confirmed and is not printed.
   */
  close(params: CloseOffer): Promise<ClosedOffer | undefined>
  /** Open offers of a session that were printed before a time. */
  printedOf(params: { readonly sessionId: string; readonly before: number }): Promise<readonly Offer[]>
  /** Open offers of a session. */
  openOf(params: { readonly sessionId: string }): Promise<readonly Offer[]>
  /** Open offers whose time is over. */
  lapsed(params: { readonly now: number; readonly limit: number; readonly agent?: string }): Promise<readonly Offer[]>
  /** Printed offers whose session names a host process: the upkeep asks whether it still lives. */
  withHost(params: { readonly limit: number }): Promise<readonly { readonly offer: Offer; readonly session: Session }[]>
}

export interface NewOffer {
  readonly offer: Offer
  readonly taken: readonly InboxMessage[]
  readonly headlines: readonly string[]
}

export interface CloseOffer {
  readonly id: string
  readonly at: number
  /** Set where printing and closing are one step. */
  readonly printedAt?: number
  readonly outcome: OfferOutcome
  readonly evidence: string
  /** From this attempt on a delivery that comes back is dead. */
  readonly maxAttempts: number
}

export interface ClosedOffer {
  readonly offer: Offer
  /** Messages that were put aside as dead. */
  readonly dead: readonly string[]
}
