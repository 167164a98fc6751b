/**
 * An agent finds what of its own has expired without reading what others have. The reaper finds the gates that still wait
 * for a message.
 */
export const ownExpiry = `
CREATE INDEX deliveries_own_expiry ON deliveries (agent_id, expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX gates_awaited ON gates (awaits) WHERE awaits IS NOT NULL AND state IN ('open', 'breached');
`
