import type { EventShelf, EventSlice } from './contract/events.ts'
import type { RawEvent } from './event-data.ts'

/** Events as they are kept. Each engine has its own, because each has an order of commits of its own. */
export interface EventLog extends Pick<EventShelf, 'last' | 'reap'> {
  /** As `EventShelf.after`, but nothing is looked up. */
  after(params: { readonly cursor: string; readonly limit: number }): Promise<RawSlice>
}

export interface RawSlice extends Omit<EventSlice, 'items'> {
  readonly items: readonly RawEvent[]
}
