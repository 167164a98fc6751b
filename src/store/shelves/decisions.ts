import type { DecisionShelf } from '../contract/decisions.ts'
import { DECISION_COLUMNS, decisionValues, readDecision } from '../gate-rows.ts'
import { locking, type Sql } from '../sql.ts'

export function createDecisionShelf(sql: Sql): DecisionShelf {
  const lock = locking(sql, 'FOR UPDATE')

  return {
    async insert(decision) {
      const values = decisionValues(decision)
      await sql.run(
        `INSERT INTO decisions (${DECISION_COLUMNS}) VALUES (${values.map((_, at) => `?${at + 1}`).join(', ')})`,
        values,
      )
    },

    async get(id) {
      const row = await sql.get(`SELECT ${DECISION_COLUMNS} FROM decisions WHERE id = ?1 ${lock}`, [id])
      return row && readDecision(row)
    },

    async ofGate(gateId) {
      const row = await sql.get(`SELECT ${DECISION_COLUMNS} FROM decisions WHERE gate_id = ?1 ${lock}`, [gateId])
      return row && readDecision(row)
    },

    async list({ agent, concerning = '', states, limit }) {
      const rows = await sql.all(
        `SELECT ${DECISION_COLUMNS} FROM decisions WHERE (?1 = '' OR agent_id = ?1)
           AND (?3 = '' OR agent_id = ?3 OR ',' || asked || ',' LIKE ?4 ESCAPE '!')
           AND state IN (${states.map((state) => `'${state}'`).join(', ')}) ORDER BY id DESC LIMIT ?2 + 0`,
        [agent ?? '', limit, concerning, `%,${concerning.replaceAll('_', '!_')},%`],
      )
      return rows.map(readDecision)
    },

    async putTo({ id, asked }) {
      await sql.run(`UPDATE decisions SET asked = ?2 WHERE id = ?1 AND state = 'open'`, [id, asked.join(',')])
    },

    async close({ id, state, answer }) {
      const changed = await sql.run(`UPDATE decisions SET state = ?2, answer = ?3 WHERE id = ?1 AND state = 'open'`, [
        id,
        state,
        answer && JSON.stringify(answer),
      ])
      return changed === 1
    },

    async hasAsked({ agent, since }) {
      const row = await sql.get(
        `SELECT 1 FROM decisions d JOIN gates g ON g.id = d.gate_id WHERE d.agent_id = ?1 AND d.created_at >= ?2
           AND NOT (d.state = 'cancelled' AND g.closed_by = ?1) LIMIT 1`,
        [agent, since],
      )
      return row !== undefined
    },
  }
}
