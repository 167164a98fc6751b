import type { BusPage, ReadBus } from '../model/bus/bus.ts'
import { CURSOR_CHARACTERS, formatCursor, parseCursor } from '../model/bus/cursor-text.ts'
import type { BusEntry } from '../model/bus/entry.ts'
import { PosternError } from '../model/errors.ts'
import { ENTRY_STREAMS } from '../model/network/paths.ts'
import { fromWire } from '../model/network/wire-json.ts'
import { type Follower, followStream } from './follow-stream.ts'
import { fillRoute } from './request.ts'

export interface FollowBus extends Omit<ReadBus, 'tail' | 'limit'> {
  readonly signal?: AbortSignal
}

/** Something that has come on a bus. */
export interface BusNews {
  /** Null where entries may have been missed, because the last one that was seen is gone. */
  readonly entry: BusEntry | null
  /** Pass it as `after` to go on from here. */
  readonly cursor: string
}

/** Other programs write bodies of up to 8 MB, which come twice, and each byte of them may be escaped. */
const ENTRY_CHARACTERS = 128 * 1024 * 1024

/** What comes on a bus from now on, or after a cursor: each entry once, in order. */
export function followBus(follower: Follower, { signal, after, ...wanted }: FollowBus): AsyncIterable<BusNews> {
  return followStream(follower, {
    signal,
    maxCharacters: ENTRY_CHARACTERS,
    async begin() {
      if (after !== undefined) return toText(after)
      const { types: _, issue_id: __, run_id: ___, ...whole } = wanted
      return toText(((await follower.call('bus.read', { ...whole, tail: 1 })) as BusPage).cursor ?? '')
    },
    request({ cursor }) {
      // Whoever was there before is told of a gap where the entry is gone, and is not refused.
      const isBack = cursor !== ''
      const request = fillRoute(ENTRY_STREAMS[0], { ...wanted, ...(!isBack && { after: '' }) })
      return { ...request, headers: { Accept: 'text/event-stream', ...(isBack && { 'Last-Event-ID': cursor }) } }
    },
    read({ event, data, id }) {
      const cursor = parseCursor(id)
      if (event === 'gap') return { entry: null, cursor }
      return event === 'message' ? { entry: toEntry(data), cursor } : undefined
    },
  })
}

/** A cursor as streams and headers hold it. */
function toText(cursor: string): string {
  const text = formatCursor(cursor)
  if (text !== undefined) return text
  throw new PosternError('CONTENT_TOO_LARGE', { field: 'after', bytes: cursor.length, limit: CURSOR_CHARACTERS })
}

function toEntry(data: string): BusEntry {
  const { content: _, timestamp: __, ...entry } = fromWire(JSON.parse(data)) as BusEntry & Record<string, unknown>
  return entry
}
