import type { DeliveryState, InboxMessage } from '../../model/delivery.ts'
import type { InboxPageParams, InboxRows, InboxShelf } from '../contract/inboxes.ts'
import type { MessageMacs } from '../message-macs.ts'
import {
  MESSAGE_COLUMNS,
  readDelivery,
  readInboxMessage,
  SELECT_INBOX_MESSAGE,
  SELECT_MESSAGE,
  STATE_NOW,
} from '../rows.ts'
import type { Sql, SqlRow, SqlValue } from '../sql.ts'
import { LIVE, loadSalvage, quoted } from './deliveries.ts'

export function createInboxShelf(sql: Sql): InboxShelf {
  return {
    async page(params) {
      const { limit } = params
      const rows = await pageRows({ ...params, limit: limit + 1 })
      const items = rows.slice(0, limit).map(({ item }) => item)
      const last = rows[limit - 1]
      return { items, ...(rows.length > limit && last && { next: goOn(params, last.cursor) }) }
    },

    async untaken({ id, now }) {
      const rows = await sql.all(`${UNTAKEN_OF} ORDER BY a.id`, [id, now])
      return rows.map(readDelivery)
    },
  }

  async function pageRows(params: InboxPageParams): Promise<readonly PageRow[]> {
    try {
      const rows = await sql.all(pageQuery(params, sql.engine), pageValues(params))
      return rows.map((row) => readPageRow(row, params.now, sql.macs))
    } catch (error) {
      const { SALVAGED, readAround, salvage } = await loadSalvage(error)
      // The broadcast number is a column of messages, which cannot be read here.
      const { after, ...rest } = params
      const page = { ...rest, ...(after && { after: { agent: after.agent, inboxSeq: after.inboxSeq } }) }
      const query = (tables: string) => `${stored(page, { columns: SALVAGED, tables })} LIMIT ?5 + 0`
      const items = await salvage(sql, await readAround(sql, (tables) => [query(tables), pageValues(page)]))
      return items.map((item) => ({ item, cursor: { agent: item.agent, inboxSeq: item.inboxSeq } }))
    }
  }
}

/** Broadcasts up to a number were shown by earlier pages, also where this page ends with another message. */
function goOn({ isNewestFirst, after }: InboxPageParams, cursor: PageRow['cursor']): PageRow['cursor'] {
  const { broadcastSeq } = after ?? {}
  const hasOwn = isNewestFirst || cursor.broadcastSeq !== undefined || cursor.agent !== after?.agent
  return hasOwn || broadcastSeq === undefined ? cursor : { ...cursor, broadcastSeq }
}

interface PageRow {
  readonly item: InboxMessage
  readonly cursor: NonNullable<InboxRows['next']>
}

/**
 * What follows the columns of an inbox message: its state, the time of waking, and of a broadcast its number and the
 * last place.
 */
const STATE_AT = MESSAGE_COLUMNS.length + 4
const [AGENT, PLACE, BROADCAST] = [MESSAGE_COLUMNS.length + 1, MESSAGE_COLUMNS.length + 3, STATE_AT + 3]
const NOTHING = 'CAST(NULL AS bigint)'
const IS_MEANT = `a.removed_at IS NULL AND a.kind <> 'service' AND m.from_id <> a.id AND NOT EXISTS (
  SELECT 1 FROM deliveries t WHERE t.message_seq = m.seq AND t.agent_id = a.id)`
/** The state that taking up the broadcast would give it now. */
const UNTAKEN_STATE = `CASE WHEN m.expires_at <= ?2 THEN 'expired' ELSE 'pending' END`
const UNTAKEN_PLACE = `a.inbox_seq + (SELECT count(*) FROM messages b
  WHERE b.broadcast_seq > a.broadcast_cursor AND b.broadcast_seq <= m.broadcast_seq AND b.from_id <> a.id)`

