import type { LedgerShelf } from '../../contract/ledger.ts'
import type { Sql } from '../../sql.ts'

type Transactions = Pick<LedgerShelf, 'putTransaction' | 'getTransaction' | 'reapTransactions'>

export function createTransactions(sql: Sql): Transactions {
  return {
    async putTransaction({ id, topicId, account, sequence, runningHash, receipt = null, createdAt }) {
      await sql.run(
        `INSERT INTO ledger_transactions (id, topic_id, account, sequence, running_hash, receipt, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
        [id, topicId, account, sequence, runningHash, receipt, createdAt],
      )
    },

    async getTransaction({ id }) {
      const row = await sql.get(
        'SELECT topic_id, account, sequence, running_hash, receipt, created_at FROM ledger_transactions WHERE id = ?1',
        [id],
      )
      if (!row) return undefined
      const [topicId, account, sequence, runningHash, receipt, createdAt] = row
      return { id, topicId, account, sequence, runningHash, receipt, createdAt }
    },

    reapTransactions: ({ before, limit }) =>
      sql.run(
        `DELETE FROM ledger_transactions WHERE id IN (
           SELECT id FROM ledger_transactions WHERE created_at < ?1 ORDER BY created_at LIMIT ?2 + 0)`,
        [before, limit],
      ),
  }
}
