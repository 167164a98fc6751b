import type { Message } from '../../model/message.ts'
import type { RelayRecord, RelayShelf, RelaySlice } from '../contract/relays.ts'
import type { RawEvent } from '../event-data.ts'
import type { EventLog } from '../event-log.ts'
import { MESSAGE_COLUMNS, readMessage, SELECT_MESSAGE } from '../rows.ts'
import { isAmong, type Sql } from '../sql.ts'

export function createRelayShelf(sql: Sql, log: EventLog): RelayShelf {
  const get = async (name: string): Promise<RelayRecord | undefined> => {
    const row = await sql.get('SELECT holder, held_until, cursor FROM relays WHERE name = ?1', [name])
    return row && { holder: row[0], heldUntil: row[1], cursor: row[2] }
  }

  return {
    get: ({ name }) => get(name),

    async lead({ name, holder, now, leaseMs, cursor }) {
      const heldUntil = now + leaseMs
      await sql.run(LEAD, [name, holder, heldUntil, cursor, now, heldUntil + leaseMs])
      return (await get(name)) ?? { holder, heldUntil, cursor }
    },

    async keep({ name, holder, heldUntil, cursor }) {
      const kept = await sql.run('UPDATE relays SET held_until = ?3, cursor = ?4 WHERE name = ?1 AND holder = ?2', [
        name,
        holder,
        heldUntil,
        cursor,
      ])
      return kept > 0
    },

    async after({ cursor, now, limit }) {
      const { items: found, hasGap, isHeldBack } = await log.after({ cursor, limit })
      const { events, items } = await findSome(sql, found, now)
      return {
        items,
        cursor: events.at(-1)?.cursor ?? cursor,
        isMore: found.length >= limit || events.length < found.length,
        hasGap,
        isHeldBack,
      }
    },

    async countAfter(params) {
      return (await log.after(params)).items.filter(isCarried).length
    },
  }
}

/**
 * Servers do not agree on the time to the millisecond. A lease that ends much later than any that is taken now was taken
 * by a clock that has been set back since.
 */
const LEAD = `INSERT INTO relays (name, holder, held_until, cursor) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
    WHERE relays.holder = excluded.holder OR relays.held_until <= ?5 OR relays.held_until > ?6`

function isCarried({ type }: RawEvent): boolean {
  return type === 'message.created' || type === 'delivery.requeued'
}

function isCreated({ type }: RawEvent): boolean {
  return type === 'message.created'
}

/** No more of them are in memory at once, unless a single event has more. */
const MOST = 20_000

interface Some {
  /** Those of a page that were looked at, from its beginning. */
  readonly events: readonly RawEvent[]
  readonly items: RelaySlice['items']
}

/** Looks at fewer events where all of a page have too many recipients together. */
async function findSome(sql: Sql, page: readonly RawEvent[], now: number): Promise<Some> {
  for (let count = page.length; ; count = Math.ceil(count / 8)) {
    const events = page.slice(0, count)
    const items = await findWaiting(sql, events.filter(isCarried), { now, isBounded: count > 1 })
    if (items) return { events, items }
  }
}

interface Found {
  readonly message: Message
  readonly seq: number
  readonly isBroadcast: boolean
}

interface Bounds {
  readonly now: number
  readonly isBounded: boolean
}

/**
 * A query for the messages and one for their recipients, however many: a message to thousands is read once. Undefined
 * where there are more than there may be.
 */
