import type { Message } from '../../model/message.ts'

/**
 * Relays: how far the store's messages were copied to an engine that rings other machines, and which server does it. A
 * lease keeps the servers apart. A server whose lease has passed to another cannot move the cursor.
 */
export interface RelayShelf {
  /** Locks nothing. Undefined if no server ever led. */
  get(params: { readonly name: string }): Promise<RelayRecord | undefined>
  /**
   * Takes or extends the lease, unless another server holds it, and returns the record as it is then. The caller leads
   * if it is the record's holder. A new relay starts at the given cursor.
   */
  lead(params: LeadRelay): Promise<RelayRecord>
  /** Saves the holder's cursor and the end of its lease. False, and nothing is written, for any other caller. */
  keep(params: RelayRecord & { readonly name: string }): Promise<boolean>
  /**
   * The messages after a cursor that are pending now: those that were pushed, and those that became pending again. Reads
   * at most `limit` events, in the order of commits. Repeatable: it moves no cursor. Throws CURSOR_UNKNOWN for a cursor
   * that is not of this store.
   */
  after(params: AfterRelayed): Promise<RelaySlice>
  /** How many events after a cursor may have a message to copy; reads no more than about `limit`. */
  countAfter(params: { readonly cursor: string; readonly limit: number }): Promise<number>
}

export interface RelayRecord {
  readonly holder: string
  readonly heldUntil: number
  readonly cursor: string
}

export interface LeadRelay {
  readonly name: string
  readonly holder: string
  readonly now: number
  readonly leaseMs: number
  readonly cursor: string
}

export interface AfterRelayed {
  readonly cursor: string
  readonly now: number
  readonly limit: number
}

export interface RelaySlice {
  /** A message and the agent for whom it is pending; null: everybody. For each agent in the order of its inbox. */
  readonly items: readonly { readonly message: Message; readonly agent: string | null }[]
  /** After the last event that was read. */
  readonly cursor: string
  readonly isMore: boolean
  /** True if events after the cursor have been removed. */
  readonly hasGap: boolean
  /** True if there are more that are held back while an older transaction is open. */
  readonly isHeldBack: boolean
}