/** Each part finds its first rows by an index of its own; together they are in order. */
function pageQuery(params: InboxPageParams, engine: Sql['engine']): string {
  const { states, isNewestFirst, after } = params
  const has = (state: DeliveryState) => states.includes(state)
  // A query for held deliveries also returns snoozed ones that are due; `readPageRow` tells them apart.
  const isDueApart = has('pending') && !has('held')
  const mayBeUntaken = !isNewestFirst || after === undefined || after.broadcastSeq !== undefined
  const parts = [
    stored(params),
    ...(isDueApart ? [due(params)] : []),
    ...(mayBeUntaken && (has('pending') || has('expired')) ? [untaken(params, engine)] : []),
  ]
  const direction = isNewestFirst ? ' DESC' : ''
  const whole = parts.map((part) => `SELECT * FROM (${part} LIMIT ?5 + 0) AS p`).join('\nUNION ALL ')
  return `${whole} ORDER BY ${AGENT}, ${BROADCAST}${direction}, ${PLACE}${direction} LIMIT ?5 + 0`
}

function pageValues({ agent, now, limit, after, isNewestFirst }: InboxPageParams): SqlValue[] {
  const { inboxSeq = isNewestFirst ? Number.MAX_SAFE_INTEGER : 0, broadcastSeq } = after ?? {}
  const noBroadcast = isNewestFirst ? Number.MAX_SAFE_INTEGER : 0
  return [agent ?? '', now, after?.agent ?? '', inboxSeq, limit, broadcastSeq ?? noBroadcast]
}

/** Every parameter is in every query, because PostgreSQL wants to know the type of each. */
const TYPES = `?1 = ?1 AND ?3 = ?3 AND CAST(?2 AS bigint) IS NOT NULL AND CAST(?4 AS bigint) IS NOT NULL AND CAST(?6 AS bigint) IS NOT NULL`

const WHOLE = { columns: SELECT_INBOX_MESSAGE, tables: 'deliveries d JOIN messages m ON m.seq = d.message_seq' }

function stored({ agent, states, snoozed, ...page }: InboxPageParams, { columns, tables } = WHOLE): string {
  const onlyPending = states.length === 1 && states[0] === 'pending'
  return `SELECT ${columns}, ${STATE_NOW} AS state, d.snoozed_until, 0 AS broadcast, 0 AS base
    FROM ${tables} LEFT JOIN offers o ON o.id = d.offer_id
    WHERE ${TYPES} AND ${onlyPending ? `d.state = 'pending' AND ${LIVE}` : `${STATE_NOW} IN (${quoted(states)})`}
      ${agent === undefined ? '' : 'AND d.agent_id = ?1'} ${snoozed ? 'AND d.snoozed_until > ?2' : ''}
      AND ${isAfter(page)} ORDER BY d.agent_id, d.inbox_seq${page.isNewestFirst ? ' DESC' : ''}`
}

/** Snoozed deliveries are few, and their own index finds those that are due. */
function due({ agent, ...page }: InboxPageParams): string {
  return `SELECT ${SELECT_MESSAGE}, d.agent_id, d.attempt, d.inbox_seq, CASE WHEN d.expires_at > d.snoozed_until THEN d.expires_at END AS until,
      'pending' AS state, ${NOTHING} AS snoozed_until, 0 AS broadcast, 0 AS base
    FROM (SELECT s.* FROM deliveries s WHERE s.snoozed_until IS NOT NULL AND s.snoozed_until <= ?2
      ${agent === undefined ? '' : 'AND s.agent_id = ?1'} ORDER BY s.agent_id, s.snoozed_until LIMIT ${MOST_DUE}) AS d
      LEFT JOIN messages m ON m.seq = d.message_seq
    WHERE ${TYPES} AND (d.expires_at IS NULL OR d.expires_at <= d.snoozed_until OR d.expires_at > ?2) AND ${isAfter(page)}
    ORDER BY d.agent_id, d.inbox_seq${page.isNewestFirst ? ' DESC' : ''}`
}

