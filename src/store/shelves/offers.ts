import type { InboxMessage } from '../../model/delivery.ts'
import type { Offer } from '../../model/offer.ts'
import { PRINTED_EVIDENCE } from '../../model/receipt.ts'
import type { CloseOffer, OfferShelf } from '../contract/offers.ts'
import { OFFER_COLUMNS, readOffer, readSession, SESSION_COLUMNS } from '../rows.ts'
import { isAmong, locking, ringInboxes, type Sql, type SqlValue } from '../sql.ts'

/** An offer with its deliveries, as a list of their numbers, and those of its messages that it shows by headline only. */
interface Members {
  readonly offer: Offer
  readonly list: string
  readonly headlines: readonly string[]
}

interface NewStep {
  readonly step: string
  readonly at: number
  readonly evidence: string
  /** The evidence for messages of which only the headline was shown, where it differs. */
  readonly ofHeadline?: string
  /** The places of deliveries for which the step is `dead` instead, as a list. */
  readonly dead?: string
}

/**
 * The `coalesce` keeps PostgreSQL off the index of open offers. While it believes they are few, it would scan them all
 * to find one.
 */
const IS_OPEN = 'coalesce(closed_at, 0) = 0'

/** No two events that are under way at the same time are further apart. */
const CLOCK_SLACK_MS = 60_000

/** How an offer is opened, each engine has its own way. */
export function createOfferShelf(sql: Sql): Omit<OfferShelf, 'open'> {
  const isMember = isAmong(sql, 'd.inbox_seq', '?2')
  const isHeadline = isAmong(sql, '(SELECT m.id FROM messages m WHERE m.seq = d.message_seq)', '?9', 'text')
  const lock = locking(sql, 'FOR UPDATE')
  /** What somebody else is about to close needs nobody's upkeep. */
  const skipping = locking(sql, 'FOR UPDATE SKIP LOCKED')

  return {
    async get(id) {
      const row = await sql.get(`SELECT ${OFFER_COLUMNS} FROM offers WHERE id = ?1`, [id])
      return row && readOffer(row)
    },

    async headlines(id) {
      const row = await sql.get('SELECT headlines FROM offers WHERE id = ?1', [id])
      return readHeadlines(row?.[0])
    },

    async hasSince({ agent, id }) {
      const row = await sql.get('SELECT 1 FROM offers WHERE id >= ?2 AND agent_id = ?1 LIMIT 1', [agent, id])
      return row !== undefined
    },

    async setPrinted({ id, at, expiresAt }) {
      const row = await sql.get(
        `UPDATE offers SET printed_at = ?2, expires_at = ?3 WHERE id = ?1 AND ${IS_OPEN} RETURNING ${OFFER_COLUMNS}`,
        [id, at, expiresAt],
      )
      return row && readOffer(row)
    },

    async close(params) {
      const { id, at, outcome, evidence, printedAt = null } = params
      const row = await sql.get(CLOSE, [id, at, outcome, evidence, printedAt])
      if (!row) return undefined
      const offer = readOffer(row)
      const [list, headlines] = row.slice(-2)
      const dead =
        outcome === 'confirmed' ? [] : await giveBack({ offer, list, headlines: readHeadlines(headlines) }, params)
      return { offer, dead }
    },

    printedOf: ({ sessionId, before, now }) =>
      select(`session_id = ?1 AND (printed_at < ?2 OR printed_at > ?3) ORDER BY id ${lock}`, [
        sessionId,
        Math.ceil(before),
        Math.ceil(now) + CLOCK_SLACK_MS,
      ]),

    openOf: ({ sessionId }) => select(`session_id = ?1 ORDER BY id ${lock}`, [sessionId]),

    lapsed: ({ now, limit, agent }) =>
      agent === undefined
        ? select(`expires_at <= ?1 ORDER BY expires_at LIMIT ?2 + 0 ${skipping}`, [now, limit])
        : select(`agent_id = ?3 AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2 + 0 ${skipping}`, [
            now,
            limit,
            agent,
          ]),

    async hosts({ machine, after, limit, agent }) {
      const rows = await sql.all(
        `SELECT ${SESSION_COLUMNS} FROM sessions WHERE coalesce(pid, starter_pid) IS NOT NULL AND machine = ?1 AND id > ?2 AND id IN (
           SELECT o.session_id FROM offers o WHERE o.closed_at IS NULL AND o.session_id IS NOT NULL
           ${agent === undefined ? '' : 'AND o.agent_id = ?4'}) ORDER BY id LIMIT ?3 + 0`,
        agent === undefined ? [machine, after, limit] : [machine, after, limit, agent],
      )
      return rows.map(readSession)
    },

    ofSessions: ({ sessionIds, limit }) =>
      select(`${isAmong(sql, 'session_id', '?1', 'text')} ORDER BY id LIMIT ?2 + 0 ${skipping}`, [
        JSON.stringify(sessionIds),
        limit,
      ]),
  }

  async function select(condition: string, params: readonly SqlValue[]): Promise<Offer[]> {
    const rows = await sql.all(`SELECT ${OFFER_COLUMNS} FROM offers WHERE closed_at IS NULL AND ${condition}`, params)
    return rows.map(readOffer)
  }

  /**
   * Makes an offer's deliveries pending again and keeps the attempt in their history. An attempt counts if the text was
   * printed, or may have been because nobody said what became of it. Every `maxAttempts` attempts a delivery is put aside
   * as dead instead; its count continues if somebody retries it.
   */
  async function giveBack(members: Members, { at, outcome, evidence, maxAttempts }: CloseOffer): Promise<string[]> {
    const { offer, list } = members
    const rows = await sql.all(
      `SELECT d.inbox_seq, m.id, d.attempt, CASE WHEN d.attempt < ?4 THEN 0 ELSE ${CONFIRMED_ATTEMPT} END
       FROM deliveries d JOIN messages m ON m.seq = d.message_seq
       WHERE d.agent_id = ?1 AND ${isMember} AND d.state = 'offered' AND d.offer_id = ?3
       ORDER BY d.inbox_seq ${locking(sql, 'FOR UPDATE OF d')}`,
      [offer.agent, list, offer.id, maxAttempts],
    )
    const isCounted = outcome === 'lapsed' || offer.printedAt !== null
    const dead = isCounted ? rows.filter(([, , attempt, confirmed]) => (attempt - confirmed) % maxAttempts === 0) : []
    const deadSeqs = JSON.stringify(dead.map(([inboxSeq]) => inboxSeq))
    await record(members, { step: 'offered', at: offer.offeredAt, evidence: `offer ${offer.id} by ${offer.via}` })
    if (offer.printedAt !== null) await record(members, { step: 'printed', at: offer.printedAt, ...PRINTED_EVIDENCE })
    await record(members, { step: outcome, at, evidence, dead: deadSeqs })
    await sql.run(
      `UPDATE deliveries AS d SET offer_id = NULL, moved_at = ?4, attempt = attempt - ?6,
         state = CASE WHEN ${isAmong(sql, 'd.inbox_seq', '?5')} THEN 'dead' ELSE 'pending' END
       WHERE d.agent_id = ?1 AND ${isMember} AND d.state = 'offered' AND d.offer_id = ?3`,
      [offer.agent, list, offer.id, at, deadSeqs, isCounted ? 0 : 1],
    )
    if (dead.length < rows.length) await ringInboxes(sql, [offer.agent])
    return dead.map(([, id]) => id as string)
  }

  /** Adds a step to the history of every delivery of the offer; one that has used up its attempts is `dead`. */
  async function record(
    { offer, list, headlines }: Members,
    { step, at, evidence, ofHeadline = evidence, dead = '[]' }: NewStep,
  ): Promise<void> {
    await sql.run(
      `INSERT INTO delivery_steps (message_seq, agent_id, at, step, attempt, session_id, evidence)
       SELECT d.message_seq, d.agent_id, ?4, CASE WHEN ${isAmong(sql, 'd.inbox_seq', '?8')} THEN 'dead' ELSE ?5 END, d.attempt,
         ?6, CASE WHEN ${isHeadline} THEN ?10 ELSE ?7 END FROM deliveries d
       WHERE d.agent_id = ?1 AND ${isMember} AND d.state = 'offered' AND d.offer_id = ?3
       ORDER BY d.inbox_seq`,
      [offer.agent, list, offer.id, at, step, offer.sessionId, evidence, dead, JSON.stringify(headlines), ofHeadline],
    )
  }
}

