import type { LedgerShelf } from '../../contract/ledger.ts'
import type { Sql } from '../../sql.ts'

type Bodies = Pick<LedgerShelf, 'putBody' | 'bodyOf'>

export function createBodies(sql: Sql): Bodies {
  return {
    async putBody({ sha256, text, createdAt }) {
      await sql.run(
        'INSERT INTO ledger_bodies (sha256, text, created_at) VALUES (?1, ?2, ?3) ON CONFLICT (sha256) DO NOTHING',
        [sha256, text, createdAt],
      )
    },

    async bodyOf({ sha256 }) {
      return (await sql.get('SELECT text FROM ledger_bodies WHERE sha256 = ?1', [sha256]))?.[0]
    },
  }
}
