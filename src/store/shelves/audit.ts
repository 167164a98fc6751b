import { DELIVERY_STATES } from '../../model/delivery.ts'
import type { Sql } from '../sql.ts'

/** What is wrong with a store's contents, in words; empty when conservation holds. */
export async function findViolations(sql: Sql, limit: number): Promise<readonly string[]> {
  const found: string[] = []
  for (const { text, query } of VIOLATIONS) {
    const rows = await sql.all(`${query} LIMIT ${limit}`)
    found.push(...rows.map((row) => text.replace(/\{(\d)\}/g, (_, at: string) => String(row[Number(at)]))))
  }
  return found.slice(0, limit)
}

const KNOWN = DELIVERY_STATES.map((state) => `'${state}'`).join(', ')

/** Conservation: for every message there is one row a recipient, each in one of the eight states. */
const VIOLATIONS = [
  {
    text: 'message {0} is addressed to {1} agents but has {2} deliveries',
    query: `SELECT m.id, length(m.addressed) - length(replace(m.addressed, ',', '')) + 1 AS named,
      (SELECT count(*) FROM deliveries d WHERE d.message_seq = m.seq) AS kept FROM messages m
      WHERE m.addressed <> 'all' AND m.addressed NOT LIKE 'space:%'
        AND length(m.addressed) - length(replace(m.addressed, ',', '')) + 1
          <> (SELECT count(*) FROM deliveries d WHERE d.message_seq = m.seq)`,
  },
  {
    text: 'the delivery of message row {1} to {0} has no message',
    query: `SELECT d.agent_id, d.message_seq FROM deliveries d
      WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.seq = d.message_seq)`,
  },
  {
    text: 'the delivery {1} of {0} is in no known state ({2})',
    query: `SELECT d.agent_id, d.inbox_seq, d.state FROM deliveries d WHERE d.state NOT IN (${KNOWN})`,
  },
  {
    text: 'the delivery {1} of {0} is offered by an offer that is not there or was given back',
    query: `SELECT d.agent_id, d.inbox_seq FROM deliveries d LEFT JOIN offers o ON o.id = d.offer_id
      WHERE d.state = 'offered' AND (o.id IS NULL OR (o.closed_at IS NOT NULL AND o.outcome <> 'confirmed'))`,
  },
  {
    text: 'the inbox of {0} counts up to {1} but holds number {2}',
    query: `SELECT a.id, a.inbox_seq, (SELECT max(d.inbox_seq) FROM deliveries d WHERE d.agent_id = a.id) FROM agents a
      WHERE a.inbox_seq < (SELECT max(d.inbox_seq) FROM deliveries d WHERE d.agent_id = a.id)`,
  },
  {
    text: 'agent {0} has taken up broadcasts to {1} but lacks {2}',
    query: `SELECT a.id, a.broadcast_cursor, m.id FROM messages m JOIN agents a
      ON a.kind <> 'service' AND a.removed_at IS NULL AND a.id <> m.from_id AND a.broadcast_from < m.broadcast_seq
        AND a.broadcast_cursor >= m.broadcast_seq
      WHERE m.broadcast_seq IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.message_seq = m.seq AND d.agent_id = a.id)`,
  },
] as const
