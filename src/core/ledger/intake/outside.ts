import type { LedgerFile } from '../../../ledger/codec.ts'
import type { TopicFacts } from '../../../ledger/ledger.ts'
import { PosternError } from '../../../model/errors.ts'
import { consensusMs, type LedgerEntry } from '../../../model/ledger/entry.ts'
import { type Hcs10, parseHcs10 } from '../../../model/ledger/hcs10.ts'
import { parseFileLink, parseProfileMemo } from '../../../model/ledger/memos.ts'
import { formatOperatorId, parseOperatorId } from '../../../model/ledger/operator.ts'
import { isLedgerId } from '../../../model/ledger/topic.ts'
import type { Context, Ledgers } from '../../context.ts'
import { textOf } from './assemble.ts'

/** Facts that were read from a ledger elsewhere before a transaction, which may await nothing but the store. */
export interface Outside {
  /** Undefined if there is no such topic. */
  readonly topics: ReadonlyMap<string, TopicFacts | undefined>
  /** HCS-1 files by their topics; undefined if one cannot be read. */
  readonly files: ReadonlyMap<string, LedgerFile | undefined>
  /** Profiles by account, as the memo of the account names them; undefined if it has none. */
  readonly profiles: ReadonlyMap<string, LedgerFile | undefined>
}

export const NOTHING_OUTSIDE: Outside = { topics: new Map(), files: new Map(), profiles: new Map() }

/** A file is read no further than this. */
const MOST_ENTRIES = 200
const PAGE = 100
/** The most lookups for one batch. */
const MOST_LOOKUPS = 50
/** A mirror that has the link of a file soon has all of the file. */
const FILE_PATIENCE_MS = 10 * 60_000
/** Outsiders name what they like, so a batch waits for their things only briefly. */
const OUTSIDER_PATIENCE_MS = 60_000

export interface LookupResult {
  readonly outside: Outside
  /** The entries whose lookups are done. If there were too many, the rest comes with the next batch. */
  readonly entries: readonly LedgerEntry[]
}

/**
 * Looks up what entries name: the topics of outsiders who have written them, files that are only linked, the profiles of
 * those who ask for a connection. Rejects if the ledger cannot be reached.
 */
export async function lookOutside(
  ctx: Context,
  ledgers: Ledgers,
  entries: readonly LedgerEntry[],
): Promise<LookupResult> {
  const identities = await ctx.store.read.ledger.identities({ network: ledgers.ledger.network })
  const ours = new Set(identities.map(formatOperatorId))
  const outside = { topics: new Map(), files: new Map(), profiles: new Map() }
  let left = MOST_LOOKUPS
  for (const [at, entry] of entries.entries()) {
    if (left <= 0) return { outside, entries: entries.slice(0, at) }
    const operation = operationIn(entry)
    if (operation)
      left -= await lookUp(ctx, ledgers, { operation, entry, isOurs: ours.has(operation.operator_id) }, outside)
  }
  return { outside, entries }
}

interface Found {
  readonly topics: Map<string, TopicFacts | undefined>
  readonly files: Map<string, LedgerFile | undefined>
  readonly profiles: Map<string, LedgerFile | undefined>
}

type OfOperator = Extract<Hcs10, { readonly operator_id: string }>

interface Named {
  readonly operation: OfOperator
  readonly entry: LedgerEntry
  readonly isOurs: boolean
}

/** Undefined if the operator that it names has not paid for it: such an entry is not believed whatever is found. */
function operationIn(entry: LedgerEntry): OfOperator | undefined {
  if (entry.chunk !== null && entry.chunk.total > 1) return undefined
  const operation = parseHcs10(textOf(entry) ?? '')
  if (!operation || !('operator_id' in operation)) return undefined
  return parseOperatorId(operation.operator_id)?.account === entry.payer ? operation : undefined
}

