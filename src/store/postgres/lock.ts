import type { AgentShelf } from '../contract/agents.ts'
import type { Sql } from '../sql.ts'
import { arrayLiteral } from './statements.ts'

/** The order in which inboxes are locked. A push may tell people of what it does, so they come after its recipients. */
export const LOCK_ORDER = `ORDER BY a.kind = 'human', a.id FOR UPDATE`

export function createInboxLock(sql: Sql): Pick<AgentShelf, 'lock'> {
  return {
    async lock({ ids, withPeople, withBroadcasts }) {
      if (withBroadcasts) await sql.get(`SELECT value FROM counters WHERE name = 'broadcast' FOR UPDATE`)
      if (ids.length === 0) return []
      const rows = await sql.all(LOCK_INBOXES, [arrayLiteral(ids), withPeople ? 1 : 0])
      return rows.map(([id]) => id)
    },
  }
}

const LOCK_INBOXES = `WITH kinds AS MATERIALIZED (
  SELECT count(DISTINCT n.kind = 'human') AS count FROM agents n WHERE n.id = ANY (?1::text[])
)
SELECT a.id FROM agents a WHERE a.id = ANY (
  ?1::text[] || ARRAY(SELECT p.id FROM agents p, kinds
    WHERE ?2::int = 1 AND kinds.count > 1 AND p.kind = 'human' AND p.removed_at IS NULL)) ${LOCK_ORDER}`
