/**
 * Who set a gate, took a step at it, registered one for a session or asked a question is kept with the trust of that
 * moment, such as `ai/verified/http`. Rows from before have none.
 */
export const trust = `
ALTER TABLE gates ADD COLUMN created_as TEXT;
ALTER TABLE gate_steps ADD COLUMN by_as TEXT;
ALTER TABLE session_gates ADD COLUMN registered_as TEXT;
ALTER TABLE decisions ADD COLUMN created_by TEXT;
ALTER TABLE decisions ADD COLUMN created_as TEXT;
UPDATE decisions SET created_by = (SELECT g.created_by FROM gates g WHERE g.id = decisions.gate_id);
`
