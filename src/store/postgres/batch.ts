import type { DeliveryState } from '../../model/delivery.ts'
import type { Message } from '../../model/message.ts'
import { MESSAGE_COLUMNS, messageValues } from '../rows.ts'
import { LostRace, RING_CHANNEL, type Sql, type SqlValue } from '../sql.ts'
import { LOCK_ORDER } from './lock.ts'
import { arrayLiteral } from './statements.ts'

/** Messages that are new, and everybody who gets one: what one statement stores, all of it or nothing. */
export interface Batch {
  readonly messages: readonly Message[]
  readonly deliveries: readonly NewDelivery[]
}

export interface NewDelivery {
  readonly agent: string
  readonly state: Extract<DeliveryState, 'pending' | 'held'>
  readonly message: Message
  /** The row of a message that was stored before; absent for those of this batch. */
  readonly messageSeq?: number
}

export interface StoreOptions {
  /** How many may be pending for an agent. */
  readonly limit: number
  /** True: it rather fails than waits for long for a recipient whom somebody else keeps locked. */
  readonly isHasty?: boolean
}

/**
 * Stores a batch by a single statement. False where it stored nothing, because a recipient does not exist, has the
 * message already or might have no room for it: whoever wants to know must look under locks.
 *
 * The statement reads with the eyes of the moment it began. It may have waited for a recipient since, so it counts on
 * from the number it then found; a key stored meanwhile makes it fail as a lost race.
 */
export async function storeBatch(sql: Sql, batch: Batch, { limit, isHasty = false }: StoreOptions): Promise<boolean> {
  const [first] = batch.deliveries
  if (!first) return true
  if (batch.deliveries.length === 1 && batch.messages.length === 1) return storeSingle(sql, first, limit)
  const rung = sql.skipsNotify ? [] : batch.deliveries.filter(isRung).map(({ agent }) => agent)
  const row = await sql.get(isHasty ? STORE_HASTILY : STORE_BATCH, batchParams(batch, { limit, rung, macs: sql.macs }))
  return row?.[0] === batch.deliveries.length
}

/** Under locks and after all checks there is nothing left that could be in the way. */
export async function requireStored(sql: Sql, batch: Batch): Promise<void> {
  const isStored = await storeBatch(sql, batch, { limit: Number.MAX_SAFE_INTEGER })
  if (!isStored) throw new LostRace('a push could not be stored')
}

async function storeSingle(sql: Sql, delivery: NewDelivery, limit: number): Promise<boolean> {
  const { message, agent, state } = delivery
  const text =
    SINGLE[message.dedupKey === null ? 'plain' : 'keyed'][!sql.skipsNotify && isRung(delivery) ? 'rung' : 'unrung']
  const rows = await sql.all(text, [...messageValues(message, sql.macs), agent, state, limit])
  return rows.length === 1
}

/** A message to oneself wakes nobody, and neither does one that is held. */
function isRung({ agent, state, message }: NewDelivery): boolean {
  return state === 'pending' && agent !== message.from.id
}

/** Everything by columns. Recipients stand in id order; deliveries name them by number. */
function batchParams(
  { messages, deliveries }: Batch,
  { limit, rung, macs }: { readonly limit: number; readonly rung: readonly string[]; readonly macs: Sql['macs'] },
): SqlValue[] {
  const agents = [...new Set(deliveries.map(({ agent }) => agent))].sort()
  const places = new Map(agents.map((agent, at) => [agent, { at: at + 1, added: 0 }]))
  const numbers = new Map(messages.map((message, index) => [message.id, index + 1]))
  const rows = deliveries.map(({ agent, message, messageSeq, state }) => {
    const place = places.get(agent) ?? { at: 0, added: 0 }
    place.added++
    return [
      agent,
      place.at,
      place.added,
      numbers.get(message.id) ?? null,
      messageSeq ?? null,
      message.priority,
      state,
      message.dedupKey,
      message.expiresAt,
    ] as const
  })
  // Neighbours in an inbox are neighbours in its indexes.
  rows.sort((a, b) => a[1] - b[1])
  return [
    limit,
    arrayLiteral(agents),
    arrayLiteral([...places.values()].map(({ added }) => added)),
    arrayLiteral([...new Set(rung)]),
    ...columnsOf(rows, WANTED),
    ...columnsOf(
      messages.map((message) => messageValues(message, macs)),
      MESSAGE_COLUMNS,
    ),
  ]
}

