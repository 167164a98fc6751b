/** The same as SQLite's migration, which says why. */
export const ownExpiry = `
CREATE INDEX deliveries_own_expiry ON deliveries (agent_id, expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX gates_awaited ON gates (awaits) WHERE awaits IS NOT NULL AND state IN ('open', 'breached');
`
