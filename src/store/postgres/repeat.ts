import { PosternError } from '../../model/errors.ts'
import type { Message } from '../../model/message.ts'
import type { PushRecipient, PushResult } from '../../model/postern.ts'
import { isRevived, READDRESS, REVIVE, REVIVED, requireRepetition } from '../push.ts'
import { MESSAGE_COLUMNS, proofsAfter, readMessage, SELECT_MESSAGE, STATE_NOW } from '../rows.ts'
import { INSERT_STEP } from '../shelves/deliveries.ts'
import { LostRace, ringInboxes, type Sql } from '../sql.ts'
import type { PushItem, PushParams } from '../store.ts'
import { type NewDelivery, requireStored } from './batch.ts'
import { LOCK_ORDER } from './lock.ts'
import { stateFor } from './push.ts'
import { arrayLiteral } from './statements.ts'

/**
 * The long way to push, within a transaction: locks the recipients, looks at what they have, decides, and stores what
 * is left. Keys and counts only change under those locks, so what it sees stays true until it commits.
 */
export async function storeUnderLocks(sql: Sql, { items, pendingLimit }: PushParams): Promise<readonly PushResult[]> {
  const agents = [...new Set(items.flatMap(({ message }) => message.to))].sort()
  const places = await lockAgents(sql, agents)
  for (const id of items.flatMap(({ message }) => message.to)) {
    if (!places.has(id)) throw new PosternError('AGENT_NOT_FOUND', { id })
  }
  const decision = new Decision({
    limit: pendingLimit,
    pending: await pendingOf(sql, places, { items, limit: pendingLimit }),
    earlier: await earlierOf(sql, items),
  })
  const results = items.map((item) => decision.store(item))
  await completeAll(sql, decision)
  return results
}

/** Each agent's count, by id. */
async function lockAgents(sql: Sql, agents: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.all(
    `SELECT a.id, a.inbox_seq FROM agents a WHERE a.id = ANY(?1::text[]) AND a.removed_at IS NULL ${LOCK_ORDER}`,
    [arrayLiteral(agents)],
  )
  return new Map(rows.map(([id, inboxSeq]) => [id, inboxSeq]))
}

/** How many wait, counted only where that may matter; elsewhere everything that ever came is few enough. */
async function pendingOf(
  sql: Sql,
  places: ReadonlyMap<string, number>,
  { items, limit }: { readonly items: readonly PushItem[]; readonly limit: number },
): Promise<Map<string, number>> {
  const pending = new Map(places)
  const doubtful = [...places].filter(([, inboxSeq]) => inboxSeq + items.length > limit).map(([id]) => id)
  if (doubtful.length === 0) return pending
  const rows = await sql.all(
    `SELECT w.id, (SELECT count(*) FROM deliveries d WHERE d.agent_id = w.id AND d.state = 'pending') FROM unnest(?1::text[]) AS w (id)`,
    [arrayLiteral(doubtful)],
  )
  for (const [id, count] of rows) pending.set(id, count)
  return pending
}

interface Earlier {
  readonly message: Message
  /** Absent for a message that came earlier in this very batch. */
  readonly seq?: number
  readonly recipient: PushRecipient
  /** Of the delivery; absent for one that came earlier in this very batch. */
  readonly delivered?: { readonly inboxSeq: number; readonly expiresAt: number | null }
}

/** A delivery that a repeated push makes like new. */
interface Revival {
  readonly agent: string
  readonly messageSeq: number
  readonly inboxSeq: number
  readonly state: 'held' | 'pending'
  readonly message: Message
}

const pairOf = (agent: string, key: string | null) => `${agent} ${key}`

/** What recipients have under the batch's keys, by agent and key. */
async function earlierOf(sql: Sql, items: readonly PushItem[]): Promise<Map<string, Earlier>> {
  const wanted = items.flatMap(({ message: { to, dedupKey } }) =>
    dedupKey === null ? [] : to.map((agent) => [agent, dedupKey] as const),
  )
  const found = new Map<string, Earlier>()
  if (wanted.length === 0) return found
  const rows = await sql.all(EARLIER, [
    arrayLiteral(wanted.map(([agent]) => agent)),
    arrayLiteral(wanted.map(([, key]) => key)),
  ])
  for (const row of rows) {
    const [seq, agent, key, state, inboxSeq, expiresAt] = row.slice(MESSAGE_COLUMNS.length)
    const recipient: PushRecipient = { agent, state, duplicate: true }
    found.set(pairOf(agent, key), {
      message: readMessage(row, undefined),
      seq,
      recipient,
      delivered: { inboxSeq, expiresAt },
    })
  }
  return found
}

const EARLIER = `SELECT ${SELECT_MESSAGE}, m.seq, d.agent_id, d.dedup_key, ${STATE_NOW}, d.inbox_seq, d.expires_at
  FROM unnest(?1::text[], ?2::text[]) AS w (agent_id, dedup_key)
  JOIN deliveries d ON d.agent_id = w.agent_id AND d.dedup_key = w.dedup_key AND d.dedup_key IS NOT NULL
  JOIN messages m ON m.seq = d.message_seq LEFT JOIN offers o ON o.id = d.offer_id`

/** What of a batch is new, decided message by message as if each were alone. */
class Decision {
  readonly messages = new Map<string, Message>()
  readonly deliveries: NewDelivery[] = []
  readonly revivals: Revival[] = []
  readonly #limit: number
  readonly #pending: Map<string, number>
  readonly #earlier: Map<string, Earlier>

  constructor(known: { limit: number; pending: Map<string, number>; earlier: Map<string, Earlier> }) {
    this.#limit = known.limit
    this.#pending = known.pending
    this.#earlier = known.earlier
  }

