import { checksumOf } from '../kit/pure/checksum.ts'
import type { Agent, AgentKind } from '../model/agent.ts'
import type { Trust } from '../model/caller.ts'
import type { Delivery, DeliveryState, InboxMessage } from '../model/delivery.ts'
import type { Json } from '../model/json.ts'
import type { Attachment, Message, Quote, Sender } from '../model/message.ts'
import type { TraceContext } from '../model/network/trace-context.ts'
import type { Offer, OfferOutcome } from '../model/offer.ts'
import type { Priority } from '../model/priority.ts'
import { isSessionHost, type Session } from '../model/session.ts'
import type { NewOffer } from './contract/offers.ts'
import type { MacVerdict, MessageMacs } from './message-macs.ts'
import type { Sql, SqlRow, SqlValue } from './sql.ts'

/** The one place where columns become nouns and nouns columns. */

export const AGENT_COLUMNS = 'id, kind, display_name, is_owner, created_at, removed_at'

export function readAgent([id, kind, displayName, isOwner, createdAt, removedAt]: SqlRow): Agent {
  return { id, kind: kind as AgentKind, displayName, isOwner: isOwner === 1, createdAt, removedAt }
}

export const SESSION_COLUMNS =
  'id, agent_id, host, machine, pid, pid_started_at, started_at, last_event_at, ended_at, project, idle_since, continuations, continued_at, stopped_at, starter_pid, starter_started_at'

export function readSession(row: SqlRow): Session {
  const [id, agent, name, machine, pid, pidStartedAt, startedAt, lastEventAt, endedAt] = row
  const [project, idleSince, continuations, continuedAt, stoppedAt, starterPid, starterStartedAt] = row.slice(9)
  const process = { machine, pid, pidStartedAt, starterPid, starterStartedAt }
  // Older versions stored any name that a caller gave.
  const host = isSessionHost(name) ? name : 'generic'
  const turn = { idleSince, continuations, continuedAt, stoppedAt }
  return { id, agent, host, project, ...process, startedAt, lastEventAt, endedAt, ...turn }
}

export const OFFER_COLUMNS =
  'id, agent_id, session_id, via, offered_at, printed_at, closed_at, outcome, evidence, expires_at, size'

export function readOffer(row: SqlRow): Offer {
  const [id, agent, sessionId, via, offeredAt, printedAt, closedAt, outcome, evidence, expiresAt, size] = row
  const closed = outcome as OfferOutcome | null
  return { id, agent, sessionId, via, offeredAt, printedAt, closedAt, outcome: closed, evidence, expiresAt, size }
}

/** Of an offer that is opened, in the order of `newOfferValues`. */
export const NEW_OFFER_COLUMNS = 'id, agent_id, session_id, via, offered_at, expires_at, size, members, headlines'

export function newOfferValues({ offer, taken, headlines }: NewOffer): SqlValue[] {
  return [
    offer.id,
    offer.agent,
    offer.sessionId,
    offer.via,
    offer.offeredAt,
    offer.expiresAt,
    offer.size,
    JSON.stringify(taken.map((message) => message.inboxSeq)),
    headlines.length > 0 ? headlines.join(',') : null,
  ]
}

/** In the order of `messageValues`; `m` is the messages table. */
export const MESSAGE_COLUMNS = [
  'id',
  'type',
  'from_id',
  'from_as',
  'addressed',
  'subject',
  'content',
  'extras',
  'priority',
  'ref',
  'reply_to',
  'thread_id',
  'hops',
  'dedup_key',
  'created_at',
  'expires_at',
  'checksum',
  'mac',
] as const

export const SELECT_MESSAGE = MESSAGE_COLUMNS.map((column) => `m.${column}`).join(', ')

