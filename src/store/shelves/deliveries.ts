import type { DeliveryState, InboxMessage } from '../../model/delivery.ts'
import { PosternError } from '../../model/errors.ts'
import type { CandidateParams, DeliveryShelf, ListParams } from '../contract/deliveries.ts'
import { isOver } from '../push.ts'
import { readDelivery, readInboxMessage, SELECT_DELIVERY, SELECT_INBOX_MESSAGE, STATE_NOW } from '../rows.ts'
import { isAmong, locking, ringInboxes, type Sql, type SqlRow, type SqlValue } from '../sql.ts'
import { expiredBy, readWaiting, WAITING } from './waiting.ts'

export const LEAST_URGENT = 4
export const LIVE = '(d.expires_at IS NULL OR d.expires_at > ?2)'

const IS_TAKEABLE = `d.agent_id = ?1 AND d.state = 'pending' AND ${LIVE} AND d.priority <= ?3`

/** What an agent may be shown, from a priority on. */
export const TAKEABLE = `FROM deliveries d JOIN messages m ON m.seq = d.message_seq WHERE ${IS_TAKEABLE}`

export function createDeliveryShelf(sql: Sql): Omit<DeliveryShelf, 'finish' | 'keysOf'> {
  /** Drains at once take different rows; whoever moves a delivery waits for it. */
  const skipping = locking(sql, 'FOR UPDATE OF d SKIP LOCKED')
  const waiting = locking(sql, 'FOR UPDATE OF d')

  return {
    async waiting({ agent, now }) {
      const row = await sql.get(WAITING, [agent, now])
      return row && readWaiting(row)
    },

    async takeUpBroadcasts({ agent, now }) {
      const row = await sql.get(
        `SELECT broadcast_cursor, inbox_seq, kind FROM agents WHERE id = ?1 AND removed_at IS NULL ${locking(sql, 'FOR UPDATE')}`,
        [agent],
      )
      if (!row) return 0
      const [cursor, inboxSeq, kind] = row
      const last = await sql.get(`SELECT value FROM counters WHERE name = 'broadcast'`)
      const taken = kind === 'service' ? 0 : await sql.run(TAKE_UP, [agent, cursor, last?.[0], inboxSeq, now])
      if (taken > 0) await sql.run(RECORD_EXPIRED, [agent, inboxSeq, now])
      await sql.run('UPDATE agents SET broadcast_cursor = ?2, inbox_seq = inbox_seq + ?3 WHERE id = ?1', [
        agent,
        last?.[0],
        taken,
      ])
      return taken
    },

    async candidates(params) {
      const first = await select(params, '', params.limit + 1)
      if (first.length <= params.limit) return first
      // They are by urgency: where a less urgent one is among them, all critical ones are too.
      const isAllCritical = first.at(-1)?.priority === 0
      const criticals = isAllCritical
        ? await select(params, 'AND d.priority = 0', params.limit + params.criticalLimit)
        : []
      const oldest = await select(params, `AND d.inbox_seq = (${oldestOf(params.maxPriority ?? LEAST_URGENT)})`, 1)
      return mergeInOrder([...first, ...criticals, ...oldest])
    },

    async countPending({ agent, now, maxPriority = LEAST_URGENT, upTo = 1e9 }) {
      const row = await sql.get(COUNT_PENDING, [agent, now, maxPriority, upTo])
      return Number(row?.[0] ?? 0)
    },

    async list(params) {
      try {
        const rows = await sql.all(...listQuery(params, SELECT_INBOX_MESSAGE, WITH_MESSAGES))
        return rows.map((row) => readListed(row, sql))
      } catch (error) {
        const { SALVAGED, readAround, salvage } = await loadSalvage(error)
        return salvage(sql, await readAround(sql, (deliveries) => listQuery(params, SALVAGED, deliveries)))
      }
    },

    async ofMessage(id) {
      const rows = await sql.all(
        `SELECT ${SELECT_DELIVERY} FROM messages m JOIN deliveries d ON d.message_seq = m.seq
         LEFT JOIN offers o ON o.id = d.offer_id WHERE m.id = ?1 ORDER BY d.agent_id`,
        [id],
      )
      return rows.map(readDelivery)
    },

    async steps(id) {
      const rows = await sql.all(
        `SELECT s.agent_id, s.step, s.at, s.attempt, s.evidence, s.by_id, s.session_id FROM delivery_steps s
         WHERE s.message_seq = (SELECT m.seq FROM messages m WHERE m.id = ?1) ORDER BY s.seq`,
        [id],
      )
      return rows.map(([agent, step, at, attempt, evidence, by, sessionId]) => ({
        agent,
        step,
        at,
        attempt,
        evidence,
        by,
        sessionId,
      }))
    },

    async move({ id, agent, from, to, at, by, reason }) {
      // A removed agent's inbox stays as its removal left it, also where that happens at this moment.
      const [present, lock] = to === 'pending' ? [IS_PRESENT, locking(sql, 'FOR UPDATE OF d, a')] : ['', waiting]
      const rows = await sql.all(
        `SELECT ${MOVABLE_NOW} FROM messages m JOIN deliveries d ON d.message_seq = m.seq ${present}
         LEFT JOIN offers o ON o.id = d.offer_id
         WHERE m.id = ?1 AND (?2 = '' OR d.agent_id = ?2) AND ${STATE_NOW} IN (${quoted(from)}) ORDER BY d.agent_id ${lock}`,
        [id, agent ?? ''],
      )
      for (const row of rows) await moveOne(row, { to, at, by, reason })
      if (to === 'pending')
        await ringInboxes(
          sql,
          rows.map((row) => row[0]),
        )
      return rows.map((row) => row[0] as string)
    },

    async moveAll({ agent, from, to, at, by, reason }) {
      await lockInbox(agent)
      const rows = await sql.all(
        `SELECT ${MOVABLE} FROM deliveries d LEFT JOIN offers o ON o.id = d.offer_id
         WHERE d.agent_id = ?1 AND ${STATE_NOW} IN (${quoted(from)}) ORDER BY d.inbox_seq ${waiting}`,
        [agent],
      )
      for (const row of rows) await moveOne(row, { to, at, by, reason })
      return rows.length
    },

    async quarantine({ agent, inboxSeqs, at, reason }) {
      const rows = await sql.all(
        `SELECT ${MOVABLE} FROM deliveries d WHERE d.agent_id = ?1 AND ${isAmong(sql, 'd.inbox_seq', '?2')}
         AND d.state = 'pending' ORDER BY d.inbox_seq ${waiting}`,
        [agent, JSON.stringify(inboxSeqs)],
      )
      for (const [, inboxSeq, messageSeq, attempt] of rows) {
        await sql.run(`UPDATE deliveries SET state = 'dead', moved_at = ?3 WHERE agent_id = ?1 AND inbox_seq = ?2`, [
          agent,
          inboxSeq,
          at,
        ])
        // A step of its own, because an event for the step "dead" would read the message.
        await sql.run(INSERT_STEP, [messageSeq, agent, at, 'quarantined', attempt, 'system', null, reason])
      }
      return rows.length
    },

    async withKey({ agents, dedupKey, unlessOverAt: now = null }) {
      const rows = await sql.all(
        `SELECT d.agent_id, d.state, d.expires_at FROM deliveries d
         WHERE ${isAmong(sql, 'd.agent_id', '?1', 'text')} AND d.dedup_key = ?2`,
        [JSON.stringify(agents), dedupKey],
      )
      const kept = now === null ? rows : rows.filter(([, state, expiresAt]) => !isOver(state, expiresAt, now))
      return kept.map(([agent]) => agent)
    },

    async record({ id, agents, step, at, by, evidence }) {
      const row = await sql.get('SELECT seq FROM messages WHERE id = ?1', [id])
      for (const agent of agents) await sql.run(INSERT_STEP, [row?.[0], agent, at, step, null, by, null, evidence])
    },

    async expire({ now, limit, agent }) {
      const rows = await sql.all(`${expiredOf(agent)} ${skipping}`, ofOneOrAll([now, limit], agent))
      for (const row of rows) {
        await moveOne(row, { to: 'expired', at: now, by: 'system', reason: 'its time to live was over' })
      }
      return rows.length
    },
  }

  /** So that nothing is pushed into an inbox while all of it is moved, and no offer of it confirmed. */
  async function lockInbox(agent: string): Promise<void> {
    if (sql.engine !== 'postgres') return
    await sql.get('SELECT id FROM agents WHERE id = ?1 FOR UPDATE', [agent])
    await sql.all('SELECT id FROM offers WHERE agent_id = ?1 AND closed_at IS NULL ORDER BY id FOR UPDATE', [agent])
  }

  /** A person who makes a delivery pending again wants it shown, so a time to live that has ended no longer counts. */
  async function moveOne(
    [agent, inboxSeq, messageSeq, attempt, from, expiresAt]: SqlRow,
    { to, at, by, reason }: { to: DeliveryState; at: number; by: string; reason: string },
  ): Promise<void> {
    const isLifted = to === 'pending' && expiresAt !== null && expiresAt <= at
    await sql.run(
      `UPDATE deliveries SET state = ?3, moved_at = ?4, snoozed_until = NULL, acted_at = CASE WHEN ?3 = 'acted' THEN ?4 ELSE acted_at END,
       expires_at = ?5 WHERE agent_id = ?1 AND inbox_seq = ?2`,
      [agent, inboxSeq, to, at, isLifted ? null : expiresAt],
    )
    const evidence = isLifted ? `${reason}; ${TTL_LIFTED}` : reason
    const record = (step: string) => sql.run(INSERT_STEP, [messageSeq, agent, at, step, attempt, by, null, evidence])
    if (from === 'offered' && to === 'acted') await record('seen')
    await record(to === 'pending' ? 'requeued' : to)
  }

  async function select(params: CandidateParams, extra: string, limit: number): Promise<InboxMessage[]> {
    const values = [params.agent, params.now, params.maxPriority ?? LEAST_URGENT, limit]
    const inOrder = `${extra} ORDER BY d.priority, d.inbox_seq LIMIT ?4 + 0`
    try {
      const rows = await sql.all(`SELECT ${SELECT_INBOX_MESSAGE} ${TAKEABLE} ${inOrder} ${skipping}`, values)
      return rows.map((row) => readInboxMessage(row, sql.macs, 'pending'))
    } catch (error) {
      const { SALVAGED, readAround, salvage } = await loadSalvage(error)
      const rows = await readAround(sql, (deliveries) => [
        `SELECT ${SALVAGED} FROM ${deliveries} WHERE ${IS_TAKEABLE} ${inOrder}`,
        values,
      ])
      return salvage(sql, rows)
    }
  }
}

