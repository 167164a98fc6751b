/** Who is being shown which files of a handoff, the projects in which one was set up, and of which thread a plan reminds. */
export const handoff = `
CREATE TABLE inheritances (
  id TEXT COLLATE "C" PRIMARY KEY,
  machine TEXT COLLATE "C" NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  session_id TEXT COLLATE "C",
  items TEXT NOT NULL,
  tokens BIGINT NOT NULL,
  offered_at BIGINT NOT NULL,
  printed_at BIGINT,
  closed_at BIGINT,
  outcome TEXT
);
CREATE INDEX inheritances_open ON inheritances (session_id) WHERE closed_at IS NULL;
CREATE INDEX inheritances_session ON inheritances (session_id);
CREATE INDEX inheritances_root ON inheritances (machine, root, closed_at) WHERE outcome = 'inherited';
CREATE INDEX inheritances_closed ON inheritances (closed_at) WHERE closed_at IS NOT NULL;

ALTER TABLE plans ADD COLUMN about TEXT COLLATE "C";
CREATE INDEX plans_about ON plans (about) WHERE about IS NOT NULL;

CREATE TABLE handoff_roots (
  machine TEXT COLLATE "C" NOT NULL,
  root TEXT COLLATE "C" NOT NULL,
  added_at BIGINT NOT NULL,
  added_by TEXT NOT NULL,
  PRIMARY KEY (machine, root)
);
`
