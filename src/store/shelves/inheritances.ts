import type { InheritanceRecord, InheritanceShelf } from '../contract/inheritances.ts'
import type { Sql, SqlRow } from '../sql.ts'

const COLUMNS = 'id, machine, root, agent_id, session_id, items, tokens, offered_at, printed_at, closed_at, outcome'

const COUNTED = 100
const MAX_ROOTS = 10_000

export function createInheritanceShelf(sql: Sql): InheritanceShelf {
  const select = async (rest: string, params: readonly string[]) =>
    (await sql.all(`SELECT ${COLUMNS} FROM inheritances WHERE ${rest}`, params)).map(readInheritance)

  return {
    async get(id) {
      return (await select('id = ?1', [id]))[0]
    },

    async open({ machine }) {
      if (sql.engine === 'postgres' && !sql.isReader) {
        await sql.get(`SELECT pg_advisory_xact_lock(${INHERITING_LOCK}, hashtext(?1))`, [machine])
      }
      return select('machine = ?1 AND closed_at IS NULL ORDER BY id', [machine])
    },

    ofSession: ({ sessionId }) => select('session_id = ?1 AND closed_at IS NULL ORDER BY id', [sessionId]),

    async insert({ record }) {
      const { id, machine, root, agent, sessionId, items, tokens, offeredAt, printedAt, closedAt, outcome } = record
      await sql.run(`INSERT INTO inheritances (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`, [
        id,
        machine,
        root,
        agent,
        sessionId,
        JSON.stringify(items),
        tokens,
        offeredAt,
        printedAt,
        closedAt,
        outcome,
      ])
    },

    async setPrinted({ id, at }) {
      const changed = await sql.run('UPDATE inheritances SET printed_at = ?2 WHERE id = ?1 AND closed_at IS NULL', [
        id,
        at,
      ])
      return changed === 1
    },

    async close({ id, at, outcome }) {
      const changed = await sql.run(
        'UPDATE inheritances SET closed_at = ?2, outcome = ?3 WHERE id = ?1 AND closed_at IS NULL',
        [id, at, outcome],
      )
      return changed === 1
    },

    async cost({ machine, root }) {
      const row = await sql.get(
        `SELECT count(*), sum(tokens) FROM (SELECT tokens FROM inheritances
           WHERE machine = ?1 AND root = ?2 AND outcome = 'inherited' ORDER BY closed_at DESC LIMIT ${COUNTED}) AS last`,
        [machine, root],
      )
      return { inheritances: Number(row?.[0]), tokens: Number(row?.[1] ?? 0) }
    },

    async addRoot({ host, root, at, by }) {
      await sql.run(
        `INSERT INTO handoff_roots (machine, root, added_at, added_by) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (machine, root) DO NOTHING`,
        [host, root, at, by],
      )
    },

    async hasRoot({ host, root }) {
      const row = await sql.get(`SELECT 1 FROM handoff_roots WHERE ${IS_HOST} AND root = ?2`, [host, root])
      return row !== undefined
    },

    async roots({ host }) {
      const known = `SELECT DISTINCT root FROM handoff_roots WHERE ${IS_HOST} ORDER BY root LIMIT ${MAX_ROOTS}`
      return (await sql.all(known, [host])).map(([root]) => root)
    },
  }
}

/** Earlier versions wrote the name of the machine here: that of the host, then what changes with every reboot. */
const IS_HOST = "substr(machine || ' ', 1, length(CAST(?1 AS TEXT)) + 1) = CAST(?1 AS TEXT) || ' '"

/** `PHND`: two transactions of PostgreSQL must not each find the same file free. */
const INHERITING_LOCK = 0x50484e44

function readInheritance(row: SqlRow): InheritanceRecord {
  const [id, machine, root, agent, sessionId, items] = row
  const [tokens, offeredAt, printedAt, closedAt, outcome] = row.slice(6)
  const about = { id, machine, root, agent, sessionId, items: JSON.parse(items), tokens }
  return { ...about, offeredAt, printedAt, closedAt, outcome }
}
