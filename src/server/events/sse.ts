import { PosternError } from '../../model/errors.ts'
import type { EventPage, ListEvents } from '../../model/network/events.ts'
import { parseInput, readQuery } from '../../operations/input.ts'
import { declaredOperation } from '../../operations/table.ts'
import type { Streaming } from '../exchange.ts'
import { beginStream } from './begin.ts'
import type { EventHub } from './event-hub.ts'
import { Stream } from './stream.ts'

/** One client's stream, from its first byte to its last. */
export interface EventStream {
  /** To be called from time to time: says that the server lives, and drops whoever takes nothing. */
  beat(): void
  end(): void
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>
}

export interface StreamMeans {
  readonly hub: EventHub
  readonly now: () => number
  /** Something went wrong that the client will make good by coming back. */
  readonly note: (error: unknown) => void
}

const PAGE = 25

/** Answers with a stream. Throws before the first byte where the request asks for something that cannot be. */
export async function openEventStream(streaming: Streaming, { hub, now, note }: StreamMeans): Promise<EventStream> {
  const { response, postern } = streaming
  const wanted = readWanted(streaming)
  const { page, from } = await firstPage(streaming, wanted)
  const { outlet, ended } = beginStream(streaming)
  const list = (after: string) => postern.events.list({ ...wanted, after })
  const stream = new Stream({ outlet, hub, now, list, wanted, caller: postern.caller, from })
  stream.follow(page).catch((error: unknown) => {
    note(error)
    response.destroy()
  })
  return { beat: () => stream.beat(), end: () => outlet.end(), ended: ended.then(() => stream.close()) }
}

/** What the URL asks for. Whoever comes back says by a header where it was, which counts more than where it began. */
function readWanted({ query, request }: Streaming): ListEvents {
  const asked = new URLSearchParams(query)
  asked.delete('ticket')
  const wanted = parseInput(
    declaredOperation('events.list'),
    readQuery(declaredOperation('events.list'), asked),
  ) as ListEvents
  const lastSeen = request.headers['last-event-id']
  return { ...wanted, ...(lastSeen && { after: String(lastSeen) }), limit: PAGE }
}

/** The first page, and where it begins. */
async function firstPage(
  { request, postern }: Streaming,
  wanted: ListEvents,
): Promise<{ readonly page: EventPage; readonly from: string }> {
  try {
    const page = await postern.events.list(wanted)
    return { page, from: wanted.after ?? page.cursor }
  } catch (error) {
    const isLost = error instanceof PosternError && error.code === 'CURSOR_UNKNOWN'
    if (!isLost || !request.headers['last-event-id']) throw error
    // A client that comes back, and is refused, never comes again.
    const { after: _, latest: __, ...fromNowOn } = wanted
    const page = await postern.events.list(fromNowOn)
    return { page: { ...page, hasGap: true }, from: page.cursor }
  }
}
