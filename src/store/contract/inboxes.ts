import type { Delivery, InboxMessage } from '../../model/delivery.ts'
import type { ListParams } from './deliveries.ts'

/**
 * Inboxes as a reader finds them now. A snoozed delivery whose time has come counts as pending. A broadcast counts as
 * delivered to every agent that is yet to take it up. Nothing is written: a later drain takes up the broadcast, and a
 * drain or upkeep wakes the snoozed delivery.
 */
export interface InboxShelf {
  /** By agent, then inbox order. A broadcast that was not taken up has the place that it would get now. */
  page(params: InboxPageParams): Promise<InboxRows>
  /** The deliveries that a broadcast will get from agents that have not taken it up, by agent. */
  untaken(params: { readonly id: string; readonly now: number }): Promise<readonly Delivery[]>
}

export interface InboxPageParams extends Omit<ListParams, 'after'> {
  readonly after?: InboxCursor
  /** Reverses the order. For one agent only. */
  readonly isNewestFirst?: boolean
}

/** The last item of a page. */
export interface InboxCursor {
  readonly agent: string
  /** Its place; for a broadcast that was not taken up, the last place that the inbox had given. */
  readonly inboxSeq: number
  /** The number of that broadcast. It stays the same when the broadcast gets its place. */
  readonly broadcastSeq?: number
}

export interface InboxRows {
  readonly items: readonly InboxMessage[]
  /** Absent if there is nothing more. */
  readonly next?: InboxCursor
}
