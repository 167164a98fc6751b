import { SYSTEM_CALLER } from '../../../model/caller.ts'
import type { Json } from '../../../model/json.ts'
import type { LedgerTopic } from '../../../model/ledger/topic.ts'
import type { Message } from '../../../model/message.ts'
import { NORMAL, type Priority } from '../../../model/priority.ts'
import { utf8Length } from '../../../model/text.ts'
import type { Shelves } from '../../../store/store.ts'
import type { LedgerTx } from '../../context.ts'
import { responsiblePeople } from '../../notices/notice.ts'
import type { WholeMessage } from './assemble.ts'
import type { Outside } from './outside.ts'
import type { Senders, Writer } from './senders.ts'

/** One batch of entries on its way into the inboxes, all in one transaction. */
export interface Intake extends LedgerTx {
  readonly topic: LedgerTopic
  readonly outside: Outside
  readonly senders: Senders
  /** Messages to store at the end of the batch, in this order. */
  readonly items: IntakeItem[]
  /** Agents to ring after the commit, beside the recipients of the messages. */
  readonly rings: string[]
}

export interface IntakeItem {
  readonly message: Message
  /** Our own messages always have room; an outsider's only while the inbox is not full. */
  readonly isOurs: boolean
  /** True if it was decided when it was sent whether it must be held. */
  readonly isDamped?: boolean
}

/** Why an entry was skipped; undefined if it was understood. */
export type SkipReason = string | undefined

export interface SaidOnLedger {
  readonly to: readonly string[]
  readonly type: string
  readonly subject: string | null
  readonly content: string
  readonly payload?: Json | null
  readonly context?: Json | null
  readonly priority: Priority
  readonly ref?: string | null
  readonly dedupKey?: string
}

/** Adds a message that is made of an entry alone. Its key is the place of the entry, so it is unique. */
export function say(intake: Intake, whole: WholeMessage, writer: Writer, said: SaidOnLedger): void {
  const { ctx, items } = intake
  const id = ctx.newId('msg')
  const isOurs = writer.agent !== null
  items.push({
    isOurs,
    message: {
      id,
      type: said.type,
      from: writer.from,
      to: said.to,
      subject: said.subject === null || said.subject === '' ? null : cut(said.subject, ctx.limits.subjectBytes),
      content: cut(said.content.trim() === '' ? EMPTY : said.content, ctx.limits.contentBytes),
      payload: fitting(said.payload ?? null, ctx.limits.payloadBytes / 2),
      context: contextOf(intake, whole, writer, said.context ?? null),
      priority: isOurs ? said.priority : (Math.max(said.priority, NORMAL) as Priority),
      ref: said.ref ?? null,
      replyTo: null,
      threadId: id,
      hops: 0,
      dedupKey: said.dedupKey ?? placeKey(whole),
      attachments: [],
      trace: null,
      createdAt: ctx.store.now(),
      expiresAt: null,
    },
  })
}

const EMPTY = '(nothing)'

export function placeKey({ topicId, sequence }: Pick<WholeMessage, 'topicId' | 'sequence'>): string {
  return `ledger:${topicId}:${sequence}`
}

/** The place of the entry, and who claims to have written it. */
function contextOf({ ledgers, ctx }: Intake, whole: WholeMessage, writer: Writer, said: Json | null): Json {
  const { topicId, sequence, consensusAt, payer } = whole
  const place = { network: ledgers.ledger.network, topic_id: topicId, sequence, consensus_at: consensusAt, payer }
  const ledger = writer.agent === null ? { ...place, claims: writer.claim } : place
  const fits = fitting(said, ctx.limits.payloadBytes / 4)
  return fits === null ? { ledger } : { ledger, said: fits }
}

/** Null if it is larger than an inbox takes: it can be read on the ledger. */
function fitting(value: Json | null, maxBytes: number): Json | null {
  return value !== null && utf8Length(JSON.stringify(value)) > maxBytes ? null : value
}

const ELLIPSIS = '…'

/** Whole characters, as many as there is room for. */
export function cut(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || utf8Length(text) <= maxBytes) return text
  let end = Math.floor((maxBytes - utf8Length(ELLIPSIS)) / 3)
  if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end--
  return `${text.slice(0, end)}${ELLIPSIS}`
}

/** Who reads the messages for an agent. The deployment itself has topics and no inbox, so its people read for it. */
export async function readersOf(tx: Shelves, agent: string): Promise<readonly string[]> {
  return agent === SYSTEM_CALLER.id ? responsiblePeople(tx) : [agent]
}
