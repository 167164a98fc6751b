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

/** What was looked up on a ledger elsewhere before a transaction, because nothing else is awaited within one. */
export interface Outside {
  /** Undefined where the topic is not there. */
  readonly topics: ReadonlyMap<string, TopicFacts | undefined>
  /** HCS-1 files by their topics; undefined where one cannot be read. */
  readonly files: ReadonlyMap<string, LedgerFile | undefined>
  /** The profile of an account, as it names it itself; undefined where it has none. */
  readonly profiles: ReadonlyMap<string, LedgerFile | undefined>
}

export const NOTHING_OUTSIDE: Outside = { topics: new Map(), files: new Map(), profiles: new Map() }

/** A file is read no further than this. */
const MOST_ENTRIES = 200
const PAGE = 100
/** For one batch no more than so many things are asked for. */
const MOST_LOOKUPS = 50
/** A mirror that has the link of a file soon has all of the file. */
const FILE_PATIENCE_MS = 10 * 60_000
/** Outsiders name what they like, so they hold nobody up for long. */
const OUTSIDER_PATIENCE_MS = 60_000

export interface LookupResult {
  readonly outside: Outside
  /** Of the entries only so many, where more was to be looked up than at once: the others come with the next batch. */
  readonly entries: readonly LedgerEntry[]
}

/**
 * Looks up what entries name: the topics of outsiders who have written them, files that are only linked, the profiles of
 * those who ask for a connection. Rejects where the ledger cannot be asked.
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

/** Only of those who have paid for what they say: nobody else is believed whatever is found. */
function operationIn(entry: LedgerEntry): OfOperator | undefined {
  if (entry.chunk !== null && entry.chunk.total > 1) return undefined
  const operation = parseHcs10(textOf(entry) ?? '')
  if (!operation || !('operator_id' in operation)) return undefined
  return parseOperatorId(operation.operator_id)?.account === entry.payer ? operation : undefined
}

/** How many things were asked for. */
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

/** What one of ours has written is not given up because a mirror is behind; what nobody can ever read is. */
function requirePatience(ctx: Context, { ledger: { network } }: Ledgers, topic: string, entry: LedgerEntry): void {
  if (ageOf(ctx, entry) > FILE_PATIENCE_MS) return
  throw new PosternError('LEDGER_UNREACHABLE', { network, reason: `the mirror has not all of the file ${topic} yet` })
}

/** A mirror that still tells of the topic itself, but not of what an outsider names there, will not tell tomorrow either. */
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

/** The profile of an account as its memo names it. Undefined where there is none, or nobody can read it. */
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

/** The outbound topic that somebody's profile names; null where it names none. */
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
