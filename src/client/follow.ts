import type { EventFilter, PosternEvent } from '../model/network/event.ts'
import type { EventPage } from '../model/network/events.ts'
import { fromWire } from '../model/network/wire-json.ts'
import { type Follower, followStream } from './follow-stream.ts'
import { toRequest } from './request.ts'

export interface FollowEvents extends EventFilter {
  /** Only what came after this cursor; absent: from now on. */
  readonly after?: string
  readonly signal?: AbortSignal
}

/** What happens from now on, or after a cursor: each event once, in order. */
export function followEvents(
  follower: Follower,
  { signal, after, ...filters }: FollowEvents,
): AsyncIterable<PosternEvent> {
  return followStream(follower, {
    read: ({ data }) => fromWire(JSON.parse(data)) as PosternEvent,
    signal,
    begin: async () => after ?? ((await follower.call('events.list', { ...filters })) as EventPage).cursor,
    // Whoever comes back is told of a gap where they cannot go on; whoever comes with a cursor of nowhere is refused.
    request({ cursor, hasBegun }) {
      const { method, path } = toRequest('events.list', { ...filters, ...(!hasBegun && { after: cursor }) })
      return { method, path, headers: { Accept: 'text/event-stream', ...(hasBegun && { 'Last-Event-ID': cursor }) } }
    },
  })
}
