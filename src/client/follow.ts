import { createBackoff } from '../kit/pure/backoff.ts'
import { createSseParser, type SseEvent } from '../kit/pure/sse.ts'
import { asPosternError, PosternError } from '../model/errors.ts'
import type { EventFilter, PosternEvent } from '../model/network/event.ts'
import type { EventPage } from '../model/network/events.ts'
import { fromWire } from '../model/network/wire-json.ts'
import { toRequest, type WireRequest } from './request.ts'
import { linkSignals, pause } from './signals.ts'
import type { Sending, Transport } from './transport.ts'
import type { Call } from './waits.ts'

export interface FollowEvents extends EventFilter {
  /** Only what came after this cursor; absent: from now on. */
  readonly after?: string
  readonly signal?: AbortSignal
}

/** A server is heard of more often than this, even where nothing happens. */
const SILENCE_MS = 75_000

const RETRY = { minMs: 250, maxMs: 15_000, random: Math.random } as const

export interface Follower {
  readonly transport: Transport
  readonly call: Call
  readonly caller: Sending['caller']
}

/**
 * What happens from now on, or after a cursor: each event once, in order. A connection that breaks is made again where
 * it broke off. It ends with the signal, with the connection to the server, or with what the server refuses.
 */
export async function* followEvents(
  follower: Follower,
  { signal, after, ...filters }: FollowEvents,
): AsyncGenerator<PosternEvent, void> {
  const ends = linkSignals([signal, follower.transport.closed])
  const backoff = createBackoff(RETRY)
  try {
    // Whoever is cut off before the first event must know where that was.
    const cursor = after ?? ((await follower.call('events.list', { ...filters })) as EventPage).cursor
    const place: Place = { cursor, hasBegun: false, retryMs: 0 }
    while (!ends.signal.aborted) {
      try {
        for await (const event of readStream(follower, filters, place, ends.signal)) {
          backoff.reset()
          yield event
        }
      } catch (error) {
        if (!ends.signal.aborted && !(place.hasBegun && isPassing(error))) throw asPosternError(error)
      }
      await pause(Math.max(place.retryMs, backoff.next()), ends.signal)
    }
  } finally {
    ends.unlink()
  }
}

/** What will be otherwise in a while, as a connection that broke; not a stream that cannot be read. */
function isPassing(error: unknown): boolean {
  if (error instanceof PosternError) return error.retryable
  return !(error instanceof RangeError || error instanceof SyntaxError)
}

/** How far somebody has come, over all connections. */
interface Place {
  cursor: string
  /** The server has answered at least once. */
  hasBegun: boolean
  /** How long the server wants those to wait who come back. */
  retryMs: number
}

/** The events of one connection, until it ends or nothing is heard of the server for too long. */
async function* readStream(
  { transport, caller }: Follower,
  filters: EventFilter,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<PosternEvent, void> {
  const stopper = linkSignals([signal])
  let alarm = setTimeout(stopper.abort, SILENCE_MS)
  const parser = createSseParser()
  try {
    const response = await transport.stream(streamRequest(filters, place), { caller, signal: stopper.signal })
    place.hasBegun = true
    for await (const piece of readPieces(response)) {
      clearTimeout(alarm)
      alarm = setTimeout(stopper.abort, SILENCE_MS)
      for (const event of parser.push(piece)) {
        place.cursor = event.id
        yield toEvent(event)
      }
      place.cursor = parser.lastId || place.cursor
      place.retryMs = parser.retryMs ?? place.retryMs
    }
  } finally {
    clearTimeout(alarm)
    stopper.abort()
    stopper.unlink()
  }
}

/** Whoever comes back is told of a gap where they cannot go on; whoever comes with a cursor of nowhere is refused. */
function streamRequest(filters: EventFilter, { cursor, hasBegun }: Place): WireRequest {
  const { method, path } = toRequest('events.list', { ...filters, ...(!hasBegun && { after: cursor }) })
  return { method, path, headers: { Accept: 'text/event-stream', ...(hasBegun && { 'Last-Event-ID': cursor }) } }
}

/** By hand, because not every browser can iterate over a body. */
async function* readPieces({ body }: Response): AsyncGenerator<string, void> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}

function toEvent({ data }: SseEvent): PosternEvent {
  return fromWire(JSON.parse(data)) as PosternEvent
}
