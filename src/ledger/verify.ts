import { isBase64 } from '../kit/node/base64.ts'
import { runningHash } from '../kit/node/running-hash.ts'
import { isConsensusTime, type LedgerEntry } from '../model/ledger/entry.ts'
import type { Verified, VerifyMark } from '../model/ledger/ledgers.ts'
import { GENESIS_HASH, isLedgerId, type LedgerTopic } from '../model/ledger/topic.ts'
import type { LedgerShelf } from '../store/store.ts'

export interface VerifyParams {
  readonly shelf: Pick<LedgerShelf, 'getTopic' | 'getEntry' | 'entriesAfter'>
  readonly topicId: string
  /** Absent: from the beginning. */
  readonly after?: VerifyMark | undefined
  /** How many entries are looked at before it stops; it goes on from the mark. */
  readonly limit?: number | undefined
}

export type Walk = Pick<Verified, 'heldFrom' | 'entries' | 'mark' | 'isDone' | 'bad'>

/** Where a chain has come to, and when. */
export interface ChainMark extends VerifyMark {
  /** Empty: it is not known. */
  readonly consensusAt: string
}

export const CHAIN_START: ChainMark = { sequence: 0, runningHash: GENESIS_HASH, consensusAt: '' }

const PAGE = 2_000

/**
 * Walks the entries of a topic that are held here and names the first that is not as it must be: missing, not the one
 * that was written, or not later than the one before it. The last one must be the one that the topic itself names.
 * Undefined where there is no such topic.
 */
export async function verifyTopic(params: VerifyParams): Promise<Walk | undefined> {
  const { shelf, topicId, limit = Number.POSITIVE_INFINITY } = params
  let topic = await shelf.getTopic({ id: topicId })
  if (!topic) return undefined
  const { heldFrom, ...beginning } = await beginningOf(shelf, topic)
  const from = (await startOf(params)) ?? beginning
  const upTo = from.sequence + limit
  let walk: Chain = { mark: from, bad: null }
  for (;;) {
    walk = await walkTo(shelf, topic, walk.mark, upTo)
    const isStopped = walk.bad !== null || walk.mark.sequence < topic.sequence
    if (isStopped) break
    const before: LedgerTopic = topic
    const [more] = await shelf.entriesAfter({ topicId, after: before.sequence, limit: 1 })
    topic = (await shelf.getTopic({ id: topicId })) ?? before
    // Others may have added to it meanwhile, and then its head has moved too.
    if (topic.sequence > before.sequence && walk.mark.sequence < upTo) continue
    if (more && topic.sequence === before.sequence) {
      walk = { ...walk, bad: { sequence: more.sequence, reason: 'it is behind the last entry that the topic has' } }
    }
    break
  }
  const { sequence, runningHash } = walk.mark
  const isDone = walk.bad === null && sequence === topic.sequence
  return { heldFrom, entries: sequence - from.sequence, mark: { sequence, runningHash }, isDone, bad: walk.bad }
}

/** Undefined where no mark is given. */
async function startOf({ shelf, topicId, after }: VerifyParams): Promise<ChainMark | undefined> {
  if (!after) return undefined
  if (after.sequence === 0) return { ...CHAIN_START, ...after }
  const entry = await shelf.getEntry({ topicId, sequence: after.sequence })
  return { ...after, consensusAt: entry?.consensusAt ?? '' }
}

interface Beginning extends ChainMark {
  readonly heldFrom: number
}

const WHOLE: Beginning = { ...CHAIN_START, heldFrom: 1 }

/** Somebody else's topic may be followed from its middle: then the first entry that is held of it is believed. */
async function beginningOf(shelf: VerifyParams['shelf'], topic: LedgerTopic): Promise<Beginning> {
  if (topic.role !== 'foreign' || topic.network === 'local') return WHOLE
  const [first] = await shelf.entriesAfter({ topicId: topic.id, after: 0, limit: 1 })
  if (first) return first.sequence === 1 ? WHOLE : { ...markOf(first), heldFrom: first.sequence }
  if (topic.runningHash !== '') return WHOLE
  return { ...markOf({ ...topic, consensusAt: topic.consensusAt ?? '' }), heldFrom: topic.sequence + 1 }
}

