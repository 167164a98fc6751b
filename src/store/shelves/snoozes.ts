import { PRINTED_EVIDENCE } from '../../model/receipt.ts'
import type { SnoozeParams, SnoozeShelf } from '../contract/snoozes.ts'
import { OFFER_COLUMNS, readInboxMessage, readOffer, SELECT_INBOX_MESSAGE } from '../rows.ts'
import { isAmong, locking, ringInboxes, type Sql, type SqlRow } from '../sql.ts'
import { INSERT_STEP, LEAST_URGENT, ofOne, ofOneOrAll, TAKEABLE, TTL_LIFTED } from './deliveries.ts'

export function createSnoozeShelf(sql: Sql): SnoozeShelf {
  const waiting = locking(sql, 'FOR UPDATE OF d')
  const skipping = locking(sql, 'FOR UPDATE OF d SKIP LOCKED')

  return {
    async pendingOf({ agent, ids, now }) {
      const rows = await sql.all(
        `SELECT ${SELECT_INBOX_MESSAGE} ${TAKEABLE} AND ${isAmong(sql, 'm.id', '?4', 'text')}
         ORDER BY d.priority, d.inbox_seq ${waiting}`,
        [agent, now, LEAST_URGENT, JSON.stringify(ids)],
      )
      return rows.map((row) => readInboxMessage(row, sql.macs, 'pending'))
    },

    async snooze({ id, agent, untilAt, at, by, reason }) {
      const row = await sql.get(
        `SELECT d.inbox_seq, d.message_seq, d.attempt, d.offer_id FROM messages m JOIN deliveries d ON d.message_seq = m.seq
         WHERE m.id = ?1 AND d.agent_id = ?2 AND (d.state IN ('pending', 'offered') OR d.snoozed_until IS NOT NULL) ${waiting}`,
        [id, agent],
      )
      if (!row) return false
      const [inboxSeq, messageSeq, attempt, offerId] = row
      if (offerId !== null) await keepOffer({ id, agent, at }, { messageSeq, attempt, offerId })
      await sql.run(
        `UPDATE deliveries SET state = 'held', snoozed_until = ?3, moved_at = ?4, offer_id = NULL
         WHERE agent_id = ?1 AND inbox_seq = ?2`,
        [agent, inboxSeq, untilAt, at],
      )
      await sql.run(INSERT_STEP, [messageSeq, agent, at, 'held', attempt, by, null, reason])
      return true
    },

    async wake({ id, agent, at, by, reason }) {
      const row = await sql.get(
        `SELECT ${SNOOZED} FROM messages m JOIN deliveries d ON d.message_seq = m.seq
         WHERE m.id = ?1 AND d.agent_id = ?2 AND d.snoozed_until IS NOT NULL ${waiting}`,
        [id, agent],
      )
      if (!row) return false
      await takeUp(row, { at, by, reason })
      return true
    },

    async due({ now, limit, agent }) {
      const rows = await sql.all(
        `SELECT ${SNOOZED} FROM deliveries d
         WHERE d.snoozed_until IS NOT NULL AND d.snoozed_until <= ?1 ${ofOne(agent)}
         ORDER BY d.agent_id, d.snoozed_until LIMIT ?2 + 0 ${skipping}`,
        ofOneOrAll([now, limit], agent),
      )
      for (const row of rows)
        await takeUp(row, { at: now, by: 'system', reason: 'the time until which it was put off has come' })
      return [...new Set(rows.map(([each]) => each as string))]
    },

    async hasDue({ now, agent }) {
      const row = await sql.get(
        `SELECT 1 FROM deliveries d WHERE d.snoozed_until IS NOT NULL AND d.snoozed_until <= ?1
         AND (?2 = '' OR d.agent_id = ?2) LIMIT 1`,
        [now, agent ?? ''],
      )
      return row !== undefined
    },

    async seenBy(id) {
      // Locked by a statement of its own: whoever waited for that lock would see only the steps that were there before.
      await sql.all(
        `SELECT d.agent_id FROM messages m JOIN deliveries d ON d.message_seq = m.seq WHERE m.id = ?1
         ORDER BY d.agent_id ${waiting}`,
        [id],
      )
      const rows = await sql.all(
        `SELECT DISTINCT s.agent_id FROM delivery_steps s
         WHERE s.message_seq = (SELECT m.seq FROM messages m WHERE m.id = ?1) AND s.step = 'seen'`,
        [id],
      )
      return rows.map(([agent]) => agent)
    },

    async countSnoozed() {
      const row = await sql.get('SELECT count(*) FROM deliveries d WHERE d.snoozed_until IS NOT NULL')
      return Number(row?.[0] ?? 0)
    },
  }

  /**
   * What the present offer tells of a delivery is written down, because the next one takes its place. It is read once the
   * delivery is locked: whoever waited for that lock would see of an offer only what was there before.
   */
  async function keepOffer({ id, agent, at }: Picked, { messageSeq, attempt, offerId }: Shown): Promise<void> {
    const row = await sql.get(`SELECT ${OFFER_COLUMNS}, headlines FROM offers WHERE id = ?1`, [offerId])
    if (!row) return
    const { offeredAt, printedAt, closedAt, outcome, evidence, sessionId, via } = readOffer(row)
    const headlines = String(row.at(-1) ?? '').split(',')
    const { evidence: whole, ofHeadline } = PRINTED_EVIDENCE
    const record = (step: string, time: number, by: string | null, said: string) =>
      sql.run(INSERT_STEP, [messageSeq, agent, time, step, attempt, by, sessionId, said])
    await record('offered', offeredAt, null, `offer ${offerId} by ${via}`)
    if (printedAt !== null) await record('printed', printedAt, null, headlines.includes(id) ? ofHeadline : whole)
    if (outcome === 'confirmed') await record('seen', closedAt ?? at, null, evidence ?? outcome)
    else await record('seen', at, agent, 'it was put off by whoever was shown it')
  }

  /** Whoever puts a message off wants it again: a time to live that ended meanwhile counts no more. */
  async function takeUp(
    [agent, inboxSeq, messageSeq, attempt, expiresAt, untilAt]: SqlRow,
    { at, by, reason }: { readonly at: number; readonly by: string; readonly reason: string },
  ): Promise<void> {
    const isLifted = expiresAt !== null && expiresAt <= Math.min(at, untilAt)
    await sql.run(
      `UPDATE deliveries SET state = 'pending', snoozed_until = NULL, moved_at = ?3, expires_at = ?4
       WHERE agent_id = ?1 AND inbox_seq = ?2`,
      [agent, inboxSeq, at, isLifted ? null : expiresAt],
    )
    const evidence = isLifted ? `${reason}; ${TTL_LIFTED}` : reason
    await sql.run(INSERT_STEP, [messageSeq, agent, at, 'requeued', attempt, by, null, evidence])
    await ringInboxes(sql, [agent])
  }
}

type Picked = Pick<SnoozeParams, 'id' | 'agent' | 'at'>

interface Shown {
  readonly messageSeq: number
  readonly attempt: number
  readonly offerId: string
}

const SNOOZED = 'd.agent_id, d.inbox_seq, d.message_seq, d.attempt, d.expires_at, d.snoozed_until'
