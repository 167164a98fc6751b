import type { ReplyShelf } from '../contract/replies.ts'
import type { Sql } from '../sql.ts'

export function createReplyShelf(sql: Sql): ReplyShelf {
  return {
    async claim({ caller, key, fingerprint, at, abandonedBefore }) {
      const taken = await sql.run(
        `INSERT INTO replies (caller, request_key, fingerprint, begun_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (caller, request_key) DO UPDATE SET begun_at = excluded.begun_at
           WHERE replies.status IS NULL AND replies.begun_at < ?5 AND replies.fingerprint = excluded.fingerprint`,
        [caller, key, fingerprint, at, abandonedBefore],
      )
      if (taken > 0) return undefined
      const row = await sql.get(
        'SELECT fingerprint, status, body FROM replies WHERE caller = ?1 AND request_key = ?2',
        [caller, key],
      )
      return row && { fingerprint: row[0], status: row[1], body: row[2] }
    },

    async keep({ caller, key, status, body }) {
      await sql.run('UPDATE replies SET status = ?3, body = ?4 WHERE caller = ?1 AND request_key = ?2', [
        caller,
        key,
        status,
        body,
      ])
    },

    async drop({ caller, key }) {
      await sql.run('DELETE FROM replies WHERE caller = ?1 AND request_key = ?2 AND status IS NULL', [caller, key])
    },

    reap: ({ begunBefore, limit }) =>
      sql.run(
        `DELETE FROM replies WHERE (caller, request_key) IN
           (SELECT caller, request_key FROM replies WHERE begun_at < ?1 ORDER BY begun_at LIMIT ?2 + 0)`,
        [begunBefore, limit],
      ),
  }
}
