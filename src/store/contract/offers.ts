import type { InboxMessage } from '../../model/delivery.ts'
import type { Offer, OfferOutcome } from '../../model/offer.ts'
import type { Session } from '../../model/session.ts'

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
