/**
 * Seed 003's `inbox`, to be read by whatever polls it: a row for every recipient of a message that waits for it or was
 * shown to it, also of what was sent to everybody and is not taken up yet. Held, expired, cancelled and dead messages are
 * nothing to be processed and have none. What is not processed is found by indexes, so that a runner that asks for it
 * again and again never reads what was. What a message says without a payload stands as the text of one. Read-only here;
 * PostgreSQL's takes the seed's INSERT and UPDATE too.
 */
export const inbox = `
CREATE VIEW inbox AS
SELECT m.id || ':' || r.agent_id AS id, r.agent_id AS to_agent, m.from_id AS from_agent, m.type AS message_type,
  coalesce(m.subject, substr(m.content, 1, 80)) AS subject,
  coalesce(m.extras -> '$.payload', CASE WHEN m.content <> coalesce(m.subject, '') THEN json_object('text', m.content) END) AS payload,
  m.extras -> '$.context' AS context,
  CASE WHEN ${isTyped('m.ref')} THEN substr(m.ref, instr(m.ref, ':') + 1) ELSE m.ref END AS ref_id,
  CASE WHEN ${isTyped('m.ref')} THEN substr(m.ref, 1, instr(m.ref, ':') - 1) END AS ref_type,
  m.priority + 1 AS priority, r.processed, ${iso('r.processed_at')} AS processed_at,
  r.session_id AS processed_by_session, ${iso('m.created_at')} AS created_at
FROM (
  SELECT d.agent_id, d.message_seq, 0 AS processed, NULL AS processed_at, NULL AS session_id
  FROM deliveries d INDEXED BY deliveries_pending WHERE d.state = 'pending' AND (d.expires_at IS NULL OR d.expires_at > ${now()})
  UNION ALL
  SELECT d.agent_id, d.message_seq, 0, NULL, NULL FROM offers o INDEXED BY offers_open
    CROSS JOIN json_each(o.members) AS e CROSS JOIN deliveries d ON d.agent_id = o.agent_id AND d.inbox_seq = e.value
  WHERE o.closed_at IS NULL AND d.state = 'offered' AND d.offer_id = o.id
  UNION ALL
  SELECT d.agent_id, d.message_seq, 1, CASE WHEN d.state = 'acted' THEN d.acted_at ELSE o.closed_at END, o.session_id
  FROM deliveries d LEFT JOIN offers o ON o.id = d.offer_id
  WHERE d.state = 'acted' OR (d.state = 'offered' AND o.outcome = 'confirmed')
  UNION ALL
  SELECT a.id, b.seq, 0, NULL, NULL FROM agents a JOIN messages b ON b.broadcast_seq > a.broadcast_cursor
  WHERE a.kind <> 'service' AND a.removed_at IS NULL AND b.from_id <> a.id
    AND (b.expires_at IS NULL OR b.expires_at > ${now()})
) AS r JOIN messages m ON m.seq = r.message_seq;
`

/** Whether a reference says of what kind it is, in the words of the seed. */
function isTyped(ref: string): string {
  return ['task', 'phase', 'stage', 'project', 'agent'].map((type) => `${ref} GLOB '${type}:*'`).join(' OR ')
}

function iso(ms: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`
}

function now(): string {
  return `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
}
