import { readMessage, SELECT_MESSAGE } from '../rows.ts'
import type { Sql } from '../sql.ts'
import type { MessageShelf } from '../store.ts'

/** What both engines read of messages in the same way. Pushing and searching have a body for each. */
export function createMessageReader(sql: Sql): Pick<MessageShelf, 'get' | 'thread' | 'countThread'> {
  return {
    async get(id) {
      const row = await sql.get(`SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.id = ?1`, [id])
      return row && readMessage(row)
    },

    async thread({ threadId, limit }) {
      const rows = await sql.all(
        `SELECT ${SELECT_MESSAGE} FROM messages m WHERE m.id = ?1 OR m.thread_id = ?1 ORDER BY m.seq LIMIT ?2 + 0`,
        [threadId, limit],
      )
      return rows.map(readMessage)
    },

    async countThread({ threadId }) {
      const row = await sql.get('SELECT count(*) FROM messages m WHERE m.id = ?1 OR m.thread_id = ?1', [threadId])
      return Number(row?.[0] ?? 0)
    },
  }
}
