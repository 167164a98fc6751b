import type { EventFilter, PosternEvent } from './event.ts'

export interface Events {
  /** What has happened after a cursor, oldest first, as far as the caller may see it. */
  list(input?: ListEvents): Promise<EventPage>
  /** As `list`, but waits for the first one where there is none yet. */
  wait(input: WaitEvents): Promise<EventPage>
}

export interface ListEvents extends EventFilter {
  /** Only what came after it; absent: from now on, which is an empty page with its cursor. */
  readonly after?: string
  /** Without `after`: begin so many events before now, wanted or not. */
  readonly latest?: number
  readonly limit?: number
}

export interface WaitEvents extends ListEvents {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface EventPage {
  readonly items: readonly PosternEvent[]
  /** Pass it as `after` to go on. It moves on also where nothing of interest came. */
  readonly cursor: string
  /** True where more has come than could be looked at: go on at once, even where there are no items. */
  readonly hasMore: boolean
  /** True where events after the given cursor are not kept any more: something may have been missed. */
  readonly hasGap: boolean
}
