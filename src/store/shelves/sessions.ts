import { readSession, SESSION_COLUMNS } from '../rows.ts'
import { locking, type Sql } from '../sql.ts'
import type { SessionShelf } from '../store.ts'

export function createSessionShelf(sql: Sql): SessionShelf {
  return {
    async get(id) {
      const row = await sql.get(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1`, [id])
      return row && readSession(row)
    },

    async put(session) {
      const { id, agent, host, machine, pid, pidStartedAt, startedAt, lastEventAt } = session
      await sql.run(
        `INSERT INTO sessions (${SESSION_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL)
         ON CONFLICT (id) DO UPDATE SET host = excluded.host, machine = excluded.machine, pid = excluded.pid,
           pid_started_at = excluded.pid_started_at, last_event_at = excluded.last_event_at, ended_at = NULL`,
        [id, agent, host, machine, pid, pidStartedAt, startedAt, lastEventAt],
      )
    },

    async end({ id, at }) {
      await sql.run('UPDATE sessions SET ended_at = ?2, last_event_at = ?2 WHERE id = ?1 AND ended_at IS NULL', [
        id,
        at,
      ])
    },

    async open({ agent }) {
      const rows = await sql.all(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ended_at IS NULL AND (?1 = '' OR agent_id = ?1)
         ORDER BY last_event_at DESC, id LIMIT 1000`,
        [agent ?? ''],
      )
      return rows.map(readSession)
    },

    async withHost({ machine, limit }) {
      const rows = await sql.all(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ended_at IS NULL AND machine = ?1 AND pid IS NOT NULL
         ORDER BY last_event_at, id LIMIT ?2 + 0 ${locking(sql, 'FOR UPDATE SKIP LOCKED')}`,
        [machine, limit],
      )
      return rows.map(readSession)
    },
  }
}