function columnsOf(rows: readonly (readonly SqlValue[])[], names: readonly string[]): string[] {
  return names.map((name, at) =>
    columnOf(
      name,
      rows.map((row) => row[at] ?? null),
    ),
  )
}

/**
 * Several arrays unnested together are filled up with nulls. So a column without any value need not be sent, and where
 * one that is never null has the same value throughout, its first is enough: `valueFrom` repeats it.
 */
function columnOf(name: string, values: readonly SqlValue[]): string {
  const [first = null] = values
  const isSame = (first === null || NEVER_NULL.has(name)) && values.every((value) => value === first)
  if (!isSame) return arrayLiteral(values)
  return first === null ? '{}' : arrayLiteral([first])
}

const INTEGERS: ReadonlySet<string> = new Set(['priority', 'hops', 'place', 'added', 'number'])
const BIGINTS: ReadonlySet<string> = new Set(['created_at', 'expires_at', 'message_seq', 'checksum'])
const NEVER_NULL: ReadonlySet<string> = new Set(
  'id type from_id from_as addressed content priority hops created_at checksum agent_id place added state'.split(' '),
)
const typeOf = (column: string) => (INTEGERS.has(column) ? 'int' : BIGINTS.has(column) ? 'bigint' : 'text')

/** What is asked for of each delivery, in the order of `batchParams`. */
const WANTED = 'agent_id place added number message_seq priority state dedup_key expires_at'.split(' ')
const COLUMNS = MESSAGE_COLUMNS.join(', ')
const DELIVERY_COLUMNS = 'agent_id, inbox_seq, message_seq, priority, state, dedup_key, expires_at'

const typed = (columns: readonly string[], from: number, suffix: string) =>
  columns.map((column, index) => `?${from + index}::${typeOf(column)}${suffix}`).join(', ')

const valueFrom = (table: string, column: string, param: number) =>
  NEVER_NULL.has(column) ? `coalesce(${table}.${column}, (?${param}::${typeOf(column)}[])[1])` : `${table}.${column}`

const oldestOf = (agent: string) =>
  [0, 1, 2, 3, 4]
    .map(
      (priority) => `(SELECT d.inbox_seq FROM deliveries d WHERE d.agent_id = ${agent} AND d.state = 'pending'
        AND d.priority = ${priority} ORDER BY d.inbox_seq LIMIT 1)`,
    )
    .join(', ')

/**
 * Whether an inbox that will have counted up to `last` is surely within the limit: nobody ever got that many, or
 * no more than that many came since the oldest that is pending, or since the moment the statement began.
 */
const hasRoom = (agent: string, last: string, limit: string) => `CASE WHEN ${last} <= ${limit} THEN true
    ELSE ${last} - coalesce(least(${oldestOf(agent)}) - 1, (SELECT s.inbox_seq FROM agents s WHERE s.id = ${agent})) <= ${limit} END`

const KEY_PARAM = `?${MESSAGE_COLUMNS.indexOf('dedup_key') + 1}::text`
const [AGENT, STATE, LIMIT] = [1, 2, 3].map((n) => `?${MESSAGE_COLUMNS.length + n}`)

/** Most pushes: one message for one agent. Counting the agent up is its lock too. */
const single = (isNew: string, returning: string) => `WITH place AS (
  UPDATE agents a SET inbox_seq = a.inbox_seq + 1
  WHERE a.id = ${AGENT} AND a.removed_at IS NULL AND ${hasRoom(`${AGENT}`, '(a.inbox_seq + 1)', `${LIMIT}::bigint`)} ${isNew}
  RETURNING a.inbox_seq
), message AS (
  INSERT INTO messages (${COLUMNS}) SELECT ${typed(MESSAGE_COLUMNS, 1, '')} FROM place RETURNING seq, priority, dedup_key, expires_at
)
INSERT INTO deliveries (${DELIVERY_COLUMNS})
  SELECT ${AGENT}::text, place.inbox_seq, m.seq, m.priority, ${STATE}::text, m.dedup_key, m.expires_at FROM place, message m
  RETURNING ${returning}`

