/**
 * What the page for people needs: tokens that were got with another one and are good no longer than that, and deliveries
 * that their agent has put off until a time. What an offer knew of such a delivery is written into its history, where a
 * step without anybody's name repeats what was told when the offer ended: it is no event again.
 */
export const page = `
ALTER TABLE tokens ADD COLUMN parent_id TEXT COLLATE "C";
CREATE INDEX tokens_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL;

ALTER TABLE deliveries ADD COLUMN snoozed_until BIGINT;
CREATE INDEX deliveries_snoozed ON deliveries (agent_id, snoozed_until) WHERE snoozed_until IS NOT NULL;

DROP TRIGGER note_delivery_moved ON delivery_steps;
CREATE TRIGGER note_delivery_moved AFTER INSERT ON delivery_steps FOR EACH ROW
WHEN (NEW.step IN ('acted', 'held', 'expired', 'cancelled', 'dead', 'requeued') OR (NEW.step = 'seen' AND NEW.by_id IS NOT NULL))
EXECUTE FUNCTION note_delivery_steps();
`
