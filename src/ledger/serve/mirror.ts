import type { LedgerEntry } from '../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../model/ledger/topic.ts'
import type { Timestamp } from '../protocol/basics.ts'
import { GRPC, GrpcError } from '../protocol/grpc-frames.ts'
import { type StreamAnswer, type StreamHandler, streaming } from '../protocol/grpc-server.ts'
import type { Written } from '../protocol/message.ts'
import { AddressBookQuery, NodeAddress, TopicQuery, TopicResponse } from '../protocol/mirror.ts'
import { formatId, formatTime, parseId, parseTime, toTransactionId } from '../protocol/names.ts'
import { MIRROR_CALLS } from '../protocol/services.ts'
import type { Bells } from './bells.ts'
import { sequenceAt } from './entry-search.ts'
import { NODE_ACCOUNT, type ServeContext } from './serve-context.ts'
import { nanosOf, timeOfMs } from './times.ts'

/** How many entries are read at once, and how long nobody looks where nobody has rung. */
const SLICE = 100
const LOOK_MS = 200
/** Subscriptions that may last at one time. */
const MAX_SUBSCRIPTIONS = 256

/** The calls of a mirror. */
export function mirrorCalls(
  context: ServeContext,
  bells: Bells,
  nodePort: () => number,
): Readonly<Record<string, StreamHandler>> {
  let subscribed = 0
  return {
    [MIRROR_CALLS.subscribeTopic]: streaming(TopicQuery, TopicResponse, async (query, answer) => {
      if (subscribed >= MAX_SUBSCRIPTIONS) throw new GrpcError(GRPC.RESOURCE_EXHAUSTED, 'too many listen already')
      subscribed++
      try {
        await follow(context, bells, query, answer)
      } finally {
        subscribed--
      }
    }),
    [MIRROR_CALLS.getNodes]: streaming(AddressBookQuery, NodeAddress, (_query, { send }) =>
      send(nodeAddress(nodePort())),
    ),
  }
}

function nodeAddress(port: number): Written<typeof NodeAddress> {
  return {
    nodeId: 0,
    account: parseId(NODE_ACCOUNT),
    endpoints: [{ ipv4: Uint8Array.of(127, 0, 0, 1), port, domain: '' }],
    description: 'Postern, a local ledger: no public consensus',
  }
}

/** Sends what there is from a time on, and goes on with what comes, also from other processes. */
async function follow(
  { store }: ServeContext,
  bells: Bells,
  query: TopicQuery,
  { send, signal }: StreamAnswer<Written<typeof TopicResponse>>,
): Promise<void> {
  const topic = await findTopic(store.read.ledger, query)
  const start = startOf(query.startTime, store.now())
  const end = query.endTime && nanosOf(formatTime(query.endTime))
  let left = query.limit === 0n ? Number.POSITIVE_INFINITY : Number(query.limit)
  let after = (await sequenceAt(store.read.ledger, topic, start)) - 1
  while (!signal.aborted) {
    const entries = await store.read.ledger.entriesAfter({ topicId: topic.id, after, limit: SLICE })
    for (const entry of entries) {
      const at = nanosOf(entry.consensusAt)
      after = entry.sequence
      if (end !== undefined && at >= end) return
      if (at < start) continue
      await send(responseOf(entry))
      left--
      if (left <= 0) return
    }
    if (entries.length > 0) continue
    if (end !== undefined && nanosOf(timeOfMs(store.now())) >= end) return
    await bells.wait(topic.id, LOOK_MS, signal)
  }
}

async function findTopic(
  shelf: ServeContext['store']['read']['ledger'],
  { topic: id }: TopicQuery,
): Promise<LedgerTopic> {
  const named = formatId(id)
  if (named === undefined) throw new GrpcError(GRPC.INVALID_ARGUMENT, 'no topic is named')
  const topic = await shelf.getTopic({ id: named })
  if (topic?.network !== 'local') throw new GrpcError(GRPC.NOT_FOUND, `Topic does not exist: ${named}`)
  return topic
}

/** Without a start it is now. */
function startOf(time: Timestamp | undefined, now: number): bigint {
  return time ? nanosOf(formatTime(time)) : nanosOf(timeOfMs(now))
}

function responseOf({ chunk, ...entry }: LedgerEntry): Written<typeof TopicResponse> {
  return {
    consensusAt: parseTime(entry.consensusAt),
    message: Buffer.from(entry.message, 'base64'),
    runningHash: Buffer.from(entry.runningHash, 'hex'),
    sequence: entry.sequence,
    runningHashVersion: 3,
    ...(chunk && {
      chunk: { initialTransaction: toTransactionId(chunk.transaction), number: chunk.number, total: chunk.total },
    }),
  }
}