const IS_NEW = `AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.agent_id = ${AGENT} AND d.dedup_key = ${KEY_PARAM})`
const AND_RING = `inbox_seq, pg_notify('${RING_CHANNEL}', agent_id)`

const SINGLE = {
  plain: { unrung: single('', 'inbox_seq'), rung: single('', AND_RING) },
  keyed: { unrung: single(IS_NEW, 'inbox_seq'), rung: single(IS_NEW, AND_RING) },
}

/** Others keep a recipient locked for far less, unless their process was stopped. */
const HASTY_LOCK_MS = 200
const DELIVERIES_AT = 5
const MESSAGES_AT = DELIVERIES_AT + WANTED.length
const messageValue = (column: string, index: number) => valueFrom('m', column, MESSAGES_AT + index)
const wanted = (column: string) => valueFrom('w', column, DELIVERIES_AT + WANTED.indexOf(column))

/** Places and numbers are looked up by their position in arrays: a join of a thousand by a thousand would cost more. */
const many = (beforeLocks: string) => `WITH place AS MATERIALIZED (
  SELECT a.id, a.inbox_seq FROM agents a WHERE a.id = ANY(?2::text[]) AND a.removed_at IS NULL ${beforeLocks} ${LOCK_ORDER}
), counted AS (
  SELECT p.id, p.inbox_seq, p.inbox_seq + (?3::bigint[])[row_number() OVER (ORDER BY p.id)] AS last FROM place p
), verdict AS MATERIALIZED (
  SELECT array_agg(c.inbox_seq ORDER BY c.id) AS places,
    ARRAY(SELECT nextval('messages_seq_seq') FROM generate_series(1, cardinality(?${MESSAGES_AT}::text[]))) AS numbers
  FROM counted c HAVING count(*) = cardinality(?2::text[]) AND bool_and(${hasRoom('c.id', 'c.last', '?1::bigint')})
    AND NOT EXISTS (SELECT 1 FROM unnest(?${DELIVERIES_AT}::text[], ?${DELIVERIES_AT + 7}::text[]) AS w (agent_id, dedup_key)
      WHERE w.dedup_key IS NOT NULL AND (SELECT d.message_seq FROM deliveries d
        WHERE d.agent_id = ${wanted('agent_id')} AND d.dedup_key = w.dedup_key) IS NOT NULL)
), message AS (
  INSERT INTO messages (seq, ${COLUMNS}) OVERRIDING SYSTEM VALUE
  SELECT v.numbers[m.number], ${MESSAGE_COLUMNS.map(messageValue).join(', ')}
  FROM verdict v, unnest(${typed(MESSAGE_COLUMNS, MESSAGES_AT, '[]')}) WITH ORDINALITY AS m (${COLUMNS}, number)
), agent AS (
  UPDATE agents a SET inbox_seq = a.inbox_seq + w.added
  FROM verdict, unnest(?2::text[], ?3::bigint[]) AS w (id, added) WHERE a.id = w.id
), delivery AS (
  INSERT INTO deliveries (${DELIVERY_COLUMNS})
  SELECT ${wanted('agent_id')}, v.places[${wanted('place')}] + ${wanted('added')}, coalesce(w.message_seq, v.numbers[w.number]),
    ${wanted('priority')}, ${wanted('state')}, w.dedup_key, w.expires_at
  FROM verdict v, unnest(${typed(WANTED, DELIVERIES_AT, '[]')}) AS w (${WANTED.join(', ')})
  RETURNING 1
)
SELECT count(*), (SELECT count(pg_notify('${RING_CHANNEL}', r.name)::text) FROM verdict, unnest(?4::text[]) AS r (name))
FROM delivery`

const STORE_BATCH = many('')

/** A condition that needs no row is looked at before the first one is locked; what it sets ends with the transaction. */
const STORE_HASTILY = many(`AND (SELECT set_config('lock_timeout', '${HASTY_LOCK_MS}', true)) IS NOT NULL`)