export function expiredOf(agent: string | undefined): string {
  const all = 'd.expires_at IS NOT NULL AND d.expires_at <= ?1 ORDER BY d.expires_at'
  return `SELECT ${MOVABLE} FROM deliveries d
    WHERE d.state = 'pending' AND ${agent === undefined ? all : expiredBy('?1', '?3')} LIMIT ?2 + 0`
}

/** Words of their own for one agent, so that no plan reads what others have. Its number follows those of the rest. */
export function ofOne(agent: string | undefined): string {
  return agent === undefined ? '' : 'AND d.agent_id = ?3'
}

export function ofOneOrAll(params: readonly SqlValue[], agent: string | undefined): SqlValue[] {
  return agent === undefined ? [...params] : [...params, agent]
}

/** After a read has met a corrupt page. Any other error is thrown again. */
export async function loadSalvage(error: unknown): Promise<typeof import('./salvage.ts')> {
  const isCorrupt = error instanceof PosternError && error.code === 'STORE_CORRUPT'
  if (!isCorrupt) throw error
  return import('./salvage.ts')
}

/** The first of each priority is found by the index; the oldest of all is among them. */
function oldestOf(maxPriority: number): string {
  const firsts = Array.from(
    { length: maxPriority + 1 },
    (
      _,
      priority,
    ) => `SELECT (SELECT d.inbox_seq FROM deliveries d WHERE d.agent_id = ?1 AND d.state = 'pending' AND ${LIVE}
      AND d.priority = ${priority} ORDER BY d.inbox_seq LIMIT 1) AS inbox_seq`,
  )
  return `SELECT min(f.inbox_seq) FROM (${firsts.join(' UNION ALL ')}) AS f`
}

