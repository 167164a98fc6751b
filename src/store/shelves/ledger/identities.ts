import type { LedgerIdentity } from '../../../model/ledger/identity.ts'
import type { LedgerShelf } from '../../contract/ledger.ts'
import type { Sql, SqlRow, SqlValue } from '../../sql.ts'

type Identities = Pick<LedgerShelf, 'putIdentity' | 'identityOf' | 'identities' | 'putAccount' | 'getAccount'>

export function createIdentities(sql: Sql): Identities {
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (await sql.all(`SELECT ${COLUMNS} FROM ledger_identities WHERE ${rest}`, params)).map(readIdentity)

  return {
    async putIdentity(identity) {
      const { network, agent, account, inboundTopicId, outboundTopicId, capabilities } = identity
      const { model, bio, profileTopicId, uaid, updatedAt } = identity
      await sql.run(PUT_IDENTITY, [
        ...[network, agent, account, inboundTopicId, outboundTopicId, JSON.stringify(capabilities)],
        ...[model, bio, profileTopicId, uaid, updatedAt],
      ])
    },

    async identityOf({ network, agent }) {
      return (await select('network = ?1 AND agent_id = ?2', [network, agent]))[0]
    },

    identities: ({ network }) => select('network = ?1 ORDER BY agent_id', [network]),

    async putAccount({ id, memo, key, createdAt }) {
      await sql.run(
        `INSERT INTO ledger_accounts (id, memo, key, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (id) DO UPDATE SET memo = excluded.memo, key = excluded.key`,
        [id, memo, key, createdAt],
      )
    },

    async getAccount({ id }) {
      const row = await sql.get('SELECT memo, key, created_at FROM ledger_accounts WHERE id = ?1', [id])
      return row && { id, memo: row[0], key: row[1], createdAt: row[2] }
    },
  }
}

const COLUMNS = `network, agent_id, account, inbound_topic_id, outbound_topic_id, capabilities, model, bio,
  profile_topic_id, uaid, updated_at`

const PUT_IDENTITY = `INSERT INTO ledger_identities (${COLUMNS})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
  ON CONFLICT (network, agent_id) DO UPDATE SET account = excluded.account,
    inbound_topic_id = excluded.inbound_topic_id, outbound_topic_id = excluded.outbound_topic_id,
    capabilities = excluded.capabilities, model = excluded.model, bio = excluded.bio,
    profile_topic_id = excluded.profile_topic_id, uaid = excluded.uaid, updated_at = excluded.updated_at`

function readIdentity(row: SqlRow): LedgerIdentity {
  const [network, agent, account, inboundTopicId, outboundTopicId, capabilities] = row
  const [model, bio, profileTopicId, uaid, updatedAt] = row.slice(6)
  const who = { network, agent, account, inboundTopicId, outboundTopicId, capabilities: JSON.parse(capabilities) }
  return { ...who, model, bio, profileTopicId, uaid, updatedAt }
}
