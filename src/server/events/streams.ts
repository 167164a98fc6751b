import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { type Identity, OF_SOCKET } from '../../model/network/tokens.ts'
import type { Postern } from '../../model/postern.ts'
import { openBusStream } from '../bus/bus-stream.ts'
import { SharedWaits } from '../bus/shared-waits.ts'
import type { Streaming } from '../exchange.ts'
import type { Log } from '../log.ts'
import { EventHub } from './event-hub.ts'
import { type EventStream, openEventStream } from './sse.ts'

export interface StreamsOptions {
  /** Of somebody who sees everything. */
  readonly postern: Postern
  readonly log: Log
  readonly now?: () => number
  /** How often clients hear that the server lives. */
  readonly beatMs?: number
  /** How often those who follow a bus get an event that says so. */
  readonly heartbeatMs?: number
  /** How long a token that was revoked may still be listened with. */
  readonly checkMs?: number
}

/** Streams in all, of an administrator's token, and of any other: no administrator takes the places of everybody. */
const MAX_STREAMS = 288
const MAX_OF_ADMIN = 256
const MAX_OF_TOKEN = 8
const COME_BACK_S = 5

const BEAT_MS = 15_000
const HEARTBEAT_MS = 30_000
const CHECK_MS = 2_000

/** All streams of one server. */
export interface EventStreams {
  /** Answers an exchange with what happens; throws where that cannot be. */
  open(streaming: Streaming): Promise<void>
  /** The same with what comes on a bus, some of whose fields stand in the path. */
  openBus(streaming: Streaming, params: Readonly<Record<string, string>>): Promise<void>
}

export function createEventStreams(options: StreamsOptions): EventStreams {
  const { postern, log, now = Date.now, beatMs = BEAT_MS, checkMs = CHECK_MS } = options
  const { heartbeatMs = HEARTBEAT_MS } = options
  const hub = new EventHub({ postern, log })
  const waits = new SharedWaits(postern.bus, heartbeatMs)
  const streams = new Map<EventStream, Identity>()
  const places = new Map<string, number>()
  const note = (error: unknown) => log.note('events.broken', { reason: reasonOf(error) })
  let taken = 0
  let timers: readonly NodeJS.Timeout[] = []

  function takePlace({ tokenId, scope }: Identity): () => void {
    const ofToken = places.get(tokenId) ?? 0
    if (taken >= MAX_STREAMS || ofToken >= (scope.kind === 'admin' ? MAX_OF_ADMIN : MAX_OF_TOKEN)) {
      throw new PosternError('RATE_LIMITED', { seconds: COME_BACK_S })
    }
    taken++
    places.set(tokenId, ofToken + 1)
    return () => {
      taken--
      const left = (places.get(tokenId) ?? 1) - 1
      if (left > 0) places.set(tokenId, left)
      else places.delete(tokenId)
    }
  }

  /** Timers run only while somebody listens. */
  function keep(stream: EventStream, identity: Identity): void {
    streams.set(stream, identity)
    if (timers.length > 0) return
    const beat = () => {
      for (const each of streams.keys()) each.beat()
    }
    const check = () => void endRevoked(postern, streams, now()).catch(note)
    timers = [setInterval(beat, beatMs), setInterval(check, checkMs)]
  }

  function forget(stream: EventStream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    for (const timer of timers) clearInterval(timer)
    timers = []
  }

  async function serve({ identity, metrics }: Streaming, begin: () => Promise<EventStream>): Promise<void> {
    const givePlaceBack = takePlace(identity)
    try {
      const stream = await begin()
      metrics.streams(1)
      keep(stream, identity)
      void stream.ended.then(() => {
        metrics.streams(-1)
        forget(stream)
        givePlaceBack()
      })
    } catch (error) {
      givePlaceBack()
      throw error
    }
  }

  return {
    open: (streaming) => serve(streaming, () => openEventStream(streaming, { hub, now, note })),
    openBus: (streaming, params) =>
      serve(streaming, () => openBusStream(streaming, params, { waits, now, note, heartbeatMs })),
  }
}

async function endRevoked(postern: Postern, streams: ReadonlyMap<EventStream, Identity>, now: number): Promise<void> {
  if ([...streams.values()].every(({ tokenId }) => tokenId === OF_SOCKET)) return
  const tokens = await postern.tokens.list()
  const good = new Set(tokens.filter(({ expiresAt }) => expiresAt === null || expiresAt > now).map(({ id }) => id))
  const agents = new Set((await postern.agents.list()).map(({ id }) => id))
  for (const [stream, { tokenId, scope }] of streams) {
    const isGood = good.has(tokenId) && (scope.id === null || agents.has(scope.id))
    if (tokenId !== OF_SOCKET && !isGood) stream.end()
  }
}
