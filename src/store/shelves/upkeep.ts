import { DELIVERY_STATES, type DeliveryState, FINISHED_STATES } from '../../model/delivery.ts'
import { LOSS_JOB } from '../../model/loss.ts'
import type { UpkeepShelf } from '../contract/upkeep.ts'
import { STATE_NOW } from '../rows.ts'
import { isAmong, locking, type Sql, type SqlRow } from '../sql.ts'
import type { JobShelf } from './jobs.ts'

const FINISHED = FINISHED_STATES.map((state) => `'${state}'`).join(', ')

/** The work itself, which few commands ever do. */
export function createSweeper(sql: Sql): Omit<UpkeepShelf, keyof JobShelf> {
  return {
    async forgetSessions({ unheardSince, limit }) {
      const forgotten = await sql.run(
        `DELETE FROM sessions WHERE id IN (SELECT s.id FROM sessions s WHERE s.last_event_at < ?1
           AND (SELECT 1 FROM offers o WHERE o.session_id = s.id AND o.closed_at IS NULL LIMIT 1) IS NULL LIMIT ?2 + 0)`,
        [unheardSince, limit],
      )
      if (forgotten > 0) for (const table of OF_SESSIONS) await sql.run(`DELETE FROM ${table} WHERE ${NO_SESSION}`)
      return forgotten
    },

    async reap({ finishedBefore, idBefore, limit }) {
      const after = Number((await sql.get(SWEPT))?.[0] ?? 0)
      const seen = await sql.all('SELECT m.seq, m.id FROM messages m WHERE m.seq > ?1 ORDER BY m.seq LIMIT ?2 + 0', [
        after,
        LOOKED_AT,
      ])
      const old = seen.filter(([, id]) => id < idBefore)
      const found = await sql.all(
        `SELECT m.seq ${reapable(sql)} ORDER BY m.seq LIMIT ?3 + 0 ${locking(sql, 'FOR UPDATE OF m SKIP LOCKED')}`,
        [finishedBefore, listOf(old), limit],
      )
      const rows = sql.engine === 'postgres' ? await lookAgain(found, finishedBefore) : found
      const list = listOf(rows)
      const offers = await offersOf(list)
      for (const [table, column] of BELONGINGS) {
        const key = table === 'message_search' && sql.engine === 'sqlite' ? 'rowid' : column
        await sql.run(`DELETE FROM ${table} WHERE ${isAmong(sql, key, '?1')}`, [list])
      }
      // SQLite gives the number of the last message anew once that is gone; the search must not think it has read it.
      if (rows.length > 0 && sql.engine === 'sqlite') await sql.run(REWIND_SEARCH)
      const reaped = await reapOffers(offers, finishedBefore, limit)
      const inherited = await sql.run(REAP_INHERITANCES, [finishedBefore, limit])
      const isFull = found.length === limit
      const isSwept = !isFull && (seen.length < LOOKED_AT || old.length === 0)
      const mark = isSwept ? 0 : ((isFull ? found : seen).at(-1)?.[0] ?? 0)
      if (mark !== after) await sql.run(KEEP_SWEPT, [mark])
      return { removed: rows.length, hasMore: !isSwept || reaped === limit || inherited === limit }
    },

    async rest({ job, ranAt }) {
      await sql.run('UPDATE jobs SET ran_at = ?2 WHERE name = ?1', [job, ranAt])
    },

    async storeId() {
      const [id = ''] = (await sql.get('SELECT id FROM store_identity')) ?? []
      return id
    },

    async takeLoss() {
      const [at] = (await sql.get('DELETE FROM jobs WHERE name = ?1 RETURNING ran_at', [LOSS_JOB])) ?? []
      if (at === undefined) return undefined
      const [count = 0] = (await sql.get(`SELECT value FROM counters WHERE name = 'lost'`)) ?? []
      return { count, at }
    },

    async acknowledgeLoss() {
      await sql.run('DELETE FROM jobs WHERE name = ?1', [LOSS_JOB])
      await sql.run(`DELETE FROM counters WHERE name = 'lost'`)
    },

    async setVerified({ at, messages, faults }) {
      const values = [`${VERIFIED}at`, at, `${VERIFIED}messages`, messages, `${VERIFIED}faults`, faults]
      await sql.run(SET_VERIFIED, values)
    },

    async lastVerified() {
      const rows = await sql.all(`SELECT name, value FROM counters WHERE name LIKE '${VERIFIED}%'`)
      const found = new Map(rows.map(([name, value]) => [name, Number(value)]))
      const [at, messages = 0, faults = 0] = ['at', 'messages', 'faults'].map((name) => found.get(VERIFIED + name))
      return at === undefined ? undefined : { at, messages, faults }
    },

    async counts() {
      const rows = await sql.all(
        `SELECT ${STATE_NOW}, count(*) FROM deliveries d LEFT JOIN offers o ON o.id = d.offer_id GROUP BY 1`,
      )
      const counted = new Map(rows.map(([state, count]) => [state as DeliveryState, Number(count)]))
      return Object.fromEntries(DELIVERY_STATES.map((state) => [state, counted.get(state) ?? 0])) as Record<
        DeliveryState,
        number
      >
    },
  }

  /** Those that deliveries of these messages name, and those from which one was put off: only its history names them. */
  async function offersOf(list: string): Promise<readonly SqlRow[]> {
    const named = await sql.all(
      `SELECT DISTINCT d.offer_id FROM deliveries d WHERE ${isAmong(sql, 'd.message_seq', '?1')} AND d.offer_id IS NOT NULL`,
      [list],
    )
    const steps = await sql.all(
      `SELECT s.evidence FROM delivery_steps s WHERE ${isAmong(sql, 's.message_seq', '?1')} AND s.step = 'offered'`,
      [list],
    )
    const earlier = new Set(steps.flatMap(([evidence]) => OFFER_STEP.exec(evidence)?.[1] ?? []))
    return [...named, ...[...earlier].map((id) => [id])]
  }

  /** A confirmed offer goes with the last of its deliveries; one that was given back has none and goes by its age. */
  async function reapOffers(of: readonly SqlRow[], finishedBefore: number, limit: number): Promise<number> {
    await sql.run(
      `DELETE FROM offers AS o WHERE ${isAmong(sql, 'o.id', '?1', 'text')} AND o.closed_at < ?2 AND NOT EXISTS (
         SELECT 1 FROM deliveries d
         WHERE d.agent_id = o.agent_id AND d.offer_id = o.id AND ${isAmong(sql, 'd.inbox_seq', 'o.members')})`,
      [listOf(of), finishedBefore],
    )
    return sql.run(
      `DELETE FROM offers WHERE id IN (SELECT o.id FROM offers o WHERE ${GIVEN_BACK} AND o.closed_at < ?1
         ORDER BY o.closed_at LIMIT ?2 + 0)`,
      [finishedBefore, limit],
    )
  }

  /** On PostgreSQL a delivery may have been retried since: with all of them locked, what is still finished stays so. */
  async function lookAgain(found: readonly SqlRow[], finishedBefore: number): Promise<readonly SqlRow[]> {
    await sql.all(
      `SELECT d.message_seq FROM deliveries d WHERE ${isAmong(sql, 'd.message_seq', '?1')}
       ORDER BY d.message_seq, d.agent_id FOR UPDATE`,
      [listOf(found)],
    )
    return sql.all(`SELECT m.seq ${reapable(sql)}`, [finishedBefore, listOf(found)])
  }
}

