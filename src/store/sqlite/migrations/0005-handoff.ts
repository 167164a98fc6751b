/** Who is being shown which files of a handoff, the projects in which one was set up, and of which thread a plan reminds. */
export const handoff = `
CREATE TABLE inheritances (
  id TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  root TEXT NOT NULL,
  agent_id TEXT,
  session_id TEXT,
  items TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  offered_at INTEGER NOT NULL,
  printed_at INTEGER,
  closed_at INTEGER,
  outcome TEXT
) WITHOUT ROWID;
CREATE INDEX inheritances_open ON inheritances (session_id) WHERE closed_at IS NULL;
CREATE INDEX inheritances_session ON inheritances (session_id);
CREATE INDEX inheritances_root ON inheritances (machine, root, closed_at) WHERE outcome = 'inherited';
CREATE INDEX inheritances_closed ON inheritances (closed_at) WHERE closed_at IS NOT NULL;

ALTER TABLE plans ADD COLUMN about TEXT;
CREATE INDEX plans_about ON plans (about) WHERE about IS NOT NULL;

CREATE TABLE handoff_roots (
  machine TEXT NOT NULL,
  root TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  added_by TEXT NOT NULL,
  PRIMARY KEY (machine, root)
) WITHOUT ROWID;
`
