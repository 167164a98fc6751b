import type { MessageMacs } from '../../message-macs.ts'
import { proofsAfter, SELECT_MESSAGE } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import type { StoreClock } from './store-clock.ts'

/**
 * Lets a store follow a step of the machine's clock that has lasted. No time to live, lease or timeout ends because of
 * it: before the store's clock is
 * put forward, everything that it would end is postponed.
 */
export async function followStep({ clock, macs, write }: Following): Promise<void> {
  const byMs = clock.lastingStepMs
  // Otherwise everything would be postponed by the next process as well.
  if (!clock.isWritable()) return
  let after = clock.now()
  if (byMs > 0) {
    await write((connection) => {
      after = clock.now()
      // Another process may have followed it meanwhile, or may be about to.
      const at = clock.record?.step?.at ?? 0
      if (clock.lastingStepMs === 0 || connection.get(FOLLOWED)?.[0] === at) return
      postpone(connection, { byMs, macs, after, until: Number.MAX_SAFE_INTEGER })
      connection.run(MARK_FOLLOWED, [at])
    })
  }
  const hasFollowed = clock.follow()
  // Writes in progress until now were stored with the old clock's times.
  if (hasFollowed && byMs > 0)
    await write((connection) => postpone(connection, { byMs, macs, after, until: after + byMs }))
}

export interface Following {
  readonly clock: StoreClock
  readonly macs: MessageMacs | undefined
  /** Runs a function in one transaction. */
  write(work: (connection: Connection) => void): Promise<void>
}

/** The step for which everything was postponed already, in the transaction that did so. */
const FOLLOWED = `SELECT ran_at FROM jobs WHERE name = 'clock-step'`
const MARK_FOLLOWED = `INSERT INTO jobs (name, ran_at) VALUES ('clock-step', ?1) ON CONFLICT (name) DO UPDATE SET ran_at = ?1`

interface Postponing {
  readonly byMs: number
  readonly macs: MessageMacs | undefined
  /** Postpones only what ends after `after` and no later than `until`. */
  readonly after: number
  readonly until: number
}

/** Postpones times to live, offer leases, gate timeouts and decision deadlines. */
function postpone(connection: Connection, { byMs, macs, after, until }: Postponing): void {
  for (const statement of POSTPONE) connection.run(statement, [byMs, after, until])
  for (const [expiresAt, ...message] of connection.all(BROADCASTS, [after, until])) {
    const later = expiresAt + byMs
    connection.run(POSTPONE_BROADCAST, [message[0], later, ...proofsAfter({ macs }, message, ['expires_at', later])])
  }
}

const ENDS_BETWEEN = '> ?2 AND expires_at <= ?3'

const POSTPONE = [
  `UPDATE deliveries SET expires_at = expires_at + ?1
     WHERE state = 'pending' AND expires_at IS NOT NULL AND expires_at ${ENDS_BETWEEN}`,
  `UPDATE deliveries SET expires_at = expires_at + ?1
     WHERE state = 'offered' AND expires_at ${ENDS_BETWEEN} AND (agent_id, inbox_seq) IN (
       SELECT o.agent_id, taken.value FROM offers o, json_each(o.members) AS taken WHERE o.closed_at IS NULL)`,
  `UPDATE offers SET expires_at = expires_at + ?1 WHERE closed_at IS NULL AND expires_at ${ENDS_BETWEEN}`,
  `UPDATE gates SET due_at = due_at + ?1 WHERE state = 'open' AND due_at > ?2 AND due_at <= ?3`,
  `UPDATE decisions SET due_at = due_at + ?1 WHERE state = 'open' AND due_at > ?2 AND due_at <= ?3`,
]

/** Broadcasts that somebody has not yet taken up. */
const BROADCASTS = `SELECT m.expires_at, ${SELECT_MESSAGE} FROM messages m WHERE m.broadcast_seq IS NOT NULL AND m.broadcast_seq > (
    SELECT min(a.broadcast_cursor) FROM agents a WHERE a.removed_at IS NULL AND a.kind <> 'service')
  AND m.expires_at > ?1 AND m.expires_at <= ?2`

const POSTPONE_BROADCAST = 'UPDATE messages SET expires_at = ?2, checksum = ?3, mac = ?4 WHERE id = ?1'
