import type { InboxMessage } from '../../model/delivery.ts'
import type { Offer, OfferOutcome } from '../../model/offer.ts'
import type { Session } from '../../model/session.ts'

/**
 * Offers: which deliveries are being shown to whom. An offer is one row that names its deliveries, so confirming a
 * thousand messages writes one row. It is closed once; a second caller waits for the first and gets undefined.
 */
export interface OfferShelf {
  /**
   * Opens an offer on all candidates: each becomes `offered`, with one more attempt. False, and nothing is written, if
   * they were not locked and one of them was taken or moved since.
   */
  open(params: NewOffer): Promise<boolean>
  get(id: string): Promise<Offer | undefined>
  /** Ids of the messages of which an offer shows only the headline. */
  headlines(id: string): Promise<readonly string[]>
  /** Whether the agent was offered anything by this offer or a later one. Ids are in order of time. */
  hasSince(params: { readonly agent: string; readonly id: string }): Promise<boolean>
  /** Sets the time of printing and the new expiry of an open offer; undefined if it is not open. */
  setPrinted(params: {
    readonly id: string
    readonly at: number
    readonly expiresAt: number
  }): Promise<Offer | undefined>
  /**
   * Closes an open offer. If it is confirmed, its deliveries are `seen`; otherwise they are pending again, or dead, and
   * the attempt is added to their history. Undefined if it is not open. Also undefined if it was to be confirmed but is
   * not printed: only printed messages are ever confirmed.
   */
  close(params: CloseOffer): Promise<ClosedOffer | undefined>
  /**
   * Open offers of a session that were printed before a time, oldest first; also those that were printed long after
   * `now`, because the clock was set back since. Locked until the transaction ends.
   */
  printedOf(params: {
    readonly sessionId: string
    readonly before: number
    readonly now: number
  }): Promise<readonly Offer[]>
  /** Open offers of a session, oldest first. Locked until the transaction ends. */
  openOf(params: { readonly sessionId: string }): Promise<readonly Offer[]>
  /** Open offers that have lapsed, earliest expiry first. Locked until the transaction ends; locked ones are skipped. */
  lapsed(params: { readonly now: number; readonly limit: number; readonly agent?: string }): Promise<readonly Offer[]>
  /** Sessions on a machine that have a host process and an open offer, of one agent or of all, by id; `after` is exclusive. */
  hosts(params: {
    readonly machine: string
    readonly after: string
    readonly limit: number
    readonly agent?: string
  }): Promise<readonly Session[]>
  /** Open offers of these sessions, oldest first. Locked until the transaction ends; locked ones are skipped. */
  ofSessions(params: { readonly sessionIds: readonly string[]; readonly limit: number }): Promise<readonly Offer[]>
}

export interface NewOffer {
  readonly offer: Offer
  readonly taken: readonly InboxMessage[]
  readonly headlines: readonly string[]
}

export interface CloseOffer {
  readonly id: string
  readonly at: number
  /** Set if printing and closing are one step. */
  readonly printedAt?: number
  readonly outcome: OfferOutcome
  readonly evidence: string
  /** A delivery that comes back after this many attempts, or a multiple of it, is dead. */
  readonly maxAttempts: number
}

export interface ClosedOffer {
  readonly offer: Offer
  /** Ids of the messages that are dead now. */
  readonly dead: readonly string[]
}