/** What waits for an agent: its pending deliveries, and the broadcasts that it has not taken up. */
export const COUNT_PENDING = `SELECT (SELECT count(*) FROM (SELECT 1 FROM deliveries d WHERE d.agent_id = ?1 AND d.state = 'pending'
  AND d.priority <= ?3 AND ${LIVE} LIMIT ?4 + 0) AS n) + (SELECT count(*) FROM messages m WHERE m.broadcast_seq > (SELECT a.broadcast_cursor FROM agents a
  WHERE a.id = ?1 AND a.kind <> 'service' AND a.removed_at IS NULL) AND m.from_id <> ?1 AND m.priority <= ?3
  AND (m.expires_at IS NULL OR m.expires_at > ?2))`

/** What a take-up found expired already has that step in its history too. */
const RECORD_EXPIRED = `INSERT INTO delivery_steps (message_seq, agent_id, at, step, by_id, evidence)
  SELECT d.message_seq, d.agent_id, ?3, 'expired', 'system', 'its time to live was over before it was taken up'
  FROM deliveries d WHERE d.agent_id = ?1 AND d.inbox_seq > ?2 AND d.state = 'expired'`

/** Everybody but the sender; what has expired meanwhile is recorded, not forgotten. */
const TAKE_UP = `INSERT INTO deliveries (agent_id, message_seq, inbox_seq, priority, state, expires_at, moved_at)
  SELECT ?1, m.seq, ?4 + row_number() OVER (ORDER BY m.broadcast_seq), m.priority,
    CASE WHEN m.expires_at <= ?5 THEN 'expired' ELSE 'pending' END, m.expires_at,
    CASE WHEN m.expires_at <= ?5 THEN ?5 END
  FROM messages m WHERE m.broadcast_seq > ?2 AND m.broadcast_seq <= ?3 AND m.from_id <> ?1
  ON CONFLICT DO NOTHING`

