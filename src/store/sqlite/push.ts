import { PosternError } from '../../model/errors.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import type { PushRecipient, PushResult } from '../../model/postern.ts'
import type { MessageMacs } from '../message-macs.ts'
import { isRevived, READDRESS, REVIVE, REVIVED, requireRepetition } from '../push.ts'
import { MESSAGE_COLUMNS, messageValues, proofsAfter, readMessage, SELECT_MESSAGE, STATE_NOW } from '../rows.ts'
import { INSERT_STEP } from '../shelves/deliveries.ts'
import type { MessageShelf, PushItem, PushParams } from '../store.ts'
import type { Connection } from './connection.ts'
import { isSuspect } from './suspect.ts'

/**
 * Pushing on SQLite. A write transaction has the store to itself, so each recipient's place is read once, counted up
 * in memory and written once, however many messages the batch holds.
 */
export function createPusher(
  current: () => Connection,
  macs: MessageMacs | undefined,
): Pick<MessageShelf, 'push' | 'broadcast'> {
  return {
    async push(params) {
      const connection = current()
      const batch = new Batch(connection, params, macs)
      const stored = params.items.map((item) => batch.store(item))
      batch.finish()
      if (isSuspect(connection.path)) {
        const { rehearseDrain } = await import('./rehearse.ts')
        await rehearseDrain(connection, stored)
      }
      return stored
    },

    async broadcast({ message }) {
      const connection = current()
      const earlier = message.dedupKey === null ? undefined : earlierBroadcast(connection, message.dedupKey)
      if (earlier) {
        requireRepetition(earlier, message, EVERYBODY)
        return { id: earlier.id, duplicate: true }
      }
      // Whether everybody could be shown it cannot be proved, because most agents take it up later.
      if (isSuspect(connection.path)) throw new PosternError('STORE_CORRUPT', { path: connection.path })
      const [number] =
        connection.get(`UPDATE counters SET value = value + 1 WHERE name = 'broadcast' RETURNING value`) ?? []
      connection.run(INSERT_MESSAGE, [...messageValues(message, macs), number])
      return { id: message.id, duplicate: false }
    },
  }
}

function earlierBroadcast(connection: Connection, dedupKey: string): Message | undefined {
  const row = connection.get(
    `SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.dedup_key = ?1 AND m.broadcast_seq IS NOT NULL`,
    [dedupKey],
  )
  return row && readMessage(row, undefined)
}

/** From this number on recipients are dealt with together. */
const MANY = 8

interface Place {
  seq: number
  /** No fewer than are pending. */
  pending: number
  /** True while the store holds the same place. */
  isKept: boolean
}

interface Earlier {
  readonly id: string
  readonly seq: number
  readonly expiresAt: number | null
  readonly recipient: PushRecipient
  /** The place of the delivery, where that is delivered anew. */
  readonly revived: number | undefined
}

/** One call of push: remembers each recipient's place until all messages are in. */
class Batch {
  readonly #connection: Connection
  readonly #pendingLimit: number
  readonly #macs: MessageMacs | undefined
  readonly #places = new Map<string, Place>()

  constructor(connection: Connection, { pendingLimit }: PushParams, macs: MessageMacs | undefined) {
    this.#connection = connection
    this.#pendingLimit = pendingLimit
    this.#macs = macs
  }

  /** Whatever refuses a message does so before anything of it is written. */
  store(item: PushItem): PushResult {
    const { message } = item
    if (message.to.length >= MANY) this.#placeMany(message.to)
    for (const agent of message.to) this.#place(agent)
    const known = message.dedupKey === null ? undefined : this.#earlier(item)
    for (const agent of message.to) {
      const earlier = known?.get(agent)
      if (!earlier || earlier.revived !== undefined) this.#requireRoom(agent)
    }
    if (!known) {
      const seq = this.#insertMessage(message)
      const recipients = this.#deliverToMany(seq, item) ?? message.to.map((agent) => this.#deliver(agent, seq, item))
      return { id: message.id, duplicate: false, recipients }
    }
    return this.#complete(known, item)
  }

  finish(): void {
    for (const [agent, { seq, isKept }] of this.#places) {
      if (!isKept) this.#connection.run('UPDATE agents SET inbox_seq = ?2 WHERE id = ?1', [agent, seq])
    }
  }

