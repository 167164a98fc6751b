import type { SessionShelf } from '../contract/sessions.ts'
import { readSession, SESSION_COLUMNS } from '../rows.ts'
import { isAmong, locking, type Sql } from '../sql.ts'

/** Events that may be fired twice come close together. */
const MAX_FIRINGS = 16

/** No two stops that are under way at the same time are further apart. */
const CLOCK_SLACK_MS = 60_000

interface Firing {
  readonly firing: string
  readonly at: number
}

function readFirings(column: string | null | undefined): readonly Firing[] {
  return column ? JSON.parse(column) : []
}

const NO_STEP = { after: Number.MAX_SAFE_INTEGER, before: 0 }

/** The time of a session, or an earlier one if the clock was set back since. */
function inPast(column: string): string {
  return `CASE WHEN sessions.${column} > ?10 THEN ?11 ELSE sessions.${column} END`
}

export function createSessionShelf(sql: Sql): SessionShelf {
  return {
    async get(id) {
      const row = await sql.get(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = ?1`, [id])
      return row && readSession(row)
    },

    async put({ clock: { after, before } = NO_STEP, ...session }) {
      const { id, agent, host, machine, pid, pidStartedAt, startedAt, lastEventAt, project } = session
      const { starterPid, starterStartedAt } = session
      await sql.run(
        `INSERT INTO sessions (${SESSION_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL, ?9, NULL, 0, NULL, NULL, ?12, ?13)
         ON CONFLICT (id) DO UPDATE SET host = excluded.host, machine = excluded.machine, pid = excluded.pid,
           pid_started_at = excluded.pid_started_at, starter_pid = excluded.starter_pid,
           starter_started_at = excluded.starter_started_at, last_event_at = excluded.last_event_at, ended_at = NULL,
           project = excluded.project, started_at = ${inPast('started_at')}, continued_at = ${inPast('continued_at')},
           stopped_at = ${inPast('stopped_at')}`,
        [
          id,
          agent,
          host,
          machine,
          pid,
          pidStartedAt,
          startedAt,
          lastEventAt,
          project,
          after,
          before,
          starterPid,
          starterStartedAt,
        ],
      )
    },

    async end({ id, at, pid }) {
      const row = await sql.get(
        `UPDATE sessions SET ended_at = ?2, last_event_at = ?2 WHERE id = ?1 AND ended_at IS NULL
         AND (CAST(?3 AS bigint) IS NULL OR pid = ?3) RETURNING agent_id`,
        [id, at, pid ?? null],
      )
      return row?.[0]
    },

    async setTurn({ id, idleSince, continuations, stoppedAt, continued, minContinuations = 0 }) {
      const row = await sql.get(
        `UPDATE sessions SET idle_since = CASE WHEN ?2 = 1 THEN ?3 ELSE idle_since END,
           continuations = CASE WHEN ?4 = 1 THEN 0 WHEN coalesce(continued_at, 0) < ?6 OR continued_at > ?8 THEN continuations + 1
             WHEN continuations < ?9 THEN ?9 ELSE continuations END,
           continued_at = coalesce(?7, continued_at), stopped_at = coalesce(?5, stopped_at)
         WHERE id = ?1 RETURNING ${SESSION_COLUMNS}`,
        [
          id,
          idleSince === undefined ? 0 : 1,
          idleSince ?? null,
          continuations === 'none' ? 1 : 0,
          stoppedAt ?? null,
          Math.ceil(continued?.begunAt ?? 0),
          continued?.at ?? null,
          // A stop under way at the same time may have looked at the clock a little later; one far ahead was set back.
          continued ? continued.at + CLOCK_SLACK_MS : null,
          minContinuations,
        ],
      )
      return row && readSession(row)
    },

    async isGated({ agent, sessionId }) {
      const row = await sql.get(
        `SELECT 1 WHERE EXISTS (SELECT 1 FROM gates WHERE agent_id = ?1 AND state = 'open')
           OR EXISTS (SELECT 1 FROM session_gates WHERE session_id = ?2)`,
        [agent, sessionId],
      )
      return row !== undefined
    },

    async inheritedAt({ sessionId }) {
      const row = await sql.get('SELECT min(coalesce(closed_at, 0)) FROM inheritances WHERE session_id = ?1', [
        sessionId,
      ])
      return row?.[0] ?? undefined
    },

    async hasFired({ id, firing, at, since }) {
      const row = await sql.get(`SELECT firings FROM sessions WHERE id = ?1 ${locking(sql, 'FOR UPDATE')}`, [id])
      // A clock that was set back must not make every later event a repetition.
      const recent = readFirings(row?.[0]).filter((known) => Math.abs(known.at - at) <= at - since)
      const isRepeated = recent.some((known) => known.firing === firing)
      const kept = isRepeated ? recent : [...recent, { firing, at }].slice(-MAX_FIRINGS)
      if (!isRepeated) await sql.run('UPDATE sessions SET firings = ?2 WHERE id = ?1', [id, JSON.stringify(kept)])
      return isRepeated
    },

    async open({ agent }) {
      const rows = await sql.all(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ended_at IS NULL AND (?1 = '' OR agent_id = ?1)
         ORDER BY last_event_at DESC, id LIMIT 1000`,
        [agent ?? ''],
      )
      return rows.map(readSession)
    },

    async ofProcesses({ pids }) {
      const rows = await sql.all(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE pid IS NOT NULL AND ${isAmong(sql, 'pid', '?1')}
           AND EXISTS (SELECT 1 FROM agents a WHERE a.id = agent_id AND a.kind <> 'human')
         ORDER BY ended_at IS NOT NULL, last_event_at DESC, id LIMIT 1000`,
        [JSON.stringify(pids)],
      )
      return rows.map(readSession)
    },

    async withHost({ machine, after, limit }) {
      const rows = await sql.all(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE ended_at IS NULL AND machine = ?1 AND pid IS NOT NULL
         AND id > ?3 ORDER BY id LIMIT ?2 + 0`,
        [machine, limit, after],
      )
      return rows.map(readSession)
    },
  }
}
