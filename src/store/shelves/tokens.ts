import type { Token } from '../../model/network/token.ts'
import type { TokenShelf } from '../contract/tokens.ts'
import type { Sql, SqlRow } from '../sql.ts'

export function createTokenShelf(sql: Sql): TokenShelf {
  return {
    async insert({ token, hash }) {
      const { id, scope, label, createdBy, createdAt, expiresAt, revokedAt, parentId } = token
      await sql.run(
        `INSERT INTO tokens (${COLUMNS}, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (hash) DO NOTHING`,
        [id, scope, label, createdBy, createdAt, expiresAt, revokedAt, parentId, hash],
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
      const rows = await sql.all(
        'UPDATE tokens SET revoked_at = ?2 WHERE (id = ?1 OR parent_id = ?1) AND revoked_at IS NULL RETURNING id',
        [id, at],
      )
      return rows.map(([revoked]) => revoked)
    },

    async prune({ scope, now, most }) {
      await sql.run(
        `DELETE FROM tokens WHERE ${GOT} AND (revoked_at IS NOT NULL OR expires_at <= ?2
           OR id NOT IN (SELECT id FROM tokens WHERE ${GOT} AND revoked_at IS NULL ORDER BY id DESC LIMIT ?3 + 0))`,
        [scope, now, most],
      )
    },
  }
}

const COLUMNS = 'id, scope, label, created_by, created_at, expires_at, revoked_at, parent_id'

/** Those of a scope that were got with others. */
const GOT = 'scope = ?1 AND parent_id IS NOT NULL'

function readToken([id, scope, label, createdBy, createdAt, expiresAt, revokedAt, parentId]: SqlRow): Token {
  return { id, scope, label, createdBy, createdAt, expiresAt, revokedAt, parentId }
}
