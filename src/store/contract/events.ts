import type { PosternEvent } from '../../model/network/event.ts'

/**
 * What has happened, in the order of commits. The engine writes it by itself, with the change that it tells of: there is
 * no way to change something that is not told, and none to tell of what did not happen.
 */
export interface EventShelf {
  /** Oldest first. Throws CURSOR_UNKNOWN for what is no cursor of this store. On PostgreSQL what an open transaction may still come before is not shown yet. */
  after(params: { readonly cursor: string; readonly limit: number }): Promise<EventSlice>
  /** The cursor of the present, or of so many events before it; of the oldest that is kept where there are fewer. */
  last(params?: { readonly back: number }): Promise<string>
  /** Removes events older than a time, and those beyond about `keep`; never the last one. At most `limit`. */
  reap(params: { readonly before: number; readonly keep: number; readonly limit: number }): Promise<number>
}

export interface EventSlice {
  readonly items: readonly PosternEvent[]
  /** True where events after the cursor have been removed. */
  readonly hasGap: boolean
  /** True where there are more that cannot be shown yet, for as long as an older transaction is open. */
  readonly isHeldBack: boolean
}
