import type { AgentShelf } from '../contract/agents.ts'
import { AGENT_COLUMNS, readAgent, readSession, SESSION_COLUMNS } from '../rows.ts'
import type { Sql } from '../sql.ts'

export type AgentLister = Pick<AgentShelf, 'statuses'>

export function createAgentLister(sql: Sql): AgentLister {
  return {
    async statuses({ removed, now, after = '', limit = ALL, search = '' }) {
      const rows = await sql.all(STATUSES, [now, removed ? 1 : 0, after, limit, containing(search)])
      return rows.map((row) => ({
        agent: readAgent(row.slice(0, AGENT_WIDTH)),
        pending: Number(row[AGENT_WIDTH]),
        session: row[AGENT_WIDTH + 1] === null ? null : readSession(row.slice(AGENT_WIDTH + 1)),
      }))
    },
  }
}

const ALL = 1e9
const AGENT_WIDTH = AGENT_COLUMNS.split(', ').length

function of(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')
}

/** A pattern for LIKE in which nothing that is searched for has a meaning of its own. */
function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}

/** As `countPending` counts for one agent, and `sessions.open` finds its latest session. */
const STATUSES = `SELECT ${of('a', AGENT_COLUMNS)},
    (SELECT count(*) FROM deliveries d WHERE d.agent_id = a.id AND d.state = 'pending'
       AND (d.expires_at IS NULL OR d.expires_at > ?1))
    + CASE WHEN a.kind = 'service' OR a.removed_at IS NOT NULL THEN 0 ELSE (SELECT count(*) FROM messages m
       WHERE m.broadcast_seq > a.broadcast_cursor AND m.from_id <> a.id AND (m.expires_at IS NULL OR m.expires_at > ?1)) END,
    ${of('s', SESSION_COLUMNS)}
  FROM agents a LEFT JOIN sessions s ON s.id = (SELECT o.id FROM sessions o WHERE o.agent_id = a.id AND o.ended_at IS NULL
    ORDER BY o.last_event_at DESC, o.id LIMIT 1)
  WHERE (?2 = 1 OR a.removed_at IS NULL) AND a.id > ?3
    AND (lower(a.id) LIKE ?5 ESCAPE '\\' OR lower(a.display_name) LIKE ?5 ESCAPE '\\')
  ORDER BY a.id LIMIT ?4 + 0`
