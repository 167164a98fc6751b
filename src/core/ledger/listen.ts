import { PosternError } from '../../model/errors.ts'
import type { LedgerEntry } from '../../model/ledger/entry.ts'
import { type LedgerTopic, type TopicRole, UNKNOWN_HASH } from '../../model/ledger/topic.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context, Ledgers, LedgerTx } from '../context.ts'
import { tellPeople } from '../notices/notice.ts'
import { ring } from '../rings/ring.ts'
import { lookOutside, type Outside } from './intake/outside.ts'
import { type IntakeResult, noteSkipped, takeIn } from './intake/take-in.ts'

/** What one look at a topic found. */
export interface ListenResult {
  /** Entries that were new. */
  readonly entries: number
  /** Messages that were put into an inbox. */
  readonly messages: number
  /**
   *   more    there may be more
   *   done    nothing more for now
   *   gap     the ledger does not give what follows, only something later
   *   broken  the running hash does not fit: nothing more is taken from this topic
   */
  readonly state: 'more' | 'done' | 'gap' | 'broken'
}

/** One transaction takes no more than this. */
const BATCH = 500
const NOTHING: ListenResult = { entries: 0, messages: 0, state: 'done' }

/**
 * Takes the entries of a topic that follow the last one held here: keeps, checks and understands them in one transaction.
 * It may be killed anywhere and called again, and two processes may run it at once. Rejects if the ledger cannot be read.
 */
export async function listenOnce(ctx: Context, ledgers: Ledgers, topicId: string): Promise<ListenResult> {
  const { ledger } = ledgers
  const topic = await ctx.store.read.ledger.getTopic({ id: topicId })
  if (!topic) throw new PosternError('LEDGER_TOPIC_NOT_FOUND', { topic: topicId, network: ledger.network })
  const read = await ledger.readAfter({ topicId, after: topic.sequence, limit: BATCH })
  const row = inARow(read, topic)
  if (row.length === 0 && topic.takenIn === topic.sequence) {
    const isGap = read.some(({ sequence }) => sequence > topic.sequence)
    await keepTrouble(ctx, topic, isGap ? `gap at ${topic.sequence + 1}` : null)
    return isGap ? { ...NOTHING, state: 'gap' } : NOTHING
  }
  const { outside, entries } = await lookOutside(ctx, ledgers, row)
  const taken = await withoutConflict(() =>
    ctx.store.transact((tx) => takeBatch({ ctx, ledgers, tx }, { topicId, entries, outside })),
  )
  ring(ctx, taken.rings)
  report(ctx, topicId, taken)
  return { entries: taken.entries, messages: taken.messages, state: taken.badAt === null ? 'more' : 'broken' }
}

/** Stores the trouble of a topic, so that it is known while no process listens. Null clears it. */
async function keepTrouble(ctx: Context, { id, trouble: known }: LedgerTopic, trouble: string | null): Promise<void> {
  if (trouble === known) return
  await ctx.store.single((tx) => tx.ledger.setTrouble({ topicId: id, trouble }))
}

/** Mirrors repeat and skip entries. Only those count that follow the head without a gap. */
function inARow(read: readonly LedgerEntry[], { sequence: head }: LedgerTopic): readonly LedgerEntry[] {
  const bySequence = new Map<number, LedgerEntry>()
  for (const entry of read) if (!bySequence.has(entry.sequence)) bySequence.set(entry.sequence, entry)
  const row: LedgerEntry[] = []
  for (let next = bySequence.get(head + 1); next; next = bySequence.get(next.sequence + 1)) row.push(next)
  return row
}

interface Batch {
  readonly topicId: string
  readonly entries: readonly LedgerEntry[]
  readonly outside: Outside
}

interface BatchResult extends IntakeResult {
  readonly entries: number
  /** The first entry whose running hash does not fit. */
  readonly badAt: number | null
}

async function takeBatch({ ctx, ledgers, tx }: LedgerTx, batch: Batch): Promise<BatchResult> {
  const { topicId, outside } = batch
  const topic = await tx.ledger.lockTopic({ id: topicId })
  if (!topic) return { entries: 0, messages: 0, rings: [], skipped: {}, badAt: null }
  // Another process may have taken some of them since they were read.
  const entries = inARow(batch.entries, topic)
  const { good, badAt } = checkChain(ledgers, topic, entries)
  await tx.ledger.append({ topicId, entries: good })
  const isBehind = topic.takenIn < topic.sequence
  const fresh = isBehind ? await tx.ledger.entriesAfter({ topicId, after: topic.takenIn, limit: BATCH }) : good
  const taken = await takeIn(ctx, ledgers, tx, topic, fresh, outside)
  const last = fresh.at(-1)
  if (last) await tx.ledger.setTakenIn({ topicId, sequence: last.sequence })
  const trouble = badAt === null ? null : `broken at ${badAt}`
  if (trouble !== topic.trouble) await tx.ledger.setTrouble({ topicId, trouble })
  const told = badAt === null ? [] : await tellOfBroken(ctx, tx, topic, badAt)
  return { ...taken, rings: [...taken.rings, ...told], entries: good.length, badAt }
}

function checkChain({ codec }: Ledgers, topic: LedgerTopic, entries: readonly LedgerEntry[]) {
  let before = topic.runningHash
  for (const [at, entry] of entries.entries()) {
    const isBelieved = before === UNKNOWN_HASH
    if (!isBelieved && codec.runningHash(before, entry) !== entry.runningHash) {
      return { good: entries.slice(0, at), badAt: entry.sequence }
    }
    before = entry.runningHash
  }
  return { good: entries, badAt: null }
}

function tellOfBroken(
  ctx: Context,
  tx: Shelves,
  { id, network }: LedgerTopic,
  sequence: number,
): Promise<readonly string[]> {
  return tellPeople(ctx, tx, {
    key: `ledger:broken:${id}:${sequence}`,
    subject: `What a mirror of ${network} shows of the topic ${id} is not what was written`,
    content: `From the entry ${sequence} on the running hash of the topic ${id} does not fit, so nothing more is taken from it. Ask another mirror by "ledger.mirror" in the configuration.`,
  })
}

const TRIES = 3

/** Retries when another process has just stored one of the messages under its key: the next try finds it. */
async function withoutConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      const isConflict = error instanceof PosternError && error.code === 'DEDUP_CONFLICT'
      if (!isConflict || left === 0) throw error
    }
  }
}

function report(ctx: Context, topic: string, taken: BatchResult): void {
  const { badAt } = taken
  noteSkipped(ctx, topic, taken)
  if (badAt !== null) ctx.note('ledger.broken', { topic, sequence: badAt })
}

/** The name of the lease, on the shelf of relays, that the listening process holds. */
export function listenerLease(network: string): string {
  return `ledger:${network}`
}

/** Roles of topics on which others write to us. Topics that only we write to are not followed. */
const ROLES: readonly TopicRole[] = ['inbound', 'connection', 'work']

/** Every topic of the network on which others may write to us. */
export async function topicsToFollow({ store }: Context, network: string): Promise<ReadonlySet<string>> {
  const { ledger } = store.read
  const ids = new Set<string>()
  for (const role of ROLES) {
    const topics = await ledger.listTopics({ network, role })
    for (const { id, deletedAt } of topics) if (deletedAt === null) ids.add(id)
  }
  for (const { isIncoming, state, requestId, requestTopicId } of await ledger.connections({ network })) {
    if (!isIncoming && state === 'requested' && requestId !== null) ids.add(requestTopicId)
  }
  return ids
}
