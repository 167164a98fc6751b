/**
 * What the page for people needs: tokens that were got with another one and are good no longer than that, and deliveries
 * that their agent has put off until a time.
 */
export const page = `
ALTER TABLE tokens ADD COLUMN parent_id TEXT COLLATE "C";
CREATE INDEX tokens_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL;

ALTER TABLE deliveries ADD COLUMN snoozed_until BIGINT;
CREATE INDEX deliveries_snoozed ON deliveries (agent_id, snoozed_until) WHERE snoozed_until IS NOT NULL;
`
