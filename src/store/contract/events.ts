import type { PosternEvent } from '../../model/network/event.ts'

/**
 * The event log, in the order of commits. The engine writes it by triggers, in the transaction of the change itself. So
 * no change goes unreported, and no event reports a change that did not happen.
 *
 * A reader that follows the cursors sees each event once and misses none, except where `hasGap` says so.
 */
export interface EventShelf {
  /**
   * Oldest first. Throws CURSOR_UNKNOWN for a cursor that is not of this store. On PostgreSQL an event is held back
   * while an open transaction may still write one before it.
   */
  after(params: { readonly cursor: string; readonly limit: number }): Promise<EventSlice>
  /** The cursor of the present, or of `back` events before it; if fewer are left, that of the oldest. */
  last(params?: { readonly back: number }): Promise<string>
  /** Removes events older than a time, and those beyond about `keep`; at most `limit`, and never the last one. */
  reap(params: { readonly before: number; readonly keep: number; readonly limit: number }): Promise<number>
}

export interface EventSlice {
  readonly items: readonly PosternEvent[]
  /** True if events after the cursor have been removed. */
  readonly hasGap: boolean
  /** True if there are more that are held back while an older transaction is open. */
  readonly isHeldBack: boolean
}