async function findWaiting(
  sql: Sql,
  events: readonly RawEvent[],
  bounds: Bounds,
): Promise<RelaySlice['items'] | undefined> {
  const { now } = bounds
  if (events.length === 0) return []
  const found = await findMessages(sql, [...new Set(events.map(({ subject }) => subject))])
  const [created, again] = [events.filter(isCreated), events.filter((event) => !isCreated(event))]
  const pushed = created.flatMap(({ subject }) => found.get(subject) ?? []).filter(({ isBroadcast }) => !isBroadcast)
  const pending = await findPending(sql, { of: pushed, ...bounds })
  // What became pending again did so for one agent: of a broadcast all others have it already.
  const agents = [...new Set(again.flatMap(({ agent }) => agent ?? []))]
  const moved = again.flatMap(({ subject }) => found.get(subject) ?? [])
  const pendingAgain = pending && (await findPending(sql, { of: moved, agents, ...bounds }))
  if (!pendingAgain) return undefined
  const items = new Map<string, Waiting>()
  for (const event of events) {
    const { message, seq, isBroadcast } = found.get(event.subject) ?? {}
    if (message === undefined || seq === undefined) continue
    if (isBroadcast && isCreated(event) && !isOver(message, now)) items.set(message.id, { message, agent: null })
    for (const [agent, inboxSeq] of (isCreated(event) ? pending : pendingAgain).get(seq) ?? []) {
      const key = `${message.id} ${agent}`
      if ((isCreated(event) || agent === event.agent) && !items.has(key)) items.set(key, { message, agent, inboxSeq })
    }
  }
  return inOrderOfInboxes([...items.values()])
}

interface Waiting {
  readonly message: Message
  readonly agent: string | null
  readonly inboxSeq?: number
}

async function findMessages(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  const rows = await sql.all(
    `SELECT ${SELECT_MESSAGE}, m.seq, m.broadcast_seq FROM messages m WHERE ${isAmong(sql, 'm.id', '?1', 'text')}`,
    [JSON.stringify(ids)],
  )
  const at = MESSAGE_COLUMNS.length
  const found = rows.map((row) => ({
    message: readMessage(row, sql.macs),
    seq: row[at],
    isBroadcast: row[at + 1] !== null,
  }))
  return new Map(found.filter(({ message }) => !message.damaged).map((each) => [each.message.id, each]))
}

interface PendingOf extends Bounds {
  readonly of: readonly Found[]
  /** Only of these agents. */
  readonly agents?: readonly string[]
}

type Pending = ReadonlyMap<number, readonly (readonly [agent: string, inboxSeq: number])[]>

/** Whom each message still waits for, and its place in their inboxes. Undefined where there are too many. */
async function findPending(sql: Sql, { of, agents, now, isBounded }: PendingOf): Promise<Pending | undefined> {
  if (of.length === 0) return new Map()
  const rows = await sql.all(
    // Apart from its bound, so that PostgreSQL does not read a whole index because few rows of it are wanted.
    `WITH waiting AS MATERIALIZED (
       SELECT d.message_seq, d.agent_id, d.inbox_seq FROM deliveries d WHERE ${isAmong(sql, 'd.message_seq', '?1')}
         ${agents ? `AND ${isAmong(sql, 'd.agent_id', '?3', 'text')}` : ''} AND ${IS_WAITING})
     SELECT * FROM waiting ORDER BY message_seq, agent_id ${isBounded ? `LIMIT ${MOST + 1}` : ''}`,
    [JSON.stringify(of.map(({ seq }) => seq)), now, ...(agents ? [JSON.stringify(agents)] : [])],
  )
  if (isBounded && rows.length > MOST) return undefined
  const pending = Map.groupBy(rows, ([seq]) => seq as number)
  return new Map([...pending].map(([seq, own]) => [seq, own.map(([, agent, inboxSeq]) => [agent, inboxSeq])]))
}

/** In such words that PostgreSQL, which may know nothing of the tables yet, does not read all that is pending for it. */
const IS_WAITING = `CASE d.state WHEN 'pending' THEN d.expires_at IS NULL OR d.expires_at > CAST(?2 AS BIGINT) ELSE FALSE END`

function isOver({ expiresAt }: Message, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

/**
 * Transactions that were open at once on PostgreSQL may have come to an inbox in another order than that of their ids,
 * which events have. The places of an agent's messages stay, and its messages are put there in the order of its inbox.
 */
function inOrderOfInboxes(items: readonly Waiting[]): RelaySlice['items'] {
  const sorted = new Map<string, Iterator<Waiting>>()
  for (const [agent, own] of Map.groupBy(items, ({ agent }) => agent)) {
    if (agent !== null) sorted.set(agent, own.toSorted((a, b) => (a.inboxSeq ?? 0) - (b.inboxSeq ?? 0)).values())
  }
  return items.map((item) => {
    const { message, agent } = (item.agent === null ? undefined : sorted.get(item.agent)?.next().value) ?? item
    return { message, agent }
  })
}
