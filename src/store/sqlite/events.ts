import { PosternError } from '../../model/errors.ts'
import { formatCursor, isMarked, parseCursor } from '../event-cursor.ts'
import type { RawEvent } from '../event-data.ts'
import type { EventLog } from '../event-log.ts'
import type { Sql, SqlRow } from '../sql.ts'

/** Writers come one after the other here, so numbers are in the order of commits, without a gap. */
export function createEventLog(sql: Sql): EventLog {
  return {
    async after({ cursor, limit }) {
      const place = parseCursor(cursor, 1)
      const [from = 0] = place?.numbers ?? []
      // The event of the cursor itself, where it is kept, says whether it is the one that was meant.
      const rows = await sql.all(AFTER, [from, limit + 1])
      const [first, at] = rows[0] ?? [from + 1]
      const isKnown = rows.length > 0 || from === 0
      if (!place || !isKnown || (first === from && !isMarked(place, at))) {
        throw new PosternError('CURSOR_UNKNOWN', { cursor })
      }
      const following = first === from ? rows.slice(1) : rows.slice(0, limit)
      return {
        items: following.map(readRow),
        hasGap: first > from + 1,
        isHeldBack: false,
      }
    },

    async last({ back } = { back: 0 }) {
      const row = await sql.get('SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1 OFFSET ?1 + 0', [back])
      if (row) return formatCursor([row[0]], row[1])
      const [first] = (await sql.get('SELECT coalesce(min(seq), 1) FROM events')) ?? [1]
      return formatCursor([first - 1], 0)
    },

    async reap({ before, keep, limit }) {
      const [first, last, young] = (await sql.get(BOUNDS, [before, limit])) ?? []
      if (typeof first !== 'number') return 0
      const kept = Math.max(young ?? first + limit, last - keep + 1)
      return sql.run('DELETE FROM events WHERE seq < ?1', [Math.min(kept, first + limit, last)])
    },
  }
}

const AFTER = `SELECT seq, at, type, subject, agent_id, detail FROM events WHERE seq >= ?1 ORDER BY seq LIMIT ?2 + 0`

/** The oldest, the newest, and the first of the oldest few that is not too old. */
const BOUNDS = `SELECT (SELECT min(seq) FROM events), (SELECT max(seq) FROM events),
  (SELECT min(o.seq) FROM (SELECT seq, at FROM events ORDER BY seq LIMIT ?2 + 0) AS o WHERE o.at >= ?1)`

function readRow([seq, at, type, subject, agent, detail]: SqlRow): RawEvent {
  return { cursor: formatCursor([seq], at), at, type, subject, agent, detail }
}