  store(item: PushItem): PushResult {
    const { message } = item
    const known = message.to.flatMap((agent) => this.#known(agent, message) ?? [])
    const first = known.reduce<Earlier | undefined>((a, b) => (a && isBefore(a, b) ? a : b), undefined)
    if (!first) this.messages.set(message.id, message)
    const recipients = message.to.map((agent) => {
      const earlier = known.find(({ recipient }) => recipient.agent === agent)
      return earlier ? this.#repeat(earlier, item) : this.#deliver(agent, item, first)
    })
    return {
      id: first?.message.id ?? message.id,
      duplicate: recipients.every(({ duplicate }) => duplicate),
      recipients,
    }
  }

  #known(agent: string, message: Message): Earlier | undefined {
    const earlier = message.dedupKey === null ? undefined : this.#earlier.get(pairOf(agent, message.dedupKey))
    if (earlier) requireRepetition(earlier.message, message, agent)
    return earlier
  }

  #repeat({ message, recipient, seq, delivered }: Earlier, item: PushItem): PushRecipient {
    const { agent } = recipient
    if (seq === undefined || !delivered) return recipient
    if (!isRevived(item, { state: recipient.state, expiresAt: delivered.expiresAt })) return recipient
    const state = this.#takePlace(agent, item)
    this.revivals.push({ agent, messageSeq: seq, inboxSeq: delivered.inboxSeq, state, message: item.message })
    this.#earlier.set(pairOf(agent, item.message.dedupKey), {
      message,
      seq,
      recipient: { agent, state, duplicate: true },
    })
    return { agent, state, duplicate: false }
  }

  #takePlace(agent: string, item: PushItem): 'held' | 'pending' {
    const pending = this.#pending.get(agent) ?? 0
    if (pending >= this.#limit) throw new PosternError('INBOX_FULL', { agent, limit: this.#limit })
    const state = stateFor(agent, item)
    if (state === 'pending') this.#pending.set(agent, pending + 1)
    return state
  }

  /** A repeated push reaches whoever it had not reached, with the first message and its id. */
  #deliver(agent: string, item: PushItem, first: Earlier | undefined): PushRecipient {
    const state = this.#takePlace(agent, item)
    const { message, seq } = first ?? { message: item.message, seq: undefined }
    // The first one's time counts, as long as that is not over.
    const isFirstOver = isRevived(item, { state: 'pending', expiresAt: message.expiresAt })
    const delivered = isFirstOver ? { ...message, expiresAt: item.message.expiresAt } : message
    this.deliveries.push({ agent, state, message: delivered, ...(seq !== undefined && { messageSeq: seq }) })
    if (first && seq === undefined) this.#addRecipient(message.id, agent)
    if (message.dedupKey !== null) {
      const recipient: PushRecipient = { agent, state, duplicate: true }
      this.#earlier.set(pairOf(agent, message.dedupKey), { message, recipient, ...(seq !== undefined && { seq }) })
    }
    return { agent, state, duplicate: false }
  }

  #addRecipient(id: string, agent: string): void {
    const message = this.messages.get(id)
    if (message) this.messages.set(id, { ...message, to: [...message.to, agent].sort() })
  }
}

function isBefore(a: Earlier, b: Earlier): boolean {
  return (a.seq ?? Number.POSITIVE_INFINITY) <= (b.seq ?? Number.POSITIVE_INFINITY)
}

/** Stores what is new. Messages that get further recipients are kept from the reaper and from other completions. */
async function completeAll(sql: Sql, { messages, deliveries, revivals }: Decision): Promise<void> {
  const completed = [...new Set([...deliveries, ...revivals].flatMap(({ messageSeq }) => messageSeq ?? []))].sort(
    (a, b) => a - b,
  )
  const list = arrayLiteral(completed)
  if (completed.length > 0) {
    const locked = await sql.all(
      'SELECT m.seq FROM messages m WHERE m.seq = ANY(?1::bigint[]) ORDER BY m.seq FOR UPDATE',
      [list],
    )
    if (locked.length < completed.length) throw new LostRace('an earlier message was reaped meanwhile')
  }
  if (messages.size > 0 || deliveries.length > 0) {
    await requireStored(sql, { messages: [...messages.values()], deliveries })
  }
  for (const revival of revivals) await revive(sql, revival)
  if (completed.length > 0) await readdress(sql, list)
}

async function revive(sql: Sql, { agent, messageSeq, inboxSeq, state, message }: Revival): Promise<void> {
  const { createdAt: at, from, expiresAt } = message
  const revived = await sql.run(REVIVE, [agent, inboxSeq, state, expiresAt, at])
  if (revived === 0) throw new LostRace('an earlier delivery was moved meanwhile')
  if (state !== 'pending') return
  await sql.run(INSERT_STEP, [messageSeq, agent, at, 'requeued', null, from.id, null, REVIVED])
  await ringInboxes(sql, [agent])
}

async function readdress(sql: Sql, list: string): Promise<void> {
  for (const row of await sql.all(TO_READDRESS, [list])) {
    const [seq, addressed] = row.slice(MESSAGE_COLUMNS.length)
    const proofs = proofsAfter(sql, row, ['addressed', addressed])
    await sql.run(READDRESS, [seq, addressed, ...proofs])
  }
}

const TO_READDRESS = `SELECT ${SELECT_MESSAGE}, m.seq, (SELECT string_agg(d.agent_id, ',' ORDER BY d.agent_id)
  FROM deliveries d WHERE d.message_seq = m.seq) FROM messages m WHERE m.seq = ANY(?1::bigint[])`