/** The last attempt that was confirmed, after which the agent put the message off. */
const CONFIRMED_ATTEMPT = `coalesce((SELECT max(s.attempt) FROM delivery_steps s
  WHERE s.message_seq = d.message_seq AND s.agent_id = d.agent_id AND s.step = 'seen'), 0)`

function readHeadlines(column: string | null | undefined): readonly string[] {
  return column ? column.split(',') : []
}

/** A second closer waits for the first and then finds the offer closed. Only what was printed is ever confirmed. */
const CLOSE = `UPDATE offers SET closed_at = ?2, outcome = ?3, evidence = ?4, printed_at = coalesce(?5, printed_at)
  WHERE id = ?1 AND ${IS_OPEN} AND (?3 <> 'confirmed' OR coalesce(?5, printed_at) IS NOT NULL)
  RETURNING ${OFFER_COLUMNS}, members, headlines`

/** The first and last number of every run without a gap. Numbers of one inbox are never given twice. */
export function stretchesOf(taken: readonly InboxMessage[]): readonly (readonly [number, number])[] {
  const stretches: [number, number][] = []
  for (const { inboxSeq } of taken.toSorted((a, b) => a.inboxSeq - b.inboxSeq)) {
    const last = stretches.at(-1)
    if (last && last[1] + 1 === inboxSeq) last[1] = inboxSeq
    else stretches.push([inboxSeq, inboxSeq])
  }
  return stretches
}