export const INSERT_STEP = `INSERT INTO delivery_steps (message_seq, agent_id, at, step, attempt, by_id, session_id, evidence)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`

const IS_PRESENT = 'JOIN agents a ON a.id = d.agent_id AND a.removed_at IS NULL'

const MOVABLE_NOW = `d.agent_id, d.inbox_seq, d.message_seq, d.attempt, ${STATE_NOW}, d.expires_at`

const MOVABLE = 'd.agent_id, d.inbox_seq, d.message_seq, d.attempt, d.state, d.expires_at'

export const TTL_LIFTED = 'its time to live, which ended meanwhile, no longer counts'

const WITH_MESSAGES = 'deliveries d JOIN messages m ON m.seq = d.message_seq'

/** What is pending is found by its own index; everything else by its place in the inbox. */
function listQuery(
  { agent, states, limit, after, now, snoozed }: ListParams,
  columns: string,
  tables: string,
): [string, SqlValue[]] {
  const onlyPending = states.length === 1 && states[0] === 'pending'
  const conditions = [
    onlyPending
      ? `d.state = 'pending' AND ${LIVE}`
      : `${STATE_NOW} IN (${quoted(states)}) AND CAST(?2 AS bigint) IS NOT NULL`,
    agent === undefined ? '?1 = ?1' : 'd.agent_id = ?1',
    '(d.agent_id > ?3 OR (d.agent_id = ?3 AND d.inbox_seq > ?4))',
    ...(snoozed === undefined ? [] : [`d.snoozed_until IS ${snoozed ? 'NOT NULL' : 'NULL'}`]),
  ]
  return [
    `SELECT ${columns}, ${STATE_NOW}, d.snoozed_until FROM ${tables} LEFT JOIN offers o ON o.id = d.offer_id
     WHERE ${conditions.join(' AND ')} ORDER BY d.agent_id, d.inbox_seq LIMIT ?5 + 0`,
    [agent ?? '', now, after?.agent ?? '', after?.inboxSeq ?? 0, limit],
  ]
}

function readListed(row: SqlRow, { macs }: Sql): InboxMessage {
  const until = row.at(-1)
  const message = readInboxMessage(row, macs)
  return until === null ? message : { ...message, snoozedUntilAt: until }
}

/** States are our own words, never anybody's input. */
export function quoted(states: readonly DeliveryState[]): string {
  return states.map((state) => `'${state}'`).join(', ')
}

function mergeInOrder(messages: readonly InboxMessage[]): InboxMessage[] {
  const unique = new Map(messages.map((message) => [message.id, message]))
  return inOrder([...unique.values()])
}

export function inOrder(messages: readonly InboxMessage[]): InboxMessage[] {
  return messages.toSorted((a, b) => a.priority - b.priority || a.inboxSeq - b.inboxSeq)
}
