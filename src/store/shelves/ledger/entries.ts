import type { LedgerEntry } from '../../../model/ledger/entry.ts'
import type { LedgerShelf } from '../../contract/ledger.ts'
import type { Sql, SqlRow, SqlValue } from '../../sql.ts'

type Entries = Pick<
  LedgerShelf,
  'append' | 'entriesAfter' | 'getEntry' | 'entryAt' | 'entryOf' | 'chunksOf' | 'chunkTransactions'
>

export function createEntries(sql: Sql): Entries {
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (await sql.all(`SELECT ${ENTRY_COLUMNS} FROM ledger_entries WHERE ${rest}`, params)).map(readEntry)

  return {
    async append({ topicId, entries }) {
      const last = entries.at(-1)
      if (!last) return
      await sql.run(APPEND[sql.engine], [JSON.stringify(entries.map(entryValues))])
      await sql.run(
        `UPDATE ledger_topics SET sequence = ?2, running_hash = ?3, consensus_at = ?4 WHERE id = ?1 AND sequence < ?2`,
        [topicId, last.sequence, last.runningHash, last.consensusAt],
      )
    },

    entriesAfter: ({ topicId, after, limit }) =>
      select('topic_id = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3 + 0', [topicId, after, limit]),

    async getEntry({ topicId, sequence }) {
      return (await select('topic_id = ?1 AND sequence = ?2', [topicId, sequence]))[0]
    },

    async entryAt({ consensusAt }) {
      return (await select('consensus_at = ?1 LIMIT 1', [consensusAt]))[0]
    },

    async entryOf({ transaction }) {
      return (await select('transaction_id = ?1', [transaction]))[0]
    },

    chunksOf: ({ topicId, transaction }) =>
      select('topic_id = ?1 AND chunk_transaction = ?2 ORDER BY chunk_number, sequence', [topicId, transaction]),

    async chunkTransactions({ topicId, after, upTo, limit }) {
      const rows = await sql.all(CHUNK_TRANSACTIONS, [topicId, after, upTo, limit])
      return rows.map(([transaction]) => transaction)
    },
  }
}

const CHUNK_TRANSACTIONS = `SELECT chunk_transaction FROM ledger_entries
  WHERE topic_id = ?1 AND chunk_total > 1 AND consensus_at > ?2 AND consensus_at <= ?3
  GROUP BY chunk_transaction ORDER BY min(sequence) LIMIT ?4 + 0`

export const ENTRY_COLUMNS = `topic_id, sequence, consensus_at, payer, message, chunk_transaction, chunk_number,
  chunk_total, running_hash`

const TYPES = ['text', 'bigint', 'text', 'text', 'text', 'text', 'int', 'int', 'text']

const APPEND = {
  sqlite: `INSERT INTO ledger_entries (${ENTRY_COLUMNS})
    SELECT ${TYPES.map((_, at) => `json_extract(value, '$[${at}]')`).join(', ')} FROM json_each(?1) WHERE true
    ON CONFLICT (topic_id, sequence) DO NOTHING`,
  postgres: `INSERT INTO ledger_entries (${ENTRY_COLUMNS})
    SELECT ${TYPES.map((type, at) => `(each.value ->> ${at})::${type}`).join(', ')}
    FROM json_array_elements(CAST(?1 AS json)) AS each(value)
    ON CONFLICT (topic_id, sequence) DO NOTHING`,
}

function entryValues({ topicId, sequence, consensusAt, payer, message, chunk, runningHash }: LedgerEntry): SqlValue[] {
  const { transaction = null, number = null, total = null } = chunk ?? {}
  return [topicId, sequence, consensusAt, payer, message, transaction, number, total, runningHash]
}

export function readEntry(row: SqlRow): LedgerEntry {
  const [topicId, sequence, consensusAt, payer, message, transaction, number, total, runningHash] = row
  const chunk = transaction === null ? null : { transaction, number, total }
  return { topicId, sequence, consensusAt, payer, message, chunk, runningHash }
}
