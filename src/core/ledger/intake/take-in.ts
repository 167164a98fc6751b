import type { LedgerEntry } from '../../../model/ledger/entry.ts'
import { type Hcs10, type Hcs10Message, parseHcs10 } from '../../../model/ledger/hcs10.ts'
import type { LedgerTopic, TopicRole } from '../../../model/ledger/topic.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Context, Ledgers } from '../../context.ts'
import { assemble, countUnfinished, type KnownParts, type WholeMessage } from './assemble.ts'
import { takeConnection } from './connection.ts'
import { takeAnswer, takeRequest } from './handshake.ts'
import type { Intake, SkipReason } from './intake.ts'
import { takeMessage } from './message.ts'
import { NOTHING_OUTSIDE, type Outside } from './outside.ts'
import { readSenders } from './senders.ts'
import { storeItems } from './store-items.ts'
import { takeWork } from './work.ts'

export interface IntakeResult {
  /** Agents to ring after the commit. */
  readonly rings: readonly string[]
  /** Messages that were put into an inbox and were not there before. */
  readonly messages: number
  /** Why entries were skipped, and how many for each reason. */
  readonly skipped: Readonly<Record<string, number>>
}

/** Topics on which others write to us. */
const HEARD: readonly TopicRole[] = ['inbound', 'work', 'connection', 'foreign']

/**
 * Understands entries that are in the store already, in their order, and puts their messages into the inboxes. No entry
 * is an error: those that are not understood are skipped and counted. Our own messages are not published again.
 */
export async function takeIn(
  ctx: Context,
  ledgers: Ledgers,
  tx: Shelves,
  topic: LedgerTopic,
  entries: readonly LedgerEntry[],
  outside: Outside = NOTHING_OUTSIDE,
): Promise<IntakeResult> {
  if (!HEARD.includes(topic.role)) return { rings: [], messages: 0, skipped: {} }
  const senders = await readSenders(tx, topic.network, outside)
  const intake: Intake = { ctx, ledgers, tx, topic, outside, senders, items: [], rings: [] }
  const skipped: Record<string, number> = {}
  const skip = (reason: string) => {
    skipped[reason] = (skipped[reason] ?? 0) + 1
  }
  const known: KnownParts = new Map()
  for (const entry of entries) {
    const assembled = await assemble(tx, topic, entry, known)
    if ('reason' in assembled) skip(assembled.reason)
    if (!('whole' in assembled)) continue
    const reason = await understand(tx, intake, assembled.whole)
    if (reason !== undefined) skip(reason)
  }
  const stored = await storeItems(ctx, tx, intake.items)
  if (stored.full > 0) skipped['inbox full'] = stored.full
  const unfinished = await countUnfinished(tx, topic, entries)
  if (unfinished > 0) skipped['parts of it never came'] = unfinished
  return { rings: [...new Set([...intake.rings, ...stored.rings])], messages: stored.messages, skipped }
}

/** Notes, after the commit, why entries of a topic were skipped. */
export function noteSkipped({ note }: Context, topic: string, { skipped }: Pick<IntakeResult, 'skipped'>): void {
  if (Object.keys(skipped).length > 0) note('ledger.skipped', { topic, ...skipped })
}

/** A connection is looked for first, whatever the role of the topic: on the local ledger the outsider has made it. */
async function understand(tx: Shelves, intake: Intake, whole: WholeMessage): Promise<SkipReason> {
  const { topic } = intake
  switch (topic.role) {
    case 'inbound':
      return takeInbound(intake, whole)
    case 'work':
      return takeWork(intake, whole)
    case 'connection':
    case 'foreign': {
      const connection = await tx.ledger.connectionOn({ network: topic.network, topicId: topic.id })
      if (connection) return takeConnection(intake, whole, connection)
      return topic.role === 'foreign' ? takeAnswer(intake, whole) : 'foreign'
    }
    default:
      return undefined
  }
}

/** Reads the inbound topic of one of our agents: messages of our own agents, and requests of outsiders. */
export async function takeInbound(intake: Intake, whole: WholeMessage): Promise<SkipReason> {
  const agent = intake.topic.agent
  const operation = parseHcs10(whole.text ?? '')
  if (agent === null || !operation) return 'foreign'
  if (operation.op === 'message') return messageOf(intake, whole, operation, agent)
  if (operation.op === 'connection_request') return requestOf(intake, whole, operation, agent)
  // That a connection was made is written by the agent itself.
  return operation.op === 'connection_created' ? undefined : 'foreign'
}

async function messageOf(
  intake: Intake,
  whole: WholeMessage,
  { operator_id, data }: Hcs10Message,
  agent: string,
): Promise<SkipReason> {
  const writer = await intake.senders.byOperator(operator_id, whole.payer)
  return takeMessage(intake, whole, writer, { agent, data, ref: null })
}

async function requestOf(
  intake: Intake,
  whole: WholeMessage,
  request: Extract<Hcs10, { readonly op: 'connection_request' }>,
  agent: string,
): Promise<SkipReason> {
  const writer = await intake.senders.byOperator(request.operator_id, whole.payer)
  // Among ourselves no connection is needed.
  if (writer.agent !== null) return 'own'
  if (writer.isTrue === false) return 'spoofed'
  return takeRequest(intake, whole, writer, { agent, remark: request.m ?? null })
}
