/** Gates, decisions, and what a session must remember for them. */
export const gates = `
ALTER TABLE sessions ADD COLUMN project TEXT;
ALTER TABLE sessions ADD COLUMN idle_since BIGINT;
ALTER TABLE sessions ADD COLUMN continuations BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN continued_at BIGINT;
ALTER TABLE sessions ADD COLUMN stopped_at BIGINT;
ALTER TABLE sessions ADD COLUMN firings TEXT;

CREATE TABLE gates (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  kind TEXT NOT NULL,
  mode TEXT NOT NULL,
  hook TEXT NOT NULL,
  tool TEXT,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  awaits TEXT COLLATE "C",
  folder TEXT,
  machine TEXT,
  until_at BIGINT,
  on_unavailable TEXT NOT NULL,
  waiters TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  due_at BIGINT,
  remind_every_ms BIGINT,
  reminded_at BIGINT,
  escalate_to TEXT,
  escalate_at BIGINT,
  closed_at BIGINT,
  closed_by TEXT,
  closed_reason TEXT,
  next_at BIGINT
);
CREATE INDEX gates_open ON gates (agent_id) WHERE state = 'open';
CREATE INDEX gates_awaits ON gates (awaits) WHERE state = 'open' AND awaits IS NOT NULL;
CREATE INDEX gates_next ON gates (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX gates_closed ON gates (closed_at) WHERE closed_at IS NOT NULL;

CREATE TABLE gate_steps (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  gate_id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  step TEXT NOT NULL,
  by_id TEXT NOT NULL,
  session_id TEXT COLLATE "C",
  evidence TEXT NOT NULL
);
CREATE INDEX gate_steps_gate ON gate_steps (gate_id);

CREATE TABLE session_gates (
  session_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  hook TEXT NOT NULL,
  mode TEXT NOT NULL,
  check_command TEXT,
  reason TEXT NOT NULL,
  machine TEXT NOT NULL,
  registered_by TEXT NOT NULL,
  registered_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, name)
);

CREATE TABLE session_marks (
  session_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  mark TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  by_id TEXT NOT NULL,
  PRIMARY KEY (session_id, name, mark)
);

CREATE TABLE decisions (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  gate_id TEXT COLLATE "C" NOT NULL,
  question TEXT NOT NULL,
  context TEXT,
  options TEXT NOT NULL,
  default_option TEXT,
  due_at BIGINT,
  allows_text BIGINT NOT NULL,
  asked TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  answer TEXT
);
CREATE INDEX decisions_agent ON decisions (agent_id, created_at);
CREATE INDEX decisions_open ON decisions (created_at) WHERE state = 'open';
CREATE INDEX decisions_gate ON decisions (gate_id);
`
