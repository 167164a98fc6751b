import type { AgentShelf } from '../contract/agents.ts'
import { AGENT_COLUMNS, readAgent } from '../rows.ts'
import type { Sql } from '../sql.ts'

/** The engines differ in how an agent is marked quiet, and in how inboxes are locked. */
export function createAgentShelf(sql: Sql): Omit<AgentShelf, 'markQuiet' | 'lock' | 'statuses'> {
  const isWriting = sql.engine === 'postgres' && !sql.isReader

  return {
    async get(id) {
      const look = () => sql.get(`SELECT ${AGENT_COLUMNS} FROM agents WHERE id = ?1`, [id])
      let row = await look()
      if (!row && isWriting) {
        await lockNames()
        row = await look()
      }
      return row && readAgent(row)
    },

    async list({ removed }) {
      const rows = await sql.all(
        `SELECT ${AGENT_COLUMNS} FROM agents ${removed ? '' : 'WHERE removed_at IS NULL'} ORDER BY id`,
      )
      return rows.map(readAgent)
    },

    async isBehind(id) {
      const row = await sql.get(
        `SELECT 1 FROM agents WHERE id = ?1 AND removed_at IS NULL
           AND broadcast_cursor < (SELECT value FROM counters WHERE name = 'broadcast')`,
        [id],
      )
      return row !== undefined
    },

    async lookalikes([first, second]) {
      await lockNames()
      const rows = await sql.all(
        `SELECT ${AGENT_COLUMNS} FROM agents WHERE id_skeleton IN (?1, ?2) OR name_skeleton IN (?1, ?2) ORDER BY id`,
        [first ?? '', second ?? first ?? ''],
      )
      return rows.map(readAgent)
    },

    async insert({ agent, idSkeleton, nameSkeleton, withBroadcasts }) {
      const cursor = withBroadcasts ? '0' : `(SELECT value FROM counters WHERE name = 'broadcast')`
      const changed = await sql.run(
        `INSERT INTO agents (id, kind, display_name, is_owner, created_at, id_skeleton, name_skeleton,
           broadcast_from, broadcast_cursor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ${cursor}, ${cursor}) ON CONFLICT DO NOTHING`,
        [agent.id, agent.kind, agent.displayName, agent.isOwner ? 1 : 0, agent.createdAt, idSkeleton, nameSkeleton],
      )
      return changed === 1
    },

    async update({ id, displayName, skeleton }) {
      await sql.run('UPDATE agents SET display_name = ?2, name_skeleton = ?3 WHERE id = ?1', [
        id,
        displayName,
        skeleton,
      ])
    },

    async setOwner({ id }) {
      await sql.run('UPDATE agents SET is_owner = 1 WHERE id = ?1', [id])
    },

    async setRemoved({ id, removedAt }) {
      // Whoever comes back begins with the next broadcast, like anybody who is new.
      const present = `(SELECT value FROM counters WHERE name = 'broadcast')`
      const cursors = removedAt === null ? `, broadcast_from = ${present}, broadcast_cursor = ${present}` : ''
      await sql.run(`UPDATE agents SET removed_at = ?2${cursors} WHERE id = ?1`, [id, removedAt])
    },
  }

  /**
   * Two transactions of PostgreSQL may each find free what looks like the other's. So whoever may be about to give a
   * name, because it finds none or asks for lookalikes, keeps all others from giving one until it commits.
   */
  async function lockNames(): Promise<void> {
    if (isWriting) await sql.get(`SELECT pg_advisory_xact_lock(${NAMES_LOCK})`)
  }
}

/** `PNAM` */
const NAMES_LOCK = 0x504e414d
