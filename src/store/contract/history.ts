import type { DeliveryState, InboxMessage } from '../../model/delivery.ts'
import type { Priority } from '../../model/priority.ts'

/**
 * Queries over the past, for people. They write and lock nothing. Each reads a bounded number of rows, however much the
 * store holds, and uses indexes that exist anyway, so neither push nor drain pays for them.
 */
export interface HistoryShelf {
  /** The newest messages of a type among the last 2,000 of an inbox; newest first. */
  recent(params: RecentParams): Promise<readonly InboxMessage[]>
  /** All messages of a type among the last 2,000 of an inbox, newest first, without their content. */
  fired(params: Pick<RecentParams, 'agent' | 'type'>): Promise<readonly FiredSample[]>
  /** When messages were pushed since a time, newest first. */
  pushed(params: SinceParams): Promise<readonly number[]>
  /** Deliveries of the messages that were pushed since a time, newest message first. */
  delivered(params: SinceParams): Promise<readonly DeliverySample[]>
  /** Pending deliveries, in no order. If there are `limit`, there may be more. */
  waiting(params: { readonly limit: number }): Promise<readonly WaitingSample[]>
  /** Offers that were made since a time, newest first. */
  offered(params: SinceParams): Promise<readonly OfferSample[]>
}

export interface RecentParams {
  readonly agent: string
  readonly type: string
  /** Only from this sender. */
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
  /** The first id to include. Ids are in order of time. */
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
  /** When it came into its present state, unless that is pending or seen. */
  readonly movedAt: number | null
  readonly characters: number
}

export interface OfferSample {
  readonly offeredAt: number
  readonly printedAt: number | null
  readonly closedAt: number | null
  readonly outcome: string | null
  readonly size: number
  /** Null if no hook made the offer. */
  readonly sessionId: string | null
}