  #place(agent: string): Place {
    const known = this.#places.get(agent)
    if (known) return known
    const row = this.#connection.get('SELECT inbox_seq FROM agents WHERE id = ?1 AND removed_at IS NULL', [agent])
    if (!row) throw new PosternError('AGENT_NOT_FOUND', { id: agent })
    const place = { seq: row[0] as number, pending: this.#atMost(agent, row[0]), isKept: true }
    this.#places.set(agent, place)
    return place
  }

  /** Reads the places of many recipients at once; whoever is missing is refused one by one afterwards. */
  #placeMany(agents: readonly string[]): void {
    for (const [agent, seq] of this.#connection.all(PLACES, [JSON.stringify(agents)])) {
      if (!this.#places.has(agent)) {
        this.#places.set(agent, { seq, pending: this.#atMost(agent, seq), isKept: true })
      }
    }
  }

  /** Delivers to many recipients in two statements, where each simply gets the next place of its inbox. */
  #deliverToMany(messageSeq: number, { message, held }: PushItem): readonly PushRecipient[] | undefined {
    const places = message.to.map((agent) => this.#place(agent))
    const isSimple = places.every(({ pending, isKept }) => isKept && pending < this.#pendingLimit)
    if (places.length < MANY || held.length > 0 || !isSimple) return undefined
    const list = JSON.stringify(message.to)
    this.#connection.run(COUNT_UP_MANY, [list])
    this.#connection.run(INSERT_MANY, [messageSeq, message.priority, message.dedupKey, message.expiresAt, list])
    for (const place of places) {
      place.seq++
      place.pending++
    }
    return message.to.map((agent) => ({ agent, state: 'pending', duplicate: false }))
  }

  /** How many may be pending, without counting them: all there ever were, or those since the oldest. */
  #atMost(agent: string, inboxSeq: number): number {
    if (inboxSeq < this.#pendingLimit) return inboxSeq
    const [oldest] = this.#connection.get(OLDEST_PENDING, [agent]) ?? []
    return typeof oldest === 'number' ? inboxSeq - oldest + 1 : 0
  }

  /** Counts only where the inbox could be full. */
  #requireRoom(agent: string): void {
    const place = this.#place(agent)
    if (place.pending < this.#pendingLimit) return
    const [count] = this.#connection.get(COUNT_PENDING, [agent]) ?? []
    place.pending = count
    if (count >= this.#pendingLimit) throw new PosternError('INBOX_FULL', { agent, limit: this.#pendingLimit })
  }

  #insertMessage(message: Message): number {
    return this.#connection.insert(INSERT_MESSAGE, [...messageValues(message, this.#macs), null])
  }

  #deliver(agent: string, messageSeq: number, { message, held }: PushItem): PushRecipient {
    const place = this.#place(agent)
    const state = held.includes(agent) ? 'held' : 'pending'
    place.seq++
    place.isKept = false
    if (state === 'pending') place.pending++
    this.#connection.run(INSERT_DELIVERY, [
      agent,
      place.seq,
      messageSeq,
      message.priority,
      state,
      message.dedupKey,
      message.expiresAt,
    ])
    return { agent, state, duplicate: false }
  }

  /** The earlier deliveries under this key, by recipient; a different message under it refuses the push. */
  #earlier(item: PushItem): Map<string, Earlier> | undefined {
    const { message } = item
    const found = new Map<string, Earlier>()
    for (const agent of message.to) {
      const row = this.#connection.get(EARLIER, [agent, message.dedupKey])
      if (!row) continue
      const earlier = readMessage(row, undefined)
      requireRepetition(earlier, message, agent)
      const [seq, state, inboxSeq, expiresAt] = row.slice(MESSAGE_COLUMNS.length)
      found.set(agent, {
        id: earlier.id,
        seq,
        expiresAt: earlier.expiresAt,
        recipient: { agent, state, duplicate: true },
        revived: isRevived(item, { state, expiresAt }) ? inboxSeq : undefined,
      })
    }
    return found.size > 0 ? found : undefined
  }

  /** A repeated push reaches whoever it had not reached, with the first message and its id. */
  #complete(known: ReadonlyMap<string, Earlier>, item: PushItem): PushResult {
    const first = [...known.values()].reduce((a, b) => (a.seq <= b.seq ? a : b))
    // It is the first message that is delivered, so the first one's time counts, as long as that is not over.
    const isFirstOver = isRevived(item, { state: 'pending', expiresAt: first.expiresAt })
    const expiresAt = isFirstOver ? item.message.expiresAt : first.expiresAt
    const again: PushItem = { ...item, message: { ...item.message, expiresAt } }
    const recipients = item.message.to.map((agent) => {
      const earlier = known.get(agent)
      if (earlier?.revived !== undefined) return this.#revive(agent, { ...earlier, inboxSeq: earlier.revived }, item)
      return earlier?.recipient ?? this.#deliver(agent, first.seq, again)
    })
    const duplicate = recipients.every((recipient) => recipient.duplicate)
    if (item.message.to.some((agent) => !known.has(agent))) this.#readdress(first.seq)
    return { id: first.id, duplicate, recipients }
  }

  #revive(
    agent: string,
    { seq, inboxSeq }: { readonly seq: number; readonly inboxSeq: number },
    { message, held }: PushItem,
  ): PushRecipient {
    const state = held.includes(agent) ? 'held' : 'pending'
    const at = message.createdAt
    if (state === 'pending') this.#place(agent).pending++
    this.#connection.run(REVIVE, [agent, inboxSeq, state, message.expiresAt, at])
    if (state === 'pending')
      this.#connection.run(INSERT_STEP, [seq, agent, at, 'requeued', null, message.from.id, null, REVIVED])
    return { agent, state, duplicate: false }
  }

  #readdress(messageSeq: number): void {
    const row = this.#connection.get(TO_READDRESS, [messageSeq])
    if (!row) return
    const addressed = row.at(-1)
    const proofs = proofsAfter({ macs: this.#macs }, row, ['addressed', addressed])
    this.#connection.run(READDRESS, [messageSeq, addressed, ...proofs])
  }
}

