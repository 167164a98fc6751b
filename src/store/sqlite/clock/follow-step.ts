import type { MessageMacs } from '../../message-macs.ts'
import { proofsAfter, SELECT_MESSAGE } from '../../rows.ts'
import type { Connection } from '../connection.ts'
import type { StoreClock } from './store-clock.ts'

/**
 * Lets a store follow a step of the machine's clock that has lasted. Nothing ends because of it: before the store's clock is
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
      // Another process may have followed it meanwhile.
      if (clock.lastingStepMs !== 0) postpone(connection, { byMs, macs, after, until: Number.MAX_SAFE_INTEGER })
    })
  }
  const hasFollowed = clock.follow()
  // What was under way meanwhile was stored with times of before.
  if (hasFollowed && byMs > 0)
    await write((connection) => postpone(connection, { byMs, macs, after, until: after + byMs }))
}

export interface Following {
  readonly clock: StoreClock
  readonly macs: MessageMacs | undefined
  /** Runs a function in one transaction. */
  write(work: (connection: Connection) => void): Promise<void>
}

interface Postponing {
  readonly byMs: number
  readonly macs: MessageMacs | undefined
  /** Only what ends after the one and not after the other. */
  readonly after: number
  readonly until: number
}

/** Times to live, leases of offers and timeouts of gates. */
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
