import type { GateShelf, SessionMark } from '../contract/gates.ts'
import { GATE_COLUMNS, gateValues, readGate, readSessionGate, readTrustOr, SESSION_GATE_COLUMNS } from '../gate-rows.ts'
import { formatTrust } from '../rows.ts'
import { locking, type Sql } from '../sql.ts'

export function createGateShelf(sql: Sql): GateShelf {
  const lock = locking(sql, 'FOR UPDATE')
  /** What somebody else is about to close needs nobody's upkeep. */
  const skipping = locking(sql, 'FOR UPDATE SKIP LOCKED')

  const select = async (rest: string, params: readonly (string | number | null)[]) =>
    (await sql.all(`SELECT ${GATE_COLUMNS} FROM gates WHERE ${rest}`, params)).map(readGate)

  return {
    async insert({ gate, nextAt }) {
      const values = [...gateValues(gate), nextAt]
      await sql.run(
        `INSERT INTO gates (${GATE_COLUMNS}, next_at) VALUES (${values.map((_, at) => `?${at + 1}`).join(', ')})`,
        values,
      )
    },

    async get(id) {
      return (await select(`id = ?1 ${lock}`, [id]))[0]
    },

    list: ({ agent, concerning, awaits, states, limit }) =>
      select(
        `(?1 = '' OR agent_id = ?1) AND state IN (${states.map((state) => `'${state}'`).join(', ')})
         AND (?3 = '' OR agent_id = ?3 OR created_by = ?3 OR escalate_to = ?3 OR ',' || waiters || ',' LIKE ?4 ESCAPE '!')
         AND (?5 = '' OR awaits = ?5) ORDER BY id DESC LIMIT ?2 + 0`,
        [agent ?? '', limit, concerning ?? '', `%,${(concerning ?? '').replaceAll('_', '!_')},%`, awaits ?? ''],
      ),

    openOf: ({ agent }) => select(`agent_id = ?1 AND state = 'open' ORDER BY id`, [agent]),

    awaiting: ({ awaits, isPrefix = false }) =>
      select(
        `awaits ${isPrefix ? '>= ?1 AND awaits < ?2' : '= ?1'} AND awaits IS NOT NULL AND state = 'open' ORDER BY id ${lock}`,
        isPrefix ? [awaits, afterPrefix(awaits)] : [awaits],
      ),

    // A condition that says more goes on with "?", after which "@" is the next character.
    awaitingService: ({ name }) =>
      select(
        `kind = 'service' AND (awaits = ?1 OR awaits >= ?2 AND awaits < ?3) AND awaits IS NOT NULL AND state = 'open'
         ORDER BY id ${lock}`,
        [name, `${name}?`, `${name}@`],
      ),

    due: ({ now, limit, agent }) =>
      select(
        `next_at IS NOT NULL AND next_at <= ?1 AND (?3 = '' OR agent_id = ?3)
         ORDER BY next_at LIMIT ?2 + 0 ${skipping}`,
        [now, limit, agent ?? ''],
      ),

    unanswerable: ({ limit }) =>
      select(
        `kind = 'message' AND state = 'open' AND awaits IS NOT NULL AND EXISTS (SELECT 1 FROM messages m
           WHERE m.id = gates.awaits AND m.broadcast_seq IS NULL AND NOT EXISTS (SELECT 1 FROM deliveries d
             WHERE d.message_seq = m.seq AND d.state NOT IN ('expired', 'cancelled')))
         ORDER BY id LIMIT ?1 + 0 ${skipping}`,
        [limit],
      ),

    async close({ id, from, to, at, by, reason, nextAt }) {
      const row = await sql.get(
        `UPDATE gates SET state = ?2, closed_at = ?3, closed_by = ?4, closed_reason = ?5, next_at = ?6
         WHERE id = ?1 AND state IN (${from.map((state) => `'${state}'`).join(', ')}) RETURNING ${GATE_COLUMNS}`,
        [id, to, at, by, reason, nextAt ?? null],
      )
      return row && readGate(row)
    },

    async tend({ id, remindedAt, escalateAt, nextAt }) {
      await sql.run('UPDATE gates SET reminded_at = ?2, escalate_at = ?3, next_at = ?4 WHERE id = ?1', [
        id,
        remindedAt,
        escalateAt,
        nextAt,
      ])
    },

    async record({ gateId, at, step, by, trust, sessionId, evidence }) {
      await sql.run(
        `INSERT INTO gate_steps (gate_id, at, step, by_id, by_as, session_id, evidence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
        [gateId, at, step, by, formatTrust(trust), sessionId, evidence],
      )
    },

    async count({ gateId, at, step, by, trust, sessionId, evidence }) {
      const values = [gateId, at, step, by, formatTrust(trust), sessionId, evidence]
      const counted = await sql.run(
        `UPDATE gate_steps SET at = ?2, by_as = ?5, session_id = ?6, evidence = ?7, times = times + 1
         WHERE gate_id = ?1 AND step = ?3 AND by_id = ?4 AND times IS NOT NULL`,
        values,
      )
      if (counted > 0) return
      await sql.run(
        `INSERT INTO gate_steps (gate_id, at, step, by_id, by_as, session_id, evidence, times)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1)`,
        values,
      )
    },

    async steps(id) {
      const rows = await sql.all(
        'SELECT at, step, by_id, by_as, session_id, evidence, times FROM gate_steps WHERE gate_id = ?1 ORDER BY seq',
        [id],
      )
      return rows.map(([at, step, by, as, sessionId, evidence, times]) => ({
        at,
        step,
        by,
        trust: readTrustOr(as),
        sessionId,
        evidence,
        ...(times !== null && { times }),
      }))
    },

    async register(gate) {
      const { sessionId, name, hook, mode, check, reason, machine, registeredBy, registeredTrust, registeredAt } = gate
      await sql.run(
        `INSERT INTO session_gates (${SESSION_GATE_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (session_id, name) DO UPDATE SET hook = excluded.hook, mode = excluded.mode,
           check_command = excluded.check_command, reason = excluded.reason, machine = excluded.machine,
           registered_by = excluded.registered_by, registered_as = excluded.registered_as`,
        [sessionId, name, hook, mode, check, reason, machine, registeredBy, formatTrust(registeredTrust), registeredAt],
      )
    },

    async registered({ sessionId }) {
      const rows = await sql.all(
        `SELECT ${qualified(SESSION_GATE_COLUMNS)}, m.at, m.by_id FROM session_gates g
         LEFT JOIN session_marks m ON m.session_id = g.session_id AND m.name = g.name AND m.mark = 'done'
         WHERE g.session_id = ?1 ORDER BY g.name`,
        [sessionId],
      )
      return rows.map(readSessionGate)
    },

    async mark({ sessionId, name, mark, at, by }) {
      const changed = await sql.run(
        `INSERT INTO session_marks (session_id, name, mark, at, by_id) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (session_id, name, mark) DO NOTHING`,
        [sessionId, name, mark, at, by],
      )
      return changed === 1
    },

    async marks({ sessionId }) {
      const rows = await sql.all(
        'SELECT name, mark, at, by_id FROM session_marks WHERE session_id = ?1 ORDER BY name',
        [sessionId],
      )
      return rows.map(([name, mark, at, by]): SessionMark => ({ sessionId, name, mark, at, by }))
    },

    async reap({ closedBefore, limit }) {
      const rows = await sql.all(
        `SELECT g.id FROM gates g WHERE g.closed_at IS NOT NULL AND g.closed_at < ?1 AND NOT (g.state = 'breached' AND (
           EXISTS (SELECT 1 FROM decisions d WHERE d.gate_id = g.id AND d.state = 'open')
           OR EXISTS (SELECT 1 FROM gates w WHERE w.awaits = g.id AND w.awaits IS NOT NULL AND w.state = 'open')))
         ORDER BY g.closed_at LIMIT ?2 + 0 ${locking(sql, 'FOR UPDATE OF g SKIP LOCKED')}`,
        [closedBefore, limit],
      )
      for (const [id] of rows) {
        for (const statement of BELONGINGS) await sql.run(statement, [id])
      }
      return rows.length
    },
  }
}

/** What goes with a gate, in the order in which it goes. */
const BELONGINGS = [
  'DELETE FROM gate_steps WHERE gate_id = ?1',
  'DELETE FROM decisions WHERE gate_id = ?1',
  'DELETE FROM gates WHERE id = ?1',
]

function qualified(columns: string): string {
  return columns
    .split(', ')
    .map((column) => `g.${column}`)
    .join(', ')
}

/** Texts that begin with a prefix come before this one, and after the prefix itself. */
function afterPrefix(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
}
