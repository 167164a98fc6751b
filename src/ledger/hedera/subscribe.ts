import { coalesce } from '../../kit/pure/coalesce.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { LedgerEntry } from '../../model/ledger/entry.ts'
import type { Subscribe } from '../ledger.ts'
import { createGrpcChannel, type GrpcChannel } from '../protocol/grpc-client.ts'
import type { GrpcError } from '../protocol/grpc-frames.ts'
import { TopicQuery, TopicResponse } from '../protocol/mirror.ts'
import { laterBy, parseId, parseTime } from '../protocol/names.ts'
import { MIRROR_CALLS } from '../protocol/services.ts'
import type { Mirror } from './mirror.ts'
import type { Patience } from './patience.ts'

/** Connections to a mirror over which it tells of new messages. */
export interface Subscriptions {
  open(params: Subscribe): { close(): void }
  close(): void
}

export interface SubscriptionOptions {
  /** `host:port`; null: there is none. */
  readonly address: string | null
  readonly mirror: Mirror
  readonly patience: () => Patience
}

/** A public mirror allows no more on one connection. */
const TOPICS_PER_CHANNEL = 5
const PAGE = 100
const BEGINNING = '0.000000000'

export function createSubscriptions({ address, mirror, patience }: SubscriptionOptions): Subscriptions {
  const channels: { readonly channel: GrpcChannel; topics: number }[] = []

  function takeChannel(at: string) {
    const free = channels.find(({ topics }) => topics < TOPICS_PER_CHANNEL)
    const taken = free ?? { channel: createGrpcChannel(at), topics: 0 }
    if (!free) channels.push(taken)
    taken.topics++
    return taken
  }

  return {
    open(params) {
      if (address === null) return endAtOnce(params, 'there is no mirror that tells of new messages')
      const taken = takeChannel(address)
      const follow = { ...params, channel: taken.channel, mirror, patience }
      return followTopic(follow, () => {
        taken.topics--
      })
    },
    close() {
      for (const { channel } of channels) channel.close()
    },
  }
}

function endAtOnce({ onEnd }: Subscribe, reason: string): { close(): void } {
  let isClosed = false
  queueMicrotask(() => isClosed || onEnd(reason))
  return {
    close() {
      isClosed = true
    },
  }
}

interface Follow extends Subscribe {
  readonly channel: GrpcChannel
  readonly mirror: Mirror
  readonly patience: () => Patience
}

/**
 * A mirror does not say who paid for what it streams, and without that an entry is worth nothing: so the stream only tells
 * that there is something, and it is then read as everything is.
 */
function followTopic(follow: Follow, onOver: () => void): { close(): void } {
  let isOver = false
  let stream: { close(): void } | undefined
  let told = follow.after

  function finish(reason?: string): void {
    if (isOver) return
    isOver = true
    stream?.close()
    onOver()
    if (reason !== undefined) follow.onEnd(reason)
  }

  const take = createTaker(follow, {
    told: () => told,
    isOver: () => isOver,
    onFail: (error) => finish(reasonOf(error)),
  })

  async function start(): Promise<void> {
    const message = { topic: parseId(follow.topicId), startTime: parseTime(await startOf(follow)) }
    if (isOver) return
    stream = follow.channel.callServerStream({
      path: MIRROR_CALLS.subscribeTopic,
      request: TopicQuery,
      answer: TopicResponse,
      message,
      onMessage({ sequence }) {
        told = Math.max(told, sequence)
        take()
      },
      onEnd: (error) => finish(endReason(error)),
    })
  }

  start().catch((error) => finish(reasonOf(error)))
  return { close: () => finish() }
}

/** Right behind the last entry that is known; from the beginning where it is not found. */
async function startOf({ mirror, topicId, after }: Follow): Promise<string> {
  if (after === 0) return BEGINNING
  const time = await mirror.timeOf(topicId, after)
  return time === undefined ? BEGINNING : laterBy(1, time)
}

interface TakerParts {
  readonly told: () => number
  readonly isOver: () => boolean
  readonly onFail: (error: unknown) => void
}

/** Reads one page after the other, one at a time, until nothing is left of what was told of. */
function createTaker({ mirror, topicId, after, onEntry, patience }: Follow, parts: TakerParts): () => void {
  let last = after

  async function takeAll(): Promise<void> {
    let patient = patience()
    while (!parts.isOver() && last < parts.told()) {
      const entries = await mirror.readAfter({ topicId, after: last, limit: PAGE })
      if (entries.length === 0 && !(await patient.again())) throw new Error('the mirror does not show what it tells of')
      if (entries.length > 0) patient = patience()
      hand(entries)
    }
  }

  function hand(entries: readonly LedgerEntry[]): void {
    for (const entry of entries) {
      if (parts.isOver()) return
      last = entry.sequence
      onEntry(entry)
    }
  }

  // Told of within its round, so that the next one already finds a failed subscription over.
  const round = coalesce(() => takeAll().catch(parts.onFail))
  return () => void round()
}

function endReason(error: GrpcError | undefined): string {
  return error ? error.message || `the mirror answers with ${error.status}` : 'the mirror has ended it'
}
