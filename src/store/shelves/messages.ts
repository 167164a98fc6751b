import type { MessageShelf } from '../contract/messages.ts'
import { proofsAfter, readMessage, SELECT_MESSAGE } from '../rows.ts'
import { locking, type Sql } from '../sql.ts'

/** What both engines read of messages in the same way. Pushing and searching have a body for each. */
export function createMessageReader(
  sql: Sql,
): Pick<MessageShelf, 'get' | 'getAnswered' | 'getAwaited' | 'thread' | 'repliers' | 'countThread' | 'expire'> {
  const get = async (id: string, lock = '') => {
    const row = await sql.get(`SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.id = ?1 ${lock}`, [id])
    return row && readMessage(row, sql.macs)
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
      return rows.map((row) => readMessage(row, sql.macs))
    },

    async repliers({ message: { id, threadId }, now }) {
      const rows = await sql.all(
        `SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.thread_id = ?2 AND m.reply_to = ?1
           AND (m.broadcast_seq IS NOT NULL AND (m.expires_at IS NULL OR m.expires_at > ?3)
             OR EXISTS (SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND ${HAS_ARRIVED}))`,
        [id, threadId, now],
      )
      // Who a damaged reply is from is not known.
      return rows.map((row) => readMessage(row, undefined)).flatMap(({ damaged, from }) => (damaged ? [] : [from]))
    },

    async countThread({ threadId }) {
      const row = await sql.get(COUNT_SINCE_PERSON, [threadId])
      return Number(row?.[0] ?? 0)
    },

    async expire({ id, at }) {
      const row = await sql.get(
        `SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.id = ?1 AND (m.expires_at IS NULL OR m.expires_at > ?2)
         ${locking(sql, 'FOR UPDATE OF m')}`,
        [id, at],
      )
      if (!row) return
      const proofs = proofsAfter(sql, row, ['expires_at', at])
      await sql.run('UPDATE messages SET expires_at = ?2, checksum = ?3, mac = ?4 WHERE id = ?1', [id, at, ...proofs])
    },
  }
}

/** A reply that is held, was taken back, or expired before it was shown, has not arrived. One that was put off has. */
const HAS_ARRIVED = `(d.snoozed_until IS NOT NULL OR d.state IN ('offered', 'acted', 'dead')
  OR (d.state = 'pending' AND (d.expires_at IS NULL OR d.expires_at > ?3)))`

const OF_THREAD = '(m.id = ?1 OR m.thread_id = ?1)'

/** The kind of a sender stands at the beginning of `from_as`. */
const COUNT_SINCE_PERSON = `SELECT count(*) FROM messages m WHERE ${OF_THREAD} AND m.seq > coalesce(
  (SELECT max(m.seq) FROM messages m WHERE ${OF_THREAD} AND m.from_as LIKE 'human/%'), 0)`