export function messageValues(message: Message, macs: MessageMacs | undefined): SqlValue[] {
  const { from } = message
  const fields = [
    message.id,
    message.type,
    from.id,
    formatTrust(from),
    message.to.join(','),
    message.subject,
    message.content,
    formatExtras(message),
    message.priority,
    message.ref,
    message.replyTo,
    message.threadId === message.id ? null : message.threadId,
    message.hops,
    message.dedupKey,
    message.createdAt,
    message.expiresAt,
  ]
  fields.push(checksumOf(fields), macs?.make(fields, FIELDS) ?? null)
  return fields
}

const [CHECKSUM_AT, MAC_AT] = [MESSAGE_COLUMNS.indexOf('checksum'), MESSAGE_COLUMNS.indexOf('mac')]

/** So many columns are covered by the checksum and the MAC. */
const FIELDS = CHECKSUM_AT

function verdictOf(row: SqlRow, macs: MessageMacs | undefined): MacVerdict {
  return macs?.check(row, FIELDS, row[MAC_AT]) ?? 'unknown'
}

/** False if a message differs from what was stored. Messages without a checksum are older than it, or came by SQL. */
function isIntact(row: SqlRow): boolean {
  const checksum = row[CHECKSUM_AT]
  return checksum === null || checksum === checksumOf(row.slice(0, FIELDS))
}

/**
 * The checksum and the MAC of a row in which one column gets a new value. A damaged row keeps both its checksum and
 * its MAC, so that it
 * still reads as damaged; a row without a checksum gets none. In an intact row a wrong MAC is kept, and one that
 * cannot be checked
 * here is removed, because it does not cover the new value.
 */
export function proofsAfter(
  { macs }: Pick<Sql, 'macs'>,
  row: SqlRow,
  [column, value]: readonly [(typeof MESSAGE_COLUMNS)[number], SqlValue],
): readonly [checksum: SqlValue, mac: SqlValue] {
  const [checksum, mac] = [row[CHECKSUM_AT], row[MAC_AT]]
  const verdict = verdictOf(row, macs)
  if (verdict !== 'right' && !isIntact(row)) return [checksum, mac]
  const changed = row.slice(0, FIELDS).with(MESSAGE_COLUMNS.indexOf(column), value)
  const macAfter = { right: macs?.make(changed, FIELDS) ?? null, wrong: mac, unknown: null }[verdict]
  return [checksum === null ? null : checksumOf(changed), macAfter]
}

/** What is wrong with a row, in words; undefined if nothing is. */
export function faultOf(row: SqlRow, { macs }: Pick<Sql, 'macs'>): string | undefined {
  if (!isIntact(row)) return 'does not match its checksum'
  if (verdictOf(row, macs) !== 'wrong') return undefined
  return 'has a MAC that does not match its row, so the row was changed after it was stored; it is shown as not authenticated'
}

/**
 * A message in the order of `MESSAGE_COLUMNS`. If it is damaged, nothing of it is returned but its id. A right MAC proves
 * the fields, so the checksum need not. `macs` is undefined where nothing of the message is shown.
 */
export function readMessage(row: SqlRow, macs: MessageMacs | undefined): Message {
  const isProven = verdictOf(row, macs) === 'right'
  if (!isProven && !isIntact(row)) return damagedMessage(row[0])
  const { payload = null, context = null, attachments = NO_ATTACHMENTS, trace = null, quotes } = parseExtras(row[7])
  return {
    id: row[0],
    type: row[1],
    from: readSender(row[2], row[3]),
    to: (row[4] as string).split(','),
    subject: row[5],
    content: row[6],
    ...(quotes && { quotes }),
    ...(macs && !isProven && NOT_AUTHENTICATED),
    payload,
    context,
    priority: row[8] as Priority,
    ref: row[9],
    replyTo: row[10],
    threadId: row[11] ?? row[0],
    hops: row[12],
    dedupKey: row[13],
    attachments,
    trace,
    createdAt: row[14],
    expiresAt: row[15],
  }
}

const NOT_AUTHENTICATED = { authenticated: false } as const