/** Returns the number of lookups. */
async function lookUp(ctx: Context, ledgers: Ledgers, named: Named, found: Found): Promise<number> {
  const { operation, entry, isOurs } = named
  let asked = 0
  async function once<T>(known: Map<string, T>, key: string, ask: (key: string) => Promise<T>): Promise<void> {
    if (known.has(key)) return
    asked++
    try {
      known.set(key, await ask(key))
    } catch (error) {
      if (isOurs || !(await isOfNoUse(ctx, ledgers, entry, error))) throw error
    }
  }
  const link = operation.op === 'message' ? parseFileLink(operation.data) : undefined
  if (link !== undefined) {
    await once(found.files, link, (id) => readFile(ledgers, id))
    if (isOurs && !found.files.get(link)) requirePatience(ctx, ledgers, link, entry)
  }
  if (isOurs) return asked
  const { inboundTopicId = '' } = parseOperatorId(operation.operator_id) ?? {}
  await once(found.topics, inboundTopicId, (id) => ledgers.ledger.topic(id))
  if (operation.op === 'connection_request' || operation.op === 'connection_created')
    await once(found.profiles, entry.payer, (account) => readProfile(ledgers, account))
  return asked
}

/** Waits for a file of one of our agents while a mirror may be behind. Later the file counts as unreadable. */
function requirePatience(ctx: Context, { ledger: { network } }: Ledgers, topic: string, entry: LedgerEntry): void {
  if (ageOf(ctx, entry) > FILE_PATIENCE_MS) return
  throw new PosternError('LEDGER_UNREACHABLE', { network, reason: `the mirror has not all of the file ${topic} yet` })
}

/** A mirror that has the topic itself, but not what an outsider names there, will not have that tomorrow either. */
async function isOfNoUse(ctx: Context, { ledger }: Ledgers, entry: LedgerEntry, error: unknown): Promise<boolean> {
  const isUnreachable = error instanceof PosternError && error.code === 'LEDGER_UNREACHABLE'
  if (!isUnreachable || ageOf(ctx, entry) <= OUTSIDER_PATIENCE_MS) return false
  return ledger.topic(entry.topicId).then(
    () => true,
    () => false,
  )
}

function ageOf({ store }: Context, { consensusAt }: LedgerEntry): number {
  return store.now() - consensusMs(consensusAt)
}

/** The profile of an account as its memo names it. Undefined if there is none, or it cannot be read. */
export async function readProfile(ledgers: Ledgers, account: string): Promise<LedgerFile | undefined> {
  const topicId = parseProfileMemo((await ledgers.ledger.account(account))?.memo ?? '')
  return topicId === undefined ? undefined : readFile(ledgers, topicId)
}

export async function readFile({ ledger, codec }: Ledgers, topicId: string): Promise<LedgerFile | undefined> {
  const facts = await ledger.topic(topicId)
  if (!facts) return undefined
  const entries: LedgerEntry[] = []
  while (entries.length <= MOST_ENTRIES) {
    const page = await ledger.readAfter({ topicId, after: entries.at(-1)?.sequence ?? 0, limit: PAGE })
    if (page.length === 0) return decodeFile(codec, facts.memo, entries)
    entries.push(...page)
  }
  return undefined
}

/** Undefined for what is no file, or not all of one. */
export function decodeFile(
  codec: Ledgers['codec'],
  memo: string,
  entries: readonly LedgerEntry[],
): LedgerFile | undefined {
  try {
    return codec.decodeFile({ memo, entries: entries.map((entry) => textOf(entry) ?? '') })
  } catch (error) {
    if (error instanceof PosternError) return undefined
    throw error
  }
}

/** The outbound topic that a profile names; null if it names none. */
export function outboundOf(profile: LedgerFile | undefined): string | null {
  if (!profile) return null
  try {
    const fields: unknown = JSON.parse(profile.content)
    const topicId = (fields as { readonly outboundTopicId?: unknown } | null)?.outboundTopicId
    return isLedgerId(topicId) ? topicId : null
  } catch {
    return null
  }
}
