import type { DeliveryState } from '../../model/delivery.ts'
import type { Priority } from '../../model/priority.ts'
import type { HistoryShelf } from '../contract/history.ts'
import { readInboxMessage, SELECT_INBOX_MESSAGE, STATE_NOW } from '../rows.ts'
import type { Sql } from '../sql.ts'

const RECENT = 2_000

/**
 * The `coalesce` keeps PostgreSQL from using the index on `type`, so it looks up each delivery's message instead of
 * reading all messages of the type.
 */
const IS_OF_TYPE = `coalesce(m.type, '') = ?2`

export function createHistoryShelf(sql: Sql): HistoryShelf {
  return {
    async recent({ agent, type, from, limit }) {
      const rows = await sql.all(
        `SELECT ${SELECT_INBOX_MESSAGE}, ${STATE_NOW}
         FROM (SELECT * FROM deliveries WHERE agent_id = ?1 ORDER BY inbox_seq DESC LIMIT ${RECENT}) AS d
         LEFT JOIN messages m ON m.seq = d.message_seq LEFT JOIN offers o ON o.id = d.offer_id
         WHERE ${IS_OF_TYPE} AND (?3 = '' OR m.from_id = ?3) ORDER BY d.inbox_seq DESC LIMIT ?4 + 0`,
        [agent, type, from ?? '', limit],
      )
      return rows.map((row) => readInboxMessage(row, sql.macs))
    },

    async fired({ agent, type }) {
      const rows = await sql.all(
        `SELECT m.id, m.ref, m.created_at, ${STATE_NOW}
         FROM (SELECT inbox_seq, message_seq, state, offer_id FROM deliveries WHERE agent_id = ?1
           ORDER BY inbox_seq DESC LIMIT ${RECENT}) AS d
         LEFT JOIN messages m ON m.seq = d.message_seq LEFT JOIN offers o ON o.id = d.offer_id
         WHERE ${IS_OF_TYPE} ORDER BY d.inbox_seq DESC`,
        [agent, type],
      )
      return rows.map(([id, ref, createdAt, state]) => ({ id, ref, createdAt, state: state as DeliveryState }))
    },

    async pushed({ fromId, limit }) {
      const rows = await sql.all(`SELECT created_at FROM messages WHERE id >= ?1 ORDER BY id DESC LIMIT ?2 + 0`, [
        fromId,
        limit,
      ])
      return rows.map(([createdAt]) => createdAt)
    },

    async delivered({ fromId, limit }) {
      const rows = await sql.all(
        `SELECT m.created_at, d.priority, d.agent_id, ${STATE_NOW}, CASE WHEN o.outcome = 'confirmed' THEN o.closed_at END,
           d.moved_at, m.characters
         FROM (SELECT seq, created_at, length(content) AS characters FROM messages WHERE id >= ?1 ORDER BY id DESC
           LIMIT ?2 + 0) AS m
         JOIN deliveries d ON d.message_seq = m.seq LEFT JOIN offers o ON o.id = d.offer_id LIMIT ?2 + 0`,
        [fromId, limit],
      )
      return rows.map(([createdAt, priority, agent, state, seenAt, movedAt, characters]) => ({
        createdAt,
        priority: priority as Priority,
        agent,
        state,
        seenAt,
        movedAt,
        characters: Number(characters),
      }))
    },

    async waiting({ limit }) {
      const rows = await sql.all(
        `SELECT m.created_at, d.priority
         FROM (SELECT message_seq, priority FROM deliveries WHERE state = 'pending' LIMIT ?1 + 0) AS d
         JOIN messages m ON m.seq = d.message_seq`,
        [limit],
      )
      return rows.map(([createdAt, priority]) => ({ createdAt, priority: priority as Priority }))
    },

    async offered({ fromId, limit }) {
      const rows = await sql.all(
        `SELECT offered_at, printed_at, closed_at, outcome, size, session_id FROM offers WHERE id >= ?1
         ORDER BY id DESC LIMIT ?2 + 0`,
        [fromId, limit],
      )
      return rows.map(([offeredAt, printedAt, closedAt, outcome, size, sessionId]) => ({
        offeredAt,
        printedAt,
        closedAt,
        outcome,
        size,
        sessionId,
      }))
    },
  }
}
