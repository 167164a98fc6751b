import type { ServiceRecord, ServiceShelf } from '../contract/services.ts'
import { locking, type Sql, type SqlRow, type SqlValue } from '../sql.ts'

export function createServiceShelf(sql: Sql): ServiceShelf {
  const lock = locking(sql, 'FOR UPDATE')
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (await sql.all(`SELECT ${COLUMNS.join(', ')} FROM services WHERE ${rest}`, params)).map(readRecord)

  return {
    async insert(record) {
      const values = COLUMNS.map((_, index) => `?${index + 1}`).join(', ')
      const inserted = await sql.run(
        `INSERT INTO services (${COLUMNS.join(', ')}) VALUES (${values}) ON CONFLICT DO NOTHING`,
        recordValues(record),
      )
      return inserted === 1
    },

    async get(id) {
      return (await select(`id = ?1 ${lock}`, [id]))[0]
    },

    ofAgent: ({ agent }) => select('agent_id = ?1 AND revoked_at IS NULL ORDER BY id', [agent]),

    list: ({ agent, revoked }) =>
      select(`(?1 = '' OR agent_id = ?1) AND (?2 = 1 OR revoked_at IS NULL) ORDER BY id DESC`, [
        agent ?? '',
        revoked ? 1 : 0,
      ]),

    async update(record) {
      const set = COLUMNS.map((column, index) => `${column} = ?${index + 1}`).join(', ')
      await sql.run(`UPDATE services SET ${set} WHERE id = ?1`, recordValues(record))
    },

    async heard({ id, at }) {
      await sql.run('UPDATE services SET last_event_at = ?2, events = events + 1 WHERE id = ?1', [id, at])
    },

    async isNamed(name) {
      return (await sql.get('SELECT 1 FROM services WHERE name = ?1 AND revoked_at IS NULL', [name])) !== undefined
    },
  }
}

const COLUMNS = [
  'id',
  'name',
  'agent_id',
  'created_by',
  'created_at',
  'rotated_at',
  'overlap_until_at',
  'revoked_at',
  'last_event_at',
  'events',
  'key_hash',
  'earlier_key_hash',
  'signing_secret',
  'earlier_signing_secret',
] as const

function recordValues(record: ServiceRecord): SqlValue[] {
  const { id, name, agent, createdBy, createdAt, rotatedAt, overlapUntilAt, revokedAt, lastEventAt, events } =
    record.service
  return [
    ...[id, name, agent, createdBy, createdAt, rotatedAt, overlapUntilAt, revokedAt, lastEventAt, events],
    ...[record.keyHash, record.earlierKeyHash, record.signingSecret, record.earlierSigningSecret],
  ]
}

function readRecord(row: SqlRow): ServiceRecord {
  const [id, name, agent, createdBy, createdAt, rotatedAt, overlapUntilAt, revokedAt, lastEventAt, events] = row
  const [keyHash, earlierKeyHash, signingSecret, earlierSigningSecret] = row.slice(10)
  const who = { id, name, agent, createdBy, createdAt }
  const service = { ...who, rotatedAt, overlapUntilAt, revokedAt, lastEventAt, events }
  return { service, keyHash, earlierKeyHash, signingSecret, earlierSigningSecret }
}
