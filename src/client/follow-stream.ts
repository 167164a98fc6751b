import { sleep } from '../kit/clock/sleep.ts'
import { createBackoff } from '../kit/pure/backoff.ts'
import { createSseParser, type SseEvent } from '../kit/pure/sse.ts'
import { asPosternError, PosternError } from '../model/errors.ts'
import type { WireRequest } from './request.ts'
import { linkSignals } from './signals.ts'
import type { FetchResponse, Sending, Transport } from './transport.ts'
import type { Call } from './waits.ts'

export interface Follower {
  readonly transport: Transport
  readonly call: Call
  readonly caller: Sending['caller']
}

/** A stream, and what its events are to whoever follows it. */
export interface StreamFollowed<T> {
  /** Where to begin; asked once, before anything is followed. */
  begin(): Promise<string>
  /** Asks for what comes after a cursor; somebody who comes back says so. */
  request(place: Pick<Place, 'cursor' | 'hasBegun'>): WireRequest
  /** What an event means; undefined where it is only a sign of life. */
  read(event: SseEvent): T | undefined
  readonly signal: AbortSignal | undefined
  /** Of the largest event there may be; the parser's own bound by default. */
  readonly maxCharacters?: number
}

/** How far somebody has come, over all connections. */
interface Place {
  cursor: string
  /** The server has answered at least once. */
  hasBegun: boolean
  /** How long the server wants those to wait who come back. */
  retryMs: number
}

/** A server is heard of more often than this, even where nothing happens. */
const SILENCE_MS = 75_000

const RETRY = { minMs: 250, maxMs: 15_000, random: Math.random } as const

/**
 * What a stream tells, each event once and in order. A connection that breaks is made again where it broke off. It ends
 * with the signal, with the connection to the server, or with what the server refuses.
 */
export async function* followStream<T>(follower: Follower, followed: StreamFollowed<T>): AsyncGenerator<T, void> {
  const ends = linkSignals([followed.signal, follower.transport.closed])
  const backoff = createBackoff(RETRY)
  try {
    // Whoever is cut off before the first event must know where that was.
    const place: Place = { cursor: await followed.begin(), hasBegun: false, retryMs: 0 }
    while (!ends.signal.aborted) {
      try {
        for await (const event of readStream(follower, followed, place, ends.signal)) {
          backoff.reset()
          yield event
        }
      } catch (error) {
        if (!ends.signal.aborted && !(place.hasBegun && isPassing(error))) throw asPosternError(error)
      }
      await sleep(Math.max(place.retryMs, backoff.next()), { signal: ends.signal })
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

/** The events of one connection, until it ends or nothing is heard of the server for too long. */
async function* readStream<T>(
  { transport, caller }: Follower,
  { request, read, maxCharacters }: StreamFollowed<T>,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const stopper = linkSignals([signal])
  let alarm = setTimeout(stopper.abort, SILENCE_MS)
  const parser = createSseParser({ ...(maxCharacters !== undefined && { maxCharacters }) })
  try {
    const response = await transport.stream(request(place), { caller, signal: stopper.signal })
    place.hasBegun = true
    for await (const piece of readPieces(response)) {
      clearTimeout(alarm)
      alarm = setTimeout(stopper.abort, SILENCE_MS)
      for (const event of parser.push(piece)) {
        place.cursor = event.id || place.cursor
        const meant = read(event)
        if (meant !== undefined) yield meant
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

/** By hand, because not every browser can iterate over a body. */
async function* readPieces({ body }: FetchResponse): AsyncGenerator<string, void> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    yield decoder.decode(value, { stream: true })
  }
}
