import type { SqlRow } from '../sql.ts'
import type { Waiting } from '../store.ts'

/** The look that most drains end with. It reads three indexes and takes no lock. */
export const WAITING = `SELECT
  CASE WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.agent_id = ?1 AND d.state = 'pending') THEN 1 ELSE 0 END,
  CASE WHEN a.broadcast_cursor < (SELECT value FROM counters WHERE name = 'broadcast') THEN 1 ELSE 0 END,
  CASE WHEN EXISTS (SELECT 1 FROM offers o WHERE o.agent_id = ?1 AND o.closed_at IS NULL AND o.expires_at <= ?2) THEN 1 ELSE 0 END,
  a.kind FROM agents a WHERE a.id = ?1 AND a.removed_at IS NULL`

export function readWaiting([pending, broadcasts, lapsed]: SqlRow): Waiting {
  return { pending: pending === 1, broadcasts: broadcasts === 1, lapsed: lapsed === 1 }
}
