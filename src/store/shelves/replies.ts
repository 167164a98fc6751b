import type { ReplyShelf } from '../contract/replies.ts'
import { LostRace, type Sql } from '../sql.ts'

/** The row of a claim that its request still holds. */
const CLAIM = 'caller = ?1 AND request_key = ?2 AND taken = ?3'

export function createReplyShelf(sql: Sql): ReplyShelf {
  return {
    async claim({ caller, key, fingerprint, at, abandonedBefore }) {
      const mine = await sql.get(
        `INSERT INTO replies (caller, request_key, fingerprint, begun_at, taken) VALUES (?1, ?2, ?3, ?4, ?4)
         ON CONFLICT (caller, request_key) DO UPDATE
           SET begun_at = excluded.begun_at, released = 0,
             taken = CASE WHEN replies.taken < excluded.taken THEN excluded.taken ELSE replies.taken + 1 END
           WHERE replies.status IS NULL AND (replies.begun_at < ?5 OR replies.released = 1)
             AND replies.fingerprint = excluded.fingerprint
         RETURNING taken, outcome`,
        [caller, key, fingerprint, at, abandonedBefore],
      )
      if (mine) return { isMine: true, taken: mine[0], outcome: mine[1] }
      const row = await sql.get(
        'SELECT fingerprint, status, body FROM replies WHERE caller = ?1 AND request_key = ?2',
        [caller, key],
      )
      // The key was given back between the two statements. The transaction runs again and claims it.
      if (!row) throw new LostRace()
      return { isMine: false, fingerprint: row[0], status: row[1], body: row[2] }
    },

    async usage({ caller, upTo }) {
      // Neither engine reads a body to tell its size.
      const row = await sql.get(
        `SELECT count(*), coalesce(sum(bytes), 0) FROM
           (SELECT coalesce(octet_length(body), octet_length(outcome)) AS bytes FROM replies WHERE caller = ?1 LIMIT ?2 + 0) AS counted`,
        [caller, upTo],
      )
      return { count: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) }
    },

    async record({ caller, key, taken, outcome }) {
      const found = await sql.run(`UPDATE replies SET outcome = ?4 WHERE ${CLAIM} AND status IS NULL`, [
        caller,
        key,
        taken,
        outcome,
      ])
      return found > 0
    },

    async keep({ caller, key, taken, status, body }) {
      await sql.run(`UPDATE replies SET status = ?4, body = ?5, outcome = NULL WHERE ${CLAIM}`, [
        caller,
        key,
        taken,
        status,
        body,
      ])
    },

    async drop({ caller, key, taken }) {
      await sql.run(`DELETE FROM replies WHERE ${CLAIM} AND status IS NULL AND outcome IS NULL`, [caller, key, taken])
    },

    async release({ caller, key, taken }) {
      const isOpen = `${CLAIM} AND status IS NULL`
      await sql.run(`DELETE FROM replies WHERE ${isOpen} AND outcome IS NULL`, [caller, key, taken])
      await sql.run(`UPDATE replies SET released = 1 WHERE ${isOpen}`, [caller, key, taken])
    },

    reap: ({ begunBefore, limit }) =>
      sql.run(
        `DELETE FROM replies WHERE (caller, request_key) IN
           (SELECT caller, request_key FROM replies WHERE begun_at < ?1 ORDER BY begun_at LIMIT ?2 + 0)`,
        [begunBefore, limit],
      ),
  }
}
