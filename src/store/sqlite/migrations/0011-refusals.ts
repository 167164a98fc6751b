/**
 * A refused attempt to close a gate or to answer its question is a step of the gate, and an event. Sessions are found by
 * the process of their host.
 */
export const refusals = `
CREATE TRIGGER note_gate_refused AFTER INSERT ON gate_steps
WHEN NEW.step IN ('refused', 'answer-refused')
BEGIN
  INSERT INTO events (at, type, subject, agent_id, detail) VALUES (NEW.at,
    CASE NEW.step WHEN 'refused' THEN 'gate.refused' ELSE 'decision.refused' END,
    CASE NEW.step WHEN 'refused' THEN NEW.gate_id
      ELSE coalesce((SELECT id FROM decisions WHERE gate_id = NEW.gate_id), NEW.gate_id) END,
    (SELECT agent_id FROM gates WHERE id = NEW.gate_id), NEW.evidence);
END;

CREATE INDEX sessions_pid ON sessions (pid) WHERE pid IS NOT NULL;
`
