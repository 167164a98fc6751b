import { PosternError } from '../../model/errors.ts'
import { formatCursor, isMarked, parseCursor } from '../event-cursor.ts'
import type { RawEvent } from '../event-data.ts'
import type { EventLog } from '../event-log.ts'
import type { Sql, SqlRow } from '../sql.ts'

/**
 * Events are in the order of their transactions' ids, then of their numbers. A transaction that is still open may have
 * an id below that of one which has ended. So only events of transactions older than every open one are shown: then
 * none can appear before them any more.
 */
export function createEventLog(sql: Sql): EventLog {
  return {
    async after({ cursor, limit }) {
      const place = parseCursor(cursor, 2)
      const [tx = 0, seq = 0] = place?.numbers ?? []
      const rows = await sql.all(AFTER, [String(tx), seq, limit + 1])
      const [floorTx, floorSeq, isHeldBack] = rows[0] ?? []
      const events = rows.map((row) => row.slice(3)).filter(([eventTx]) => eventTx !== null)
      const own = events[0]?.[0] === tx && events[0][1] === seq ? events[0] : undefined
      const removed = compare([tx, seq], [floorTx, floorSeq])
      if (!place || (own ? !isMarked(place, own[2]) : removed > 0)) throw new PosternError('CURSOR_UNKNOWN', { cursor })
      return {
        items: (own ? events.slice(1) : events.slice(0, limit)).map(readRow),
        hasGap: !own && removed < 0,
        isHeldBack: isHeldBack === 1,
      }
    },

    async last({ back } = { back: 0 }) {
      const row = await sql.get(LAST, [back])
      if (row) return formatCursor([row[0], row[1]], row[2])
      const [floorTx, floorSeq] = (await sql.get(`SELECT ${FLOOR}`)) ?? []
      return formatCursor([floorTx, floorSeq], 0)
    },

    async reap({ before, keep, limit }) {
      for (const table of ['events', 'event_floor']) await sql.run(`DELETE FROM ${table} ${STRANGE}`)
      const [kept, over, old] = (await sql.get(BOUNDS, [before, limit, keep])) ?? []
      const count = Math.min(Math.max(over, old), limit, kept - 1)
      if (count <= 0) return 0
      const [tx, seq] = (await sql.get(NTH, [count - 1])) ?? []
      const removed = await sql.run('DELETE FROM events WHERE (tx, seq) <= (?1::xid8, ?2)', [String(tx), seq])
      await sql.run('DELETE FROM event_floor')
      await sql.run('INSERT INTO event_floor (tx, seq) VALUES (?1::xid8, ?2)', [String(tx), seq])
      return removed
    },
  }
}

function compare([a = 0, b = 0]: readonly number[], [c = 0, d = 0]: readonly number[]): number {
  return a - c || b - d
}

const SHOWN = 'e.tx < pg_snapshot_xmin(pg_current_snapshot())'

/** What a dump has brought from another server is in the order of that one's ids. Those ahead of ours would come up one day. */
const STRANGE = 'WHERE tx >= pg_snapshot_xmax(pg_current_snapshot()) AND tx <> pg_current_xact_id()'

/** The place of the last event that was removed. */
const FLOOR = ['tx::text::bigint', 'seq']
  .map(
    (column) => `coalesce((SELECT ${column} FROM event_floor WHERE tx < pg_snapshot_xmax(pg_current_snapshot())), 0)`,
  )
  .join(', ')

/** The event of the cursor itself, where it is kept, says whether it is the one that was meant. */
const AFTER = `SELECT head.*, e.* FROM (SELECT ${FLOOR}, CASE WHEN EXISTS (
    SELECT 1 FROM events e WHERE e.tx >= pg_snapshot_xmin(pg_current_snapshot())) THEN 1 ELSE 0 END) AS head (tx, seq, held)
  LEFT JOIN LATERAL (
    SELECT e.tx::text::bigint, e.seq, e.at, e.type, e.subject, e.agent_id, e.detail FROM events e
    WHERE (e.tx, e.seq) >= (?1::xid8, ?2::bigint) AND ${SHOWN} ORDER BY e.tx, e.seq LIMIT ?3 + 0
  ) AS e ON true ORDER BY 4, 5`

const LAST = `SELECT e.tx::text::bigint, e.seq, e.at FROM events e WHERE ${SHOWN} ORDER BY e.tx DESC, e.seq DESC
  LIMIT 1 OFFSET ?1 + 0`

/** How many may go at all, how many there are too many, by their numbers, and how many of the oldest are too old. */
const BOUNDS = `WITH oldest AS MATERIALIZED (
  SELECT e.seq, e.at, row_number() OVER (ORDER BY e.tx, e.seq) AS place FROM events e WHERE ${SHOWN}
  ORDER BY e.tx, e.seq LIMIT ?2::bigint + 1
) SELECT count(*), coalesce((SELECT max(e.seq) FROM (SELECT e.seq FROM events e ORDER BY e.tx DESC, e.seq DESC LIMIT 1) AS e)
    - min(o.seq) + 1 - ?3::bigint, 0), coalesce(min(o.place) FILTER (WHERE o.at >= ?1::bigint) - 1, count(*))
  FROM oldest o`

const NTH = `SELECT e.tx::text::bigint, e.seq FROM events e WHERE ${SHOWN} ORDER BY e.tx, e.seq LIMIT 1 OFFSET ?1 + 0`

function readRow([tx, seq, at, type, subject, agent, detail]: SqlRow): RawEvent {
  return { cursor: formatCursor([tx, seq], at), at, type, subject, agent, detail }
}
