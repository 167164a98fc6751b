import { framePartsOf, runningHash } from '../../../kit/node/running-hash.ts'
import type { LedgerShelf, NewEntry } from '../../contract/ledger.ts'
import type { Sql, SqlValue } from '../../sql.ts'
import { ENTRY_COLUMNS, readEntry } from './entries.ts'

type Adder = Pick<LedgerShelf, 'addEntry'>

export function createAdder(sql: Sql): Adder {
  return sql.engine === 'sqlite' ? createSqliteAdder(sql) : createPostgresAdder(sql)
}

/** `?1` is a topic, `?2` who writes to it, `?3` 1 where the signatures were looked at, and `?4` the transaction. */
const isOpen = ([topic, payer, isSigned, transaction]: readonly string[]) => `t.id = ${topic} AND t.network = 'local'
  AND t.deleted_at IS NULL AND (t.submit_key IS NULL OR ${isSigned} = 1
    OR '|' || replace(t.submit_key, 'account:', '') || '|' LIKE '%|' || ${payer} || '|%')
  AND NOT EXISTS (SELECT 1 FROM ledger_entries e WHERE e.transaction_id = ${transaction})`

function ofTopic({ topicId, payer, isSigned, transaction }: NewEntry): SqlValue[] {
  return [topicId, payer, isSigned ? 1 : 0, transaction]
}

function ofChunk({ chunk }: NewEntry): SqlValue[] {
  return [chunk?.transaction ?? null, chunk?.number ?? null, chunk?.total ?? null]
}

/** A writing transaction has the store to itself: the head is read, and moved afterwards. */
function createSqliteAdder(sql: Sql): Adder {
  return {
    async addEntry(entry) {
      const { topicId, payer, message, chunk, transaction, now } = entry
      const head = await sql.get(HEAD, ofTopic(entry))
      if (!head) return undefined
      const [last, previous, lastOfTopic, lastOfAll] = head
      const consensusAt = timeAfter(now, lastOfTopic, lastOfAll)
      const place = { topicId, sequence: last + 1, consensusAt, payer, message }
      const hash = runningHash(previous, place)
      const values = [topicId, place.sequence, consensusAt, payer, message, ...ofChunk(entry), hash, transaction]
      await sql.run(INSERT_ENTRY, values)
      await sql.run(MOVE_HEAD, [topicId, place.sequence, hash, consensusAt])
      return { ...place, chunk, runningHash: hash }
    },
  }
}

const HEAD = `SELECT t.sequence, t.running_hash, t.consensus_at, (SELECT max(consensus_at) FROM ledger_entries)
  FROM ledger_topics t WHERE ${isOpen(['?1', '?2', '?3', '?4'])}`
/** OR FAIL as in offers: whatever fails is taken back as a whole. */
const INSERT_ENTRY = `INSERT OR FAIL INTO ledger_entries (${ENTRY_COLUMNS}, transaction_id)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`
const MOVE_HEAD = `UPDATE OR FAIL ledger_topics SET sequence = ?2, running_hash = ?3, consensus_at = ?4 WHERE id = ?1`

function timeAfter(now: number, ...others: readonly (string | null)[]): string {
  const last = Math.max(...others.map((time) => (time === null ? 0 : microsecondsOf(time))))
  const time = Math.max(Math.floor(now) * 1000, last + 1)
  return `${Math.floor(time / 1e6)}.${String((time % 1e6) * 1000).padStart(9, '0')}`
}

function microsecondsOf(time: string): number {
  const point = time.indexOf('.')
  return Number(time.slice(0, point)) * 1e6 + Number(time.slice(point + 1, point + 7))
}

function createPostgresAdder(sql: Sql): Adder {
  return {
    async addEntry(entry) {
      const { head, middle, tail } = framePartsOf(entry)
      const row = await sql.get(ADD_ENTRY, [...ofTopic(entry), entry.message, ...ofChunk(entry), head, middle, tail])
      return row && readEntry(row)
    },
  }
}

/** Not before the topic's last time, nor in its microsecond. */
const SOONEST = '(greatest(ms, last / 1000) * 1000 + tick)'

/**
 * One statement, so that an entry needs no transaction around it. It waits for the topic and takes its time only then:
 * milliseconds of the server's clock, and a number that counts to a thousand for the microseconds, so that transactions
 * side by side never get the same time though none waits for another. It hashes as `runningHash` does.
 */
const ADD_ENTRY = `WITH held AS MATERIALIZED (
  SELECT t.id, t.sequence + 1 AS place, t.running_hash AS previous,
    coalesce(replace(t.consensus_at, '.', '')::bigint / 1000, 0) AS last
  FROM ledger_topics t WHERE ${isOpen(['?1::text', '?2::text', '?3::int', '?4::text'])} FOR UPDATE
), ticked AS MATERIALIZED (
  SELECT held.*, nextval('ledger_ticks') % 1000 AS tick, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms
  FROM held
), timed AS MATERIALIZED (
  SELECT id, place, previous, ${SOONEST} + CASE WHEN ${SOONEST} <= last THEN 1000 ELSE 0 END AS time FROM ticked
), entry AS MATERIALIZED (
  SELECT id, place, (time / 1000000)::text || '.' || lpad((time % 1000000 * 1000)::text, 9, '0') AS consensus_at,
    encode(sha384(decode(?9::text || previous || ?10::text, 'hex') || int8send(time / 1000000)
      || int4send((time % 1000000 * 1000)::int) || int8send(place) || decode(?11::text, 'hex')), 'hex') AS running_hash
  FROM timed
), head AS (
  UPDATE ledger_topics t SET sequence = e.place, running_hash = e.running_hash, consensus_at = e.consensus_at
  FROM entry e WHERE t.id = e.id
)
INSERT INTO ledger_entries (${ENTRY_COLUMNS}, transaction_id)
  SELECT id, place, consensus_at, ?2::text, ?5::text, ?6::text, ?7::int, ?8::int, running_hash, ?4::text FROM entry
  RETURNING ${ENTRY_COLUMNS}`