/** Stands for a message whose stored row is damaged. */
export function damagedMessage(id: string): Message {
  return {
    id,
    type: 'system',
    from: { id: 'system', kind: 'system', verified: false, via: 'store' },
    to: [],
    subject: 'A stored message is damaged',
    content: 'The stored message does not match its checksum, so it is not shown.',
    damaged: true,
    payload: null,
    context: null,
    priority: 2,
    ref: null,
    replyTo: null,
    threadId: id,
    hops: 0,
    dedupKey: null,
    attachments: NO_ATTACHMENTS,
    trace: null,
    createdAt: 0,
    expiresAt: null,
  }
}

/** `ai/unverified/cli`. */
export function formatTrust({ kind, verified, via }: Trust): string {
  return `${kind}/${verified ? 'verified' : 'unverified'}/${via}`
}

export function readSender(id: string, as: string): Sender {
  return { id, ...readTrust(as) }
}

export function readTrust(as: string): Trust {
  const kindEnds = as.indexOf('/')
  const viaStarts = as.indexOf('/', kindEnds + 1) + 1
  return { kind: as.slice(0, kindEnds), verified: as[kindEnds + 1] === 'v', via: as.slice(viaStarts) }
}

/** Columns of an inbox message: those of the message, then these of `d`, the deliveries, with its present state. */
export const SELECT_INBOX_MESSAGE = `${SELECT_MESSAGE}, d.agent_id, d.attempt, d.inbox_seq, d.expires_at`

export function readInboxMessage(row: SqlRow, macs: MessageMacs | undefined, state?: DeliveryState): InboxMessage {
  const at = MESSAGE_COLUMNS.length
  return {
    ...readMessage(row, macs),
    agent: row[at],
    attempt: row[at + 1],
    inboxSeq: row[at + 2],
    expiresAt: row[at + 3],
    state: state ?? (row[at + 4] as DeliveryState),
  }
}

/**
 * A delivery is stored as `offered` until somebody acts on it; whether its offer was confirmed says if it was seen.
 * So confirming an offer of a thousand messages writes one row.
 */
export const STATE_NOW = `CASE WHEN d.state = 'offered' AND o.outcome = 'confirmed' THEN 'seen' ELSE d.state END`

export const SELECT_DELIVERY = `d.agent_id, ${STATE_NOW}, d.inbox_seq, d.attempt, m.created_at, o.offered_at, o.printed_at,
  CASE WHEN o.outcome = 'confirmed' THEN o.closed_at END, d.acted_at, d.expires_at, d.offer_id, o.session_id, d.snoozed_until`

export function readDelivery(row: SqlRow): Delivery {
  const [agent, state, inboxSeq, attempt, storedAt, offeredAt] = row
  const [printedAt, seenAt, actedAt, expiresAt, offerId, sessionId, snoozedUntilAt] = row.slice(6)
  return {
    agent,
    state: state as DeliveryState,
    inboxSeq,
    attempt,
    storedAt,
    offeredAt,
    printedAt,
    seenAt: seenAt ?? actedAt,
    actedAt,
    expiresAt,
    offerId,
    sessionId,
    snoozedUntilAt,
  }
}

interface Extras {
  readonly payload?: Json
  readonly context?: Json
  readonly attachments?: readonly Attachment[]
  readonly trace?: TraceContext
  readonly quotes?: readonly Quote[]
}

/** What few messages carry travels in one column, because every column costs time in every drain. */
function formatExtras({ payload, context, attachments, trace, quotes }: Message): string | null {
  if (payload === null && context === null && attachments.length === 0 && trace === null && !quotes) return null
  return JSON.stringify({
    ...(payload !== null && { payload }),
    ...(context !== null && { context }),
    ...(attachments.length > 0 && { attachments }),
    ...(trace !== null && { trace }),
    ...(quotes && { quotes }),
  })
}

function parseExtras(text: string | null): Extras {
  return text === null ? NO_EXTRAS : JSON.parse(text)
}

const NO_EXTRAS: Extras = {}
const NO_ATTACHMENTS: readonly Attachment[] = []