const COUNT_PENDING = `SELECT count(*) FROM deliveries WHERE agent_id = ?1 AND state = 'pending'`

/** OR FAIL as in offers: a table with a trigger would else cost a copy of every page that changes. */
const INSERT_MESSAGE = `INSERT OR FAIL INTO messages (${MESSAGE_COLUMNS.join(', ')}, broadcast_seq)
  VALUES (${Array.from({ length: MESSAGE_COLUMNS.length + 1 }, (_, i) => `?${i + 1}`).join(', ')})`

const TO_READDRESS = `SELECT ${SELECT_MESSAGE}, (SELECT group_concat(agent_id, ',') FROM
  (SELECT agent_id FROM deliveries WHERE message_seq = ?1 ORDER BY agent_id)) FROM messages m WHERE m.seq = ?1`

const AMONG = 'id IN (SELECT value FROM json_each(?1))'

const PLACES = `SELECT id, inbox_seq FROM agents WHERE ${AMONG} AND removed_at IS NULL`

/** OR FAIL as in offers: whatever fails is taken back as a whole. */
const COUNT_UP_MANY = `UPDATE OR FAIL agents SET inbox_seq = inbox_seq + 1 WHERE ${AMONG}`

const INSERT_MANY = `INSERT OR FAIL INTO deliveries (agent_id, inbox_seq, message_seq, priority, state, dedup_key, expires_at)
  SELECT id, inbox_seq, ?1, ?2, 'pending', ?3, ?4 FROM agents WHERE id IN (SELECT value FROM json_each(?5))`

const INSERT_DELIVERY = `INSERT INTO deliveries (agent_id, inbox_seq, message_seq, priority, state, dedup_key, expires_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`

const EARLIER = `SELECT ${SELECT_MESSAGE}, m.seq, ${STATE_NOW}, d.inbox_seq, d.expires_at FROM deliveries d JOIN messages m ON m.seq = d.message_seq
  LEFT JOIN offers o ON o.id = d.offer_id WHERE d.agent_id = ?1 AND d.dedup_key = ?2`

const oldestOf = (priority: number) =>
  `(SELECT inbox_seq FROM deliveries WHERE agent_id = ?1 AND state = 'pending' AND priority = ${priority} ORDER BY inbox_seq LIMIT 1)`

const OLDEST_PENDING = `SELECT min(seq) FROM (${[0, 1, 2, 3, 4].map((p) => `SELECT ${oldestOf(p)} AS seq`).join(' UNION ALL ')})`
