import { consensusMs, type EntryChunk, type LedgerEntry } from '../../../model/ledger/entry.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { Shelves } from '../../../store/store.ts'

/** A message that is whole. It has the place of the part that arrived last. */
export interface WholeMessage {
  readonly topicId: string
  readonly sequence: number
  readonly consensusAt: string
  readonly payer: string
  /** Null if it is not UTF-8. */
  readonly text: string | null
}

/** An entry completes a message, or nothing yet, or nothing ever, with the reason. */
export type AssemblyResult = { readonly whole: WholeMessage } | { readonly waits: true } | { readonly reason: string }

/** Parts of one message that come further apart than this are not put together. */
export const PATIENCE_MS = 10 * 60_000
/** A message may be as long as an inbox takes, which is more than our own writers ever split. */
const MOST_CHUNKS = 80

/** A batch with more unfinished messages than this is an attack, and need not be counted exactly. */
const MOST_UNFINISHED = 100

const WAITS: AssemblyResult = { waits: true }

/** Parts of messages that were read already, by the transactions of their messages. */
export type KnownParts = Map<string, readonly LedgerEntry[]>

/**
 * Puts the parts of messages together, in whatever order they came and however often. For entries that are all in the
 * store before the first of them is looked at, the parts of one message are read once.
 */
export async function assemble(
  tx: Shelves,
  { id: topicId }: LedgerTopic,
  entry: LedgerEntry,
  known: KnownParts,
): Promise<AssemblyResult> {
  const { chunk } = entry
  if (chunk === null || chunk.total === 1) return { whole: wholeOf(entry, entry.message) }
  if (!isPlausible(entry, chunk)) return { reason: 'it is no part of a message' }
  const { transaction, total } = chunk
  const there = known.get(transaction) ?? (await tx.ledger.chunksOf({ topicId, transaction }))
  known.set(transaction, there)
  const parts = firstOfEach(there, entry, total)
  if (parts.size < total || parts.get(chunk.number)?.sequence !== entry.sequence) return WAITS
  const ordered = [...parts.values()].sort((one, other) => numberOf(one) - numberOf(other))
  if (isTooLate(ordered, entry)) return { reason: 'its parts came too far apart' }
  return {
    whole: wholeOf(
      entry,
      ordered.map(({ message }) => message),
    ),
  }
}

/** Only the payer of the first part may add to it. */
function isPlausible({ payer }: LedgerEntry, chunk: EntryChunk): boolean {
  const { number, total } = chunk
  return payerOfChunk(chunk) === payer && number >= 1 && number <= total && total <= MOST_CHUNKS
}

/** The payer of the first part of a message. */
export function payerOfChunk({ transaction }: EntryChunk): string {
  return transaction.slice(0, transaction.indexOf('@'))
}

/** The first copy of each part: to send a part again does not change the message. */
function firstOfEach(there: readonly LedgerEntry[], last: LedgerEntry, total: number): Map<number, LedgerEntry> {
  const parts = new Map<number, LedgerEntry>()
  for (const part of there) {
    if (part.sequence > last.sequence || part.payer !== last.payer || part.chunk?.total !== total) continue
    const known = parts.get(part.chunk.number)
    if (!known || part.sequence < known.sequence) parts.set(part.chunk.number, part)
  }
  return parts
}

function numberOf({ chunk }: LedgerEntry): number {
  return chunk?.number ?? 0
}

function isTooLate(parts: readonly LedgerEntry[], last: LedgerEntry): boolean {
  const first = Math.min(...parts.map(({ consensusAt }) => consensusMs(consensusAt)))
  return consensusMs(last.consensusAt) - first > PATIENCE_MS
}

function wholeOf(entry: LedgerEntry, messages: string | readonly string[]): WholeMessage {
  const { topicId, sequence, consensusAt, payer } = entry
  return { topicId, sequence, consensusAt, payer, text: decode([messages].flat()) }
}

/** The text of one entry alone. */
export function textOf({ message }: LedgerEntry): string | null {
  return decode([message])
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A character may be divided between two parts. */
function decode(parts: readonly string[]): string | null {
  try {
    const binary = parts.map((part) => atob(part)).join('')
    const bytes = Uint8Array.from({ length: binary.length }, (_, at) => binary.charCodeAt(at))
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

/**
 * Counts the messages that are given up now that these entries are there, because some of their parts never came. Each
 * is counted once: with the entries that come ten minutes after its first part.
 */
export async function countUnfinished(
  tx: Shelves,
  { id: topicId }: LedgerTopic,
  entries: readonly LedgerEntry[],
): Promise<number> {
  const [first, last] = [entries.at(0), entries.at(-1)]
  if (!first || !last) return 0
  const before = await tx.ledger.getEntry({ topicId, sequence: first.sequence - 1 })
  const span = { after: before ? patienceBefore(before) : '', upTo: patienceBefore(last) }
  if (before && span.after === span.upTo) return 0
  return countIn(tx, topicId, span, last.sequence)
}

/** Whether a topic ends with a message whose parts never came: then no later entry makes `countUnfinished` count it. */
export async function endsUnfinished(
  tx: Pick<Shelves, 'ledger'>,
  { id, sequence, consensusAt }: LedgerTopic,
  now: number,
): Promise<boolean> {
  if (consensusAt === null || now - consensusMs(consensusAt) <= PATIENCE_MS) return false
  const span = { after: patienceBefore({ consensusAt }), upTo: consensusAt }
  return (await countIn(tx, id, span, sequence)) > 0
}

/** Consensus times. */
interface Span {
  readonly after: string
  readonly upTo: string
}

/** Counts messages whose first part came in that time. */
async function countIn(tx: Pick<Shelves, 'ledger'>, topicId: string, span: Span, upTo: number): Promise<number> {
  let count = 0
  for (const transaction of await tx.ledger.chunkTransactions({ topicId, ...span, limit: MOST_UNFINISHED })) {
    const parts = (await tx.ledger.chunksOf({ topicId, transaction })).filter(isOfPayer)
    const begin = parts.reduce((least, { consensusAt }) => (consensusAt < least ? consensusAt : least), span.upTo)
    if (begin > span.after && isUnfinished(parts, upTo)) count++
  }
  return count
}

/** The latest time of a first part that is given up when this entry is there. */
function patienceBefore({ consensusAt }: Pick<LedgerEntry, 'consensusAt'>): string {
  const seconds = Math.max(0, Math.floor((consensusMs(consensusAt) - PATIENCE_MS) / 1000))
  return `${seconds}.${consensusAt.slice(consensusAt.indexOf('.') + 1)}`
}

function isOfPayer({ payer, chunk }: LedgerEntry): boolean {
  return chunk !== null && payerOfChunk(chunk) === payer
}

function isUnfinished(parts: readonly LedgerEntry[], upTo: number): boolean {
  const there = parts.filter(({ sequence }) => sequence <= upTo)
  const numbers = new Set(there.map(({ chunk }) => chunk?.number))
  return there.length > 0 && numbers.size < (there[0]?.chunk?.total ?? 0)
}
