import type { DeliveryState, InboxMessage } from '../../model/delivery.ts'
import type { Priority } from '../../model/priority.ts'

/**
 * Looks back over what has happened, for people who look at it. Every look is bounded by what it reads, whatever the store
 * holds, and goes by indexes that are there anyway: neither push nor drain pays for it.
 */
export interface HistoryShelf {
  /** The newest messages of a type in an inbox, among its last 2,000; newest first. */
  recent(params: RecentParams): Promise<readonly InboxMessage[]>
  /** All of that type among the last 2,000, newest first, without what they say. */
  fired(params: Pick<RecentParams, 'agent' | 'type'>): Promise<readonly FiredSample[]>
  /** When messages were pushed since a time, newest first. */
  pushed(params: SinceParams): Promise<readonly number[]>
  /** Deliveries of what was pushed since a time, newest message first. */
  delivered(params: SinceParams): Promise<readonly DeliverySample[]>
  /** What waits, in no order: at `limit` there may be more. */
  waiting(params: { readonly limit: number }): Promise<readonly WaitingSample[]>
  /** Offers that were made since a time, newest first. */
  offered(params: SinceParams): Promise<readonly OfferSample[]>
}

export interface RecentParams {
  readonly agent: string
  readonly type: string
  /** Only of this sender. */
  readonly from?: string | undefined
  readonly limit: number
}

export interface FiredSample {
  readonly id: string
  readonly ref: string | null
  readonly createdAt: number
  readonly state: DeliveryState
}

export interface SinceParams {
  /** Ids are in order of time: everything from this one on. */
  readonly fromId: string
  readonly limit: number
}

export interface WaitingSample {
  readonly createdAt: number
  readonly priority: Priority
}

export interface DeliverySample extends WaitingSample {
  readonly agent: string
  readonly state: DeliveryState
  readonly seenAt: number | null
  /** When it came into the state that it is in, where that is another than waiting or seen. */
  readonly movedAt: number | null
  readonly characters: number
}

export interface OfferSample {
  readonly offeredAt: number
  readonly printedAt: number | null
  readonly closedAt: number | null
  readonly outcome: string | null
  readonly size: number
  /** Null where nobody's hook has made it. */
  readonly sessionId: string | null
}
