import type { LedgerConnection } from '../../../model/ledger/connection.ts'
import type { LedgerShelf } from '../../contract/ledger.ts'
import type { Sql, SqlRow, SqlValue } from '../../sql.ts'

type Connections = Pick<
  LedgerShelf,
  'putConnection' | 'getConnection' | 'connectionOn' | 'connectionOf' | 'connections'
>

export function createConnections(sql: Sql): Connections {
  const select = async (rest: string, params: readonly SqlValue[]) =>
    (await sql.all(`SELECT ${COLUMNS} FROM ledger_connections WHERE ${rest}`, params)).map(readConnection)

  return {
    async putConnection(connection) {
      await sql.run(PUT, connectionValues(connection))
    },

    async getConnection({ id }) {
      return (await select('id = ?1', [id]))[0]
    },

    async connectionOn({ network, topicId }) {
      return (await select('network = ?1 AND topic_id = ?2', [network, topicId]))[0]
    },

    async connectionOf({ network, inboundTopicId, requestId }) {
      return (
        await select('network = ?1 AND request_topic_id = ?2 AND request_id = ?3', [network, inboundTopicId, requestId])
      )[0]
    },

    connections: ({ network, agent }) =>
      select(`network = ?1 AND (?2 = '' OR agent_id = ?2) ORDER BY id`, [network, agent ?? '']),
  }
}

const COLUMNS = `id, network, agent_id, is_incoming, peer_account, peer_inbound_topic_id, peer_outbound_topic_id,
  request_topic_id, request_id, topic_id, state, reason, created_at, closed_at`

const PUT = `INSERT INTO ledger_connections (${COLUMNS})
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
  ON CONFLICT (id) DO UPDATE SET peer_account = excluded.peer_account,
    peer_inbound_topic_id = excluded.peer_inbound_topic_id, peer_outbound_topic_id = excluded.peer_outbound_topic_id,
    request_topic_id = excluded.request_topic_id, request_id = excluded.request_id, topic_id = excluded.topic_id,
    state = excluded.state, reason = excluded.reason, closed_at = coalesce(ledger_connections.closed_at, excluded.closed_at)`

function connectionValues(connection: LedgerConnection): SqlValue[] {
  const { id, network, agent, isIncoming, peerAccount, peerInboundTopicId, peerOutboundTopicId } = connection
  const { requestTopicId, requestId, topicId, state, reason, createdAt, closedAt } = connection
  return [
    ...[id, network, agent, isIncoming ? 1 : 0, peerAccount, peerInboundTopicId, peerOutboundTopicId],
    ...[requestTopicId, requestId, topicId, state, reason, createdAt, closedAt],
  ]
}

function readConnection(row: SqlRow): LedgerConnection {
  const [id, network, agent, isIncoming, peerAccount, peerInboundTopicId, peerOutboundTopicId] = row
  const [requestTopicId, requestId, topicId, state, reason, createdAt, closedAt] = row.slice(7)
  const who = { id, network, agent, isIncoming: isIncoming === 1, peerAccount, peerInboundTopicId, peerOutboundTopicId }
  return { ...who, requestTopicId, requestId, topicId, state, reason, createdAt, closedAt }
}
