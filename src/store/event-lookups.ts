import type { RawEvent } from './event-data.ts'
import { SELECT_POST } from './post-rows.ts'
import { SELECT_MESSAGE } from './rows.ts'
import { isAmong, type Sql, type SqlRow } from './sql.ts'

/** The rows of a query by its first column, for all that the events are about. */
export async function lookUp(
  sql: Sql,
  events: readonly RawEvent[],
  { select, key, rest = '' }: Lookup,
  idOf: (event: RawEvent) => string | null = ({ subject }) => subject,
): Promise<Map<string, SqlRow[]>> {
  const ids = [...new Set(events.flatMap((event) => idOf(event) ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await sql.all(`${select} WHERE ${isAmong(sql, key, '?1', 'text')} ${rest}`, [JSON.stringify(ids)])
  return Map.groupBy(rows, ([id]) => id as string)
}

interface Lookup {
  /** Up to WHERE; the first column is the key's. */
  readonly select: string
  readonly key: string
  readonly rest?: string
}

/** Whole messages, because only those can be compared with their checksums. */
export const MESSAGES: Lookup = { select: `SELECT ${SELECT_MESSAGE} FROM messages m`, key: 'm.id' }

export function offeredMessages(sql: Sql): Lookup {
  return {
    select: `SELECT o.id, m.id, m.from_id, o.session_id FROM offers o
      LEFT JOIN deliveries d ON d.agent_id = o.agent_id AND ${isAmong(sql, 'd.inbox_seq', 'o.members')}
      LEFT JOIN messages m ON m.seq = d.message_seq`,
    key: 'o.id',
    rest: 'ORDER BY o.id, d.inbox_seq',
  }
}

export const GATES: Lookup = {
  select: `SELECT g.id, g.agent_id, g.kind, g.mode, g.hook, g.reason, g.state, g.waiters, g.created_by, g.created_at,
    g.closed_at, g.closed_by, g.closed_reason FROM gates g`,
  key: 'g.id',
}

export const DECISIONS: Lookup = {
  select: 'SELECT d.id, d.gate_id, d.question, d.asked, d.state, d.created_at, d.due_at, d.answer FROM decisions d',
  key: 'd.id',
}

export const AGENTS: Lookup = {
  select: 'SELECT a.id, a.kind, a.display_name, a.created_at, a.removed_at FROM agents a',
  key: 'a.id',
}

export const SESSIONS: Lookup = {
  select: 'SELECT s.id, s.host, s.machine, s.project, s.started_at, s.ended_at, s.idle_since FROM sessions s',
  key: 's.id',
}

export const SPACES: Lookup = { select: 'SELECT s.id, s.name, s.closed_at, s.history FROM spaces s', key: 's.id' }

export const MEMBERS: Lookup = {
  select: 'SELECT m.space_id, m.agent_id, m.after_seq FROM space_members m',
  key: 'm.space_id',
  rest: 'ORDER BY m.space_id, m.agent_id',
}

export const POSTS: Lookup = { select: `SELECT p.message_id, ${SELECT_POST} FROM space_posts p`, key: 'p.message_id' }

export const PLANS: Lookup = {
  select: 'SELECT p.id, p.name, p.cron, p.zone, p.next_run_at, p.paused_at, p.last_run_at, p.runs FROM plans p',
  key: 'p.id',
}

export const SERVICES: Lookup = {
  select: 'SELECT s.id, s.name, s.created_at, s.rotated_at, s.revoked_at FROM services s',
  key: 's.id',
}
