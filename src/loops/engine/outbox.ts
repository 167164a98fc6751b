import type { Copy } from '../../wires/wire.ts'

/**
 * What has to be carried, in the order of commits. Its rows are the store's events, which are written with the message
 * itself; a relay only remembers how far it has come. Host makes one of a store.
 */
export interface Outbox {
  /** How long the right to relay lasts; `keep` makes it last so long again. */
  readonly leaseMs: number
  /** How it stands. Nothing is written, so that a server that has nothing to carry costs nothing. */
  look(): Promise<Standing>
  /**
   * Takes or prolongs the right to relay, unless another server has it, and says how it stands then. Of many servers one
   * relays, so that nothing is carried twice in vain.
   */
  lead(): Promise<Standing>
  /** What came after a cursor and still waits for somebody. Fails for no cursor: where one is too old, see `hasGap`. */
  next(params: { readonly cursor: string; readonly limit: number }): Promise<OutboxPage>
  /** Remembers how far this server has come; false where it leads no more. */
  keep(cursor: string): Promise<boolean>
  /** Gives the right back, with how far this server has come. Nothing where it leads no more. */
  leave(cursor: string): Promise<void>
  /** The cursor before everything that is kept. */
  oldest(): Promise<string>
  /** How many rows after a cursor are to be carried; of very many only the first are counted. */
  countAfter(cursor: string): Promise<number>
}

export interface Standing {
  /** How far whoever led last has come. */
  readonly cursor: string
  /** For how long another server has the right to relay; 0 where none has. */
  readonly heldForMs: number
}

export interface OutboxPage {
  readonly copies: readonly Copy[]
  /** After the last row that was looked at, whether it had anything to carry or not. */
  readonly cursor: string
  readonly isMore: boolean
  /** Rows after the cursor were removed before anybody carried them. Those who listen find their messages in the store. */
  readonly hasGap: boolean
  /** There are more that cannot be shown yet, for as long as an older transaction is open. */
  readonly isHeldBack: boolean
}
