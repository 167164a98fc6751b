import type { Message, Sender } from '../../model/message.ts'
import type { PushResult } from '../../model/postern.ts'
import type { SearchPart } from '../../model/search.ts'

/** Messages: what was said, by whom, in which thread. What becomes of them is on the shelf of deliveries. */
export interface MessageShelf {
  /**
   * Stores each message with one delivery per recipient: all items or none. Recipients are locked in the order of their
   * ids and each one's `inbox_seq` is counted up, so an inbox has one order, which is that of commits.
   *
   * Repeatable under a dedup key: a recipient that has the message already is reported as a duplicate.
   *
   * Throws AGENT_NOT_FOUND, INBOX_FULL or DEDUP_CONFLICT. The transaction must then be rolled back.
   */
  push(params: PushParams): Promise<readonly PushResult[]>
  /**
   * Stores one message for everybody, in constant time; each agent's next drain makes its delivery. Repeatable under a
   * dedup key. Throws DEDUP_CONFLICT.
   */
  broadcast(params: { readonly message: Message }): Promise<{ readonly id: string; readonly duplicate: boolean }>
  get(id: string): Promise<Message | undefined>
  /** The message that is about to be answered. Until the transaction ends, no gate can start waiting for its answer. */
  getAnswered(id: string): Promise<Message | undefined>
  /** The message whose answer a gate is about to wait for. Until the transaction ends, nobody can answer it. */
  getAwaited(id: string): Promise<Message | undefined>
  /** The thread's messages, oldest first. */
  thread(params: { readonly threadId: string; readonly limit: number }): Promise<readonly Message[]>
  /**
   * Who has replied to a message, in no order. It does not count a reply that is held for a person, was cancelled, or
   * expired before it was shown; a snoozed reply counts.
   */
  repliers(params: { readonly message: Message; readonly now: number }): Promise<readonly Sender[]>
  /** How many messages the thread has had since the last one from a person. */
  countThread(params: { readonly threadId: string }): Promise<number>
  /**
   * Ends a message's time to live, unless it has ended already. An agent that takes up an expired broadcast later gets
   * no pending delivery of it. Repeatable.
   */
  expire(params: { readonly id: string; readonly at: number }): Promise<void>
  /**
   * Indexes messages that are not indexed yet, oldest first: at most `limit`, and fewer where they are long. Returns
   * whether there may be more. It writes.
   */
  indexForSearch(params: { readonly limit: number }): Promise<boolean>
  /** Newest first. Finds what is indexed; all parts must match. */
  search(params: SearchParams): Promise<readonly Found[]>
  /** The same among a bounded number of messages that are not indexed, the newest below `before`. It reads their texts. */
  searchUnindexed(
    params: Omit<SearchParams, 'limit'> & { readonly before?: number | undefined },
  ): Promise<FoundUnindexed>
}

export type Searcher = Pick<MessageShelf, 'indexForSearch' | 'search' | 'searchUnindexed'>

export interface SearchParams {
  readonly parts: readonly SearchPart[]
  readonly agent?: string
  /** Of those, only the ones that this agent sent or was sent too. */
  readonly shared?: string | undefined
  readonly limit: number
}

export interface Found {
  readonly message: Message
  /** Its number in the order in which messages were stored. */
  readonly seq: number
}

export interface FoundUnindexed {
  readonly found: readonly Found[]
  /** Where to go on; undefined if there are no others. */
  readonly before: number | undefined
}

export interface PushParams {
  readonly items: readonly PushItem[]
  readonly pendingLimit: number
}

/** A message for the agents named in its `to`, each once and in ascending order. */
export interface PushItem {
  readonly message: Message
  /** Recipients for whom the message is held because a budget was spent. */
  readonly held: readonly string[]
  /**
   * Delivers a repeated message anew, with its new time to live, to recipients whose earlier delivery has expired or was
   * cancelled. Otherwise a repeated key never delivers to the same agent again.
   */
  readonly revives?: boolean
}
