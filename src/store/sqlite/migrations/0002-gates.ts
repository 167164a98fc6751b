/** Gates, decisions, and what a session must remember for them. */
export const gates = `
ALTER TABLE sessions ADD COLUMN project TEXT;
ALTER TABLE sessions ADD COLUMN idle_since INTEGER;
ALTER TABLE sessions ADD COLUMN continuations INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN continued_at INTEGER;
ALTER TABLE sessions ADD COLUMN stopped_at INTEGER;
ALTER TABLE sessions ADD COLUMN firings TEXT;

CREATE TABLE gates (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  mode TEXT NOT NULL,
  hook TEXT NOT NULL,
  tool TEXT,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  awaits TEXT,
  folder TEXT,
  machine TEXT,
  until_at INTEGER,
  on_unavailable TEXT NOT NULL,
  waiters TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER,
  remind_every_ms INTEGER,
  reminded_at INTEGER,
  escalate_to TEXT,
  escalate_at INTEGER,
  closed_at INTEGER,
  closed_by TEXT,
  closed_reason TEXT,
  next_at INTEGER
) WITHOUT ROWID;
CREATE INDEX gates_open ON gates (agent_id) WHERE state = 'open';
CREATE INDEX gates_awaits ON gates (awaits) WHERE state = 'open' AND awaits IS NOT NULL;
CREATE INDEX gates_next ON gates (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX gates_closed ON gates (closed_at) WHERE closed_at IS NOT NULL;

CREATE TABLE gate_steps (
  seq INTEGER PRIMARY KEY,
  gate_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  step TEXT NOT NULL,
  by_id TEXT NOT NULL,
  session_id TEXT,
  evidence TEXT NOT NULL
);
CREATE INDEX gate_steps_gate ON gate_steps (gate_id);

CREATE TABLE session_gates (
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  hook TEXT NOT NULL,
  mode TEXT NOT NULL,
  check_command TEXT,
  reason TEXT NOT NULL,
  machine TEXT NOT NULL,
  registered_by TEXT NOT NULL,
  registered_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, name)
) WITHOUT ROWID;

CREATE TABLE session_marks (
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  mark TEXT NOT NULL,
  at INTEGER NOT NULL,
  by_id TEXT NOT NULL,
  PRIMARY KEY (session_id, name, mark)
) WITHOUT ROWID;

CREATE TABLE decisions (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  gate_id TEXT NOT NULL,
  question TEXT NOT NULL,
  context TEXT,
  options TEXT NOT NULL,
  default_option TEXT,
  due_at INTEGER,
  allows_text INTEGER NOT NULL,
  asked TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  answer TEXT
) WITHOUT ROWID;
CREATE INDEX decisions_agent ON decisions (agent_id, created_at);
CREATE INDEX decisions_open ON decisions (created_at) WHERE state = 'open';
CREATE INDEX decisions_gate ON decisions (gate_id);
`