function markOf({ sequence, runningHash, consensusAt }: ChainMark): ChainMark {
  return { sequence, runningHash, consensusAt }
}

async function walkTo(shelf: VerifyParams['shelf'], topic: LedgerTopic, from: ChainMark, upTo: number): Promise<Chain> {
  const end = Math.min(topic.sequence, upTo)
  let chain: Chain = { mark: from, bad: null }
  // SQLite keeps anything anywhere, and a walk to what is no number would never end.
  if (!Number.isSafeInteger(topic.sequence)) {
    return { mark: from, bad: { sequence: from.sequence + 1, reason: 'the topic says nothing of its last entry' } }
  }
  if (from.sequence > topic.sequence) return { mark: from, bad: missing(topic.sequence + 1) }
  while (chain.bad === null && chain.mark.sequence < end) {
    const after = chain.mark.sequence
    const entries = await shelf.entriesAfter({ topicId: topic.id, after, limit: Math.min(PAGE, end - after) })
    chain =
      entries.length === 0 ? { mark: chain.mark, bad: missing(after + 1) } : walkChain(topic.id, chain.mark, entries)
  }
  if (chain.bad === null && chain.mark.sequence === topic.sequence && !isHead(topic, chain.mark)) {
    return { mark: chain.mark, bad: { sequence: topic.sequence, reason: 'the topic names another as its last entry' } }
  }
  return chain
}

function isHead(topic: LedgerTopic, mark: ChainMark): boolean {
  return topic.runningHash === mark.runningHash && (topic.consensusAt ?? '') === mark.consensusAt
}

export interface Chain {
  /** Of the last entry that is good. */
  readonly mark: ChainMark
  readonly bad: Verified['bad']
}

/** Follows a chain through entries in their order, and stops at the first that does not belong to it. */
export function walkChain(topicId: string, from: ChainMark, entries: readonly LedgerEntry[]): Chain {
  let last = from
  for (const entry of entries) {
    if (entry.sequence !== last.sequence + 1) return { mark: markOf(last), bad: missing(last.sequence + 1) }
    const reason = faultOf(topicId, last, entry)
    if (reason !== undefined) return { mark: markOf(last), bad: { sequence: entry.sequence, reason } }
    last = entry
  }
  return { mark: markOf(last), bad: null }
}

function missing(sequence: number): NonNullable<Verified['bad']> {
  return { sequence, reason: 'it is missing' }
}

function faultOf(topicId: string, before: ChainMark, entry: LedgerEntry): string | undefined {
  const { consensusAt, payer, message, chunk } = entry
  // What can be written in two ways would hash alike in both.
  if (entry.topicId !== topicId || !isConsensusTime(consensusAt) || !isLedgerId(payer) || !isBase64(message)) {
    return 'it is not written as an entry is'
  }
  if (chunk !== null && !isChunk(payer, chunk)) return 'it is not a part of a message'
  if (!isLater(consensusAt, before.consensusAt)) return 'its time is not after that of the entry before it'
  return runningHash(before.runningHash, entry) === entry.runningHash ? undefined : 'its running hash does not fit'
}

/** No hash covers it, on Hedera neither: only what no ledger would take is found. */
function isChunk(payer: string, { transaction, number, total }: NonNullable<LedgerEntry['chunk']>): boolean {
  const at = transaction.indexOf('@')
  return (
    transaction.slice(0, at) === payer && isConsensusTime(transaction.slice(at + 1)) && number >= 1 && number <= total
  )
}

/** The nanoseconds always have nine digits, so a longer text is a later time. */
function isLater(time: string, before: string): boolean {
  return time.length === before.length ? time > before : time.length > before.length
}
