import type { Message, Sender } from '../../model/message.ts'
import type { PushResult } from '../../model/postern.ts'
import type { SearchPart } from '../../model/search.ts'

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