/** Upkeep and drains wake what is due, so there are never many. */
const MOST_DUE = 10_000

/** Finds each agent's broadcasts by index, even if the plan was made when there were few. */
const BROADCASTS: Readonly<Record<Sql['engine'], string>> = {
  sqlite: 'messages m ON m.broadcast_seq > a.broadcast_cursor',
  postgres: 'LATERAL (SELECT b.* FROM messages b WHERE b.broadcast_seq > a.broadcast_cursor OFFSET 0) AS m',
}

function untaken({ agent, states, isNewestFirst }: InboxPageParams, engine: Sql['engine']): string {
  const after = isNewestFirst ? 'm.broadcast_seq < ?6' : '(a.id > ?3 OR (a.id = ?3 AND m.broadcast_seq > ?6))'
  return `SELECT ${SELECT_MESSAGE}, a.id AS agent_id, 0 AS attempt, ${UNTAKEN_PLACE} AS inbox_seq, m.expires_at AS until,
      ${UNTAKEN_STATE} AS state, ${NOTHING} AS snoozed_until, m.broadcast_seq AS broadcast, a.inbox_seq AS base
    FROM agents a CROSS JOIN ${BROADCASTS[engine]} WHERE ${TYPES} AND a.broadcast_cursor < (SELECT value FROM counters WHERE name = 'broadcast') AND ${IS_MEANT}
      ${agent === undefined ? '' : 'AND a.id = ?1'} AND ${UNTAKEN_STATE} IN (${quoted(states)}) AND ${after}
    ORDER BY a.id, m.broadcast_seq${isNewestFirst ? ' DESC' : ''}`
}

/**
 * Below the cursor, or above it. A page that ended with a broadcast goes on after its number: meanwhile it may have got a
 * place, and others may have got theirs before it.
 */
function isAfter({ isNewestFirst, after }: Pick<InboxPageParams, 'isNewestFirst' | 'after'>): string {
  const isBroadcast = after?.broadcastSeq !== undefined
  if (isNewestFirst) return isBroadcast ? '(d.inbox_seq <= ?4 OR m.broadcast_seq < ?6)' : 'd.inbox_seq < ?4'
  const unshown = isBroadcast ? 'AND (m.broadcast_seq IS NULL OR m.broadcast_seq > ?6)' : ''
  return `(d.agent_id > ?3 OR (d.agent_id = ?3 AND d.inbox_seq > ?4 ${unshown}))`
}

const UNTAKEN_OF = `SELECT a.id, ${UNTAKEN_STATE}, ${UNTAKEN_PLACE}, 0, m.created_at, ${NOTHING}, ${NOTHING}, ${NOTHING}, ${NOTHING},
    m.expires_at, CAST(NULL AS text), CAST(NULL AS text), ${NOTHING}
  FROM messages m JOIN agents a ON a.broadcast_cursor < m.broadcast_seq WHERE m.id = ?1 AND ${IS_MEANT}`

function readPageRow(row: SqlRow, now: number, macs: MessageMacs | undefined): PageRow {
  const [until, broadcastSeq, base] = row.slice(STATE_AT + 1)
  const stored = readInboxMessage(row, macs)
  const { agent, inboxSeq } = stored
  if (broadcastSeq > 0) return { item: stored, cursor: { agent, inboxSeq: base, broadcastSeq } }
  return { item: until === null ? stored : asOf(stored, until, now), cursor: { agent, inboxSeq } }
}

/** A snoozed message; if its time has come, it is what waking makes of it. */
function asOf(stored: InboxMessage, untilAt: number, now: number): InboxMessage {
  if (untilAt > now) return { ...stored, snoozedUntilAt: untilAt }
  const { expiresAt } = stored
  return { ...stored, state: 'pending', expiresAt: expiresAt !== null && expiresAt <= untilAt ? null : expiresAt }
}
