import { EVERYBODY } from '../../model/message.ts'
import { readMessage, SELECT_MESSAGE } from '../rows.ts'
import { isAmong, locking, type Sql } from '../sql.ts'
import type { MessageShelf } from '../store.ts'

/** What both engines read of messages in the same way. Pushing and searching have a body for each. */
export function createMessageReader(
  sql: Sql,
): Pick<MessageShelf, 'get' | 'getAnswered' | 'getAwaited' | 'thread' | 'hasReply' | 'countThread' | 'expire'> {
  const get = async (id: string, lock = '') => {
    const row = await sql.get(`SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.id = ?1 ${lock}`, [id])
    return row && readMessage(row)
  }

  return {
    get: (id) => get(id),
    getAnswered: (id) => get(id, locking(sql, 'FOR SHARE OF m')),
    getAwaited: (id) => get(id, locking(sql, 'FOR UPDATE OF m')),

    async thread({ threadId, limit }) {
      const rows = await sql.all(
        `SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.id = ?1 OR m.thread_id = ?1 ORDER BY m.seq LIMIT ?2 + 0`,
        [threadId, limit],
      )
      return rows.map(readMessage)
    },

    async hasReply({ message: { id, threadId, to }, notFrom }) {
      const row = await sql.get(
        `SELECT 1 FROM messages m WHERE m.thread_id = ?2 AND m.reply_to = ?1 AND m.from_id <> ?3
           AND (NOT ${OF_PROGRAM} OR ${isAmong(sql, `'${EVERYBODY}'`, '?4', 'text')} OR ${isAmong(sql, 'm.from_id', '?4', 'text')})
           AND (m.broadcast_seq IS NOT NULL OR EXISTS (SELECT 1 FROM deliveries d
             WHERE d.message_seq = m.seq AND d.state NOT IN ('held', 'cancelled'))) LIMIT 1`,
        [id, threadId, notFrom, JSON.stringify(to)],
      )
      return row !== undefined
    },

    async countThread({ threadId }) {
      const row = await sql.get(COUNT_SINCE_PERSON, [threadId])
      return Number(row?.[0] ?? 0)
    },

    async expire({ id, at }) {
      await sql.run('UPDATE messages SET expires_at = ?2 WHERE id = ?1 AND (expires_at IS NULL OR expires_at > ?2)', [
        id,
        at,
      ])
    },
  }
}

const OF_THREAD = '(m.id = ?1 OR m.thread_id = ?1)'

/** The kind of a sender stands at the beginning of `from_as`. */
const OF_PROGRAM = `(m.from_as LIKE 'ai/%' OR m.from_as LIKE 'service/%')`
const COUNT_SINCE_PERSON = `SELECT count(*) FROM messages m WHERE ${OF_THREAD} AND m.seq > coalesce(
  (SELECT max(m.seq) FROM messages m WHERE ${OF_THREAD} AND m.from_as LIKE 'human/%'), 0)`
