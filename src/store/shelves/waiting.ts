import type { Waiting } from '../contract/deliveries.ts'
import type { SqlRow } from '../sql.ts'

/** A plan that has an instant to come, and nothing that keeps it from firing then. */
export const READY = `p.next_run_at IS NOT NULL AND p.paused_at IS NULL
  AND (p.gate_id IS NULL OR NOT EXISTS (SELECT 1 FROM gates g WHERE g.id = p.gate_id AND g.state = 'open'))`

const PENDING = `SELECT 1 FROM deliveries d WHERE d.state = 'pending'`

/**
 * What has expired for an agent, earliest first. Said of both columns together, it can be found only by the index of both:
 * one by time alone would read what others have, and PostgreSQL chooses that while it knows nothing of either.
 */
export function expiredBy(now: string, agent: string): string {
  const both = '(d.agent_id, d.expires_at)'
  return `d.expires_at IS NOT NULL AND ${both} >= (${agent}, 0) AND ${both} <= (${agent}, ${now}) ORDER BY d.agent_id, d.expires_at`
}

/**
 * The look that most drains end with. It reads indexes and takes no lock. Only if something is pending it reads
 * another: whether some of that has expired, which makes it 2. Each question asks for the first in the order of the index
 * that is meant: PostgreSQL would answer a mere EXISTS by reading any, hoping to meet one soon, and SQLite would look for
 * what has expired among all that waits for the agent.
 */
export const WAITING = `SELECT
  CASE WHEN (${PENDING} AND d.agent_id = ?1 ORDER BY d.priority, d.inbox_seq LIMIT 1) IS NULL THEN 0
    WHEN (${PENDING} AND ${expiredBy('?2', '?1')} LIMIT 1) IS NULL THEN 1 ELSE 2 END AS pending,
  CASE WHEN a.broadcast_cursor < (SELECT value FROM counters WHERE name = 'broadcast') THEN 1 ELSE 0 END AS broadcasts,
  CASE WHEN (SELECT 1 FROM offers o WHERE o.agent_id = ?1 AND o.closed_at IS NULL AND o.expires_at <= ?2
    ORDER BY o.expires_at LIMIT 1) IS NULL AND (SELECT 1 FROM deliveries d WHERE d.agent_id = ?1 AND d.snoozed_until <= ?2
    ORDER BY d.snoozed_until LIMIT 1) IS NULL THEN 0 ELSE 1 END AS lapsed,
  CASE WHEN (SELECT 1 FROM plans p WHERE ${READY} AND p.next_run_at <= ?2 AND p.agent_id || '' = ?1
    ORDER BY p.next_run_at LIMIT 1) IS NULL THEN 0 ELSE 1 END AS plans,
  CASE WHEN (SELECT 1 FROM offers o WHERE o.agent_id = ?1 AND o.closed_at IS NULL
    AND (SELECT coalesce(s.pid, s.starter_pid) FROM sessions s WHERE s.id = o.session_id) IS NOT NULL
    ORDER BY o.expires_at LIMIT 1) IS NULL THEN 0 ELSE 1 END AS hosted,
  a.kind FROM agents a WHERE a.id = ?1 AND a.removed_at IS NULL`

export function readWaiting([pending, broadcasts, lapsed, plans, hosted]: SqlRow): Waiting {
  const isExpired = { pending: pending > 0, expired: pending === 2 }
  return { ...isExpired, broadcasts: broadcasts === 1, lapsed: lapsed === 1, plans: plans === 1, hosted: hosted === 1 }
}
