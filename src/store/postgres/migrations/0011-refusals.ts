/** The same as SQLite's migration, which says why. */
export const refusals = `
CREATE FUNCTION note_gate_steps() RETURNS trigger LANGUAGE plpgsql AS $note$
BEGIN
  INSERT INTO events (at, type, subject, agent_id, detail) VALUES (NEW.at,
    CASE NEW.step WHEN 'refused' THEN 'gate.refused' ELSE 'decision.refused' END,
    CASE NEW.step WHEN 'refused' THEN NEW.gate_id
      ELSE coalesce((SELECT d.id FROM decisions d WHERE d.gate_id = NEW.gate_id), NEW.gate_id) END,
    (SELECT g.agent_id FROM gates g WHERE g.id = NEW.gate_id), NEW.evidence);
  RETURN NULL;
END $note$;
CREATE TRIGGER note_gate_refused AFTER INSERT ON gate_steps FOR EACH ROW
WHEN (NEW.step IN ('refused', 'answer-refused')) EXECUTE FUNCTION note_gate_steps();

CREATE INDEX sessions_pid ON sessions (pid) WHERE pid IS NOT NULL;
`
