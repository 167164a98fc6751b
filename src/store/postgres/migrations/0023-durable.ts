const TABLES =
  `active_spaces agents budgets counters decisions deliveries delivery_steps event_floor events gate_steps gates handoff_roots
  inheritances jobs ledger_accounts ledger_bodies ledger_connections ledger_entries ledger_identities ledger_parcels ledger_topics
  ledger_transactions message_search messages offers plans relays replies services session_gates session_marks sessions space_members
  space_posts spaces store_identity tokens`.split(/\s+/)

/**
 * Every transaction that writes waits for the disk at its commit, whatever its connection is set to. Behind a pooler
 * the next
 * statement may run on a connection that was never ours. The setting ends with the transaction. It also covers a
 * single-statement transaction, which could only be prefixed at the cost of a round trip. The condition is cheap, and
 * false
 * on our own connections.
 */
export const durable = `
CREATE FUNCTION make_durable() RETURNS trigger LANGUAGE plpgsql AS $durable$
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  RETURN NULL;
END $durable$;
${TABLES.map(
  (table) => `CREATE TRIGGER durable_${table} BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT
  WHEN (current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')) EXECUTE FUNCTION make_durable();`,
).join('\n')}
`
