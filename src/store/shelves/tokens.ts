import type { Token } from '../../model/network/token.ts'
import type { TokenShelf } from '../source-shelves.ts'
import type { Sql, SqlRow } from '../sql.ts'

export function createTokenShelf(sql: Sql): TokenShelf {
  return {
    async insert({ token, hash }) {
      const { id, scope, label, createdBy, createdAt, expiresAt, revokedAt } = token
      await sql.run(
        `INSERT INTO tokens (${COLUMNS}, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (hash) DO NOTHING`,
        [id, scope, label, createdBy, createdAt, expiresAt, revokedAt, hash],
      )
    },

    async get(id) {
      const row = await sql.get(`SELECT ${COLUMNS} FROM tokens WHERE id = ?1`, [id])
      return row && readToken(row)
    },

    async withHash(hash) {
      const row = await sql.get(`SELECT ${COLUMNS} FROM tokens WHERE hash = ?1`, [hash])
      return row && readToken(row)
    },

    async list({ revoked }) {
      const rows = await sql.all(`SELECT ${COLUMNS} FROM tokens WHERE ?1 = 1 OR revoked_at IS NULL ORDER BY id DESC`, [
        revoked ? 1 : 0,
      ])
      return rows.map(readToken)
    },

    async revoke({ id, at }) {
      return (await sql.run('UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL', [id, at])) > 0
    },
  }
}

const COLUMNS = 'id, scope, label, created_by, created_at, expires_at, revoked_at'

function readToken([id, scope, label, createdBy, createdAt, expiresAt, revokedAt]: SqlRow): Token {
  return { id, scope, label, createdBy, createdAt, expiresAt, revokedAt }
}