/** How a history names an offer: the shelves of offers and snoozes write it. */
const OFFER_STEP = /^offer (\S+) by /

/** What only a session knows goes with it. */
const OF_SESSIONS = ['session_gates', 'session_marks']
const NO_SESSION = 'session_id NOT IN (SELECT id FROM sessions)'

function listOf(rows: readonly SqlRow[]): string {
  return JSON.stringify(rows.map((row) => row[0]))
}

const LAST_MESSAGE = '(SELECT coalesce(max(seq), 0) FROM messages)'
const REWIND_SEARCH = `UPDATE counters SET value = ${LAST_MESSAGE} WHERE name = 'search' AND value > ${LAST_MESSAGE}`

/** As the index of these offers says it. */
const GIVEN_BACK = `o.outcome IN ('released', 'lapsed')`

const REAP_INHERITANCES = `DELETE FROM inheritances WHERE id IN (
  SELECT id FROM inheritances WHERE closed_at IS NOT NULL AND closed_at < ?1 ORDER BY closed_at LIMIT ?2 + 0)`

/** A message's rows, in the order in which they go. */
const BELONGINGS = [
  ['message_search', 'message_seq'],
  ['delivery_steps', 'message_seq'],
  ['deliveries', 'message_seq'],
  ['messages', 'seq'],
] as const

/** How many messages a slice looks at. A stretch of unfinished ones keeps the store no longer than one of finished ones. */
const LOOKED_AT = 2_000

const VERIFIED = 'verified-'
const SET_VERIFIED = `INSERT INTO counters (name, value) VALUES (?1, ?2), (?3, ?4), (?5, ?6)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** The last message that the sweep under way has looked at; zero between two sweeps. */
const SWEPT = `SELECT value FROM counters WHERE name = 'swept'`
const KEEP_SWEPT = `INSERT INTO counters (name, value) VALUES ('swept', ?1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/**
 * The messages of a list that may go. A broadcast waits until every agent that may take it up has done so. No message goes
 * while another of its deliveries is unfinished, or while a gate waits for an answer to it. Deliveries are asked for message
 * by message: a NOT EXISTS becomes a join, for which PostgreSQL may read them all.
 */
const reapable = (sql: Sql) => `FROM messages m
  WHERE ${isAmong(sql, 'm.seq', '?2')}
    AND (SELECT 1 FROM deliveries d LEFT JOIN offers o ON o.id = d.offer_id WHERE d.message_seq = m.seq
      AND (${STATE_NOW} NOT IN (${FINISHED})
        OR coalesce(CASE WHEN o.outcome = 'confirmed' THEN o.closed_at END, d.moved_at, m.created_at) >= ?1
        OR coalesce(d.moved_at, 0) >= ?1) LIMIT 1) IS NULL
    AND NOT EXISTS (SELECT 1 FROM gates g WHERE g.awaits = m.id AND g.awaits IS NOT NULL AND g.state IN ('open', 'breached'))
    AND (m.broadcast_seq IS NULL OR NOT EXISTS (SELECT 1 FROM agents a
      WHERE a.removed_at IS NULL AND a.kind <> 'service' AND a.broadcast_cursor < m.broadcast_seq))`
