import type { Message } from '../../model/message.ts'

/** How far the store's messages were carried to an engine that rings other machines. */
export interface RelayShelf {
  /** A look: nothing is locked. Undefined where nobody ever led. */
  get(params: { readonly name: string }): Promise<RelayRecord | undefined>
  /**
   * Takes or keeps the right to relay until a time, unless another has it, and returns how it stands then: it is the
   * caller's where the caller is its holder. One that nobody ever had begins at the cursor.
   */
  lead(params: LeadRelay): Promise<RelayRecord>
  /** Remembers how far the holder has come, and until when it holds. False, and nothing is done, for anybody else. */
  keep(params: RelayRecord & { readonly name: string }): Promise<boolean>
  /**
   * What came after a cursor and waits for somebody now: messages that were pushed, and those that became pending again.
   * At most `limit` events are looked at, in the order of their commits. Throws CURSOR_UNKNOWN for what is no cursor of
   * this store.
   */
  after(params: AfterRelayed): Promise<RelaySlice>
  /** How many events after a cursor may have something to carry; no more than about `limit` are counted. */
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
  /** A message and whom it waits for; null: everybody. For each agent in the order of its inbox. */
  readonly items: readonly { readonly message: Message; readonly agent: string | null }[]
  /** After the last event that was looked at. */
  readonly cursor: string
  readonly isMore: boolean
  /** True where events after the cursor have been removed. */
  readonly hasGap: boolean
  /** True where there are more that cannot be shown yet, for as long as an older transaction is open. */
  readonly isHeldBack: boolean
}
