import { PosternError } from '../../model/errors.ts'
import type { PushResult } from '../../model/postern.ts'
import { readInboxMessage, SELECT_INBOX_MESSAGE } from '../rows.ts'
import { COUNT_PENDING, INSERT_STEP, LEAST_URGENT } from '../shelves/deliveries.ts'
import { WAITING } from '../shelves/waiting.ts'
import type { Connection } from './connection.ts'
import { createOpener } from './offer.ts'

const REHEARSAL = 'off_rehearsal'

/**
 * Drains what was just pushed, and takes that back. A corrupt page that would keep a recipient from it fails the push,
 * which is then taken back as a whole.
 */
export async function rehearseDrain(connection: Connection, stored: readonly PushResult[]): Promise<void> {
  const { open } = createOpener(() => connection)
  for (const { id, recipients } of stored) {
    for (const { agent, state } of recipients) {
      const row = connection.get(DELIVERED, [id, agent])
      const message = row && readInboxMessage(row, undefined, 'pending')
      if (!message || message.damaged) throw new PosternError('STORE_CORRUPT', { path: connection.path })
      if (state !== 'pending') continue
      connection.get(WAITING, [agent, 0])
      connection.get(COUNT_PENDING, [agent, 0, LEAST_URGENT, 1])
      connection.get(OPEN_SESSION)
      connection.exec('SAVEPOINT rehearsal')
      try {
        await open({ offer: rehearsalFor(agent), taken: [message], headlines: [] })
        connection.run('UPDATE offers SET closed_at = 0 WHERE id = ?1', [REHEARSAL])
        connection.run(INSERT_STEP, [0, agent, 0, 'printed', 1, null, null, 'rehearsal'])
      } finally {
        connection.exec('ROLLBACK TO rehearsal; RELEASE rehearsal')
      }
    }
  }
}

function rehearsalFor(agent: string) {
  const times = { offeredAt: 0, printedAt: null, closedAt: null, expiresAt: 0 }
  return { id: REHEARSAL, agent, sessionId: null, via: 'rehearsal', outcome: null, evidence: null, size: 1, ...times }
}

/** The command line looks for the session in which it runs. */
const OPEN_SESSION = 'SELECT id FROM sessions WHERE ended_at IS NULL LIMIT 1'

const DELIVERED = `SELECT ${SELECT_INBOX_MESSAGE} FROM messages m JOIN deliveries d ON d.message_seq = m.seq
  WHERE m.id = ?1 AND d.agent_id = ?2`
