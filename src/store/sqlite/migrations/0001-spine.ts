/** Agents, messages, deliveries, offers, sessions: the spine. */
export const spine = `
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  display_name TEXT NOT NULL,
  id_skeleton TEXT NOT NULL,
  name_skeleton TEXT NOT NULL,
  is_owner INTEGER NOT NULL,
  inbox_seq INTEGER NOT NULL DEFAULT 0,
  broadcast_from INTEGER NOT NULL,
  broadcast_cursor INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  removed_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX agents_id_skeleton ON agents (id_skeleton);
CREATE INDEX agents_name_skeleton ON agents (name_skeleton);

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('broadcast', 0), ('search', 0);

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  from_id TEXT NOT NULL,
  from_as TEXT NOT NULL,
  addressed TEXT NOT NULL,
  subject TEXT,
  content TEXT NOT NULL,
  extras TEXT,
  priority INTEGER NOT NULL,
  ref TEXT,
  reply_to TEXT,
  thread_id TEXT,
  hops INTEGER NOT NULL,
  dedup_key TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  broadcast_seq INTEGER
);
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE INDEX messages_thread ON messages (thread_id) WHERE thread_id IS NOT NULL;
CREATE UNIQUE INDEX messages_broadcast ON messages (broadcast_seq) WHERE broadcast_seq IS NOT NULL;
CREATE UNIQUE INDEX messages_broadcast_key ON messages (dedup_key) WHERE broadcast_seq IS NOT NULL AND dedup_key IS NOT NULL;

CREATE TABLE deliveries (
  agent_id TEXT NOT NULL,
  inbox_seq INTEGER NOT NULL,
  message_seq INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  dedup_key TEXT,
  expires_at INTEGER,
  offer_id TEXT,
  acted_at INTEGER,
  moved_at INTEGER,
  PRIMARY KEY (agent_id, inbox_seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX deliveries_message ON deliveries (message_seq, agent_id);
CREATE INDEX deliveries_pending ON deliveries (agent_id, priority, inbox_seq, expires_at) WHERE state = 'pending';
CREATE INDEX deliveries_aside ON deliveries (state, agent_id, inbox_seq) WHERE state IN ('held', 'dead');
CREATE INDEX deliveries_expiry ON deliveries (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX deliveries_key ON deliveries (agent_id, dedup_key) WHERE dedup_key IS NOT NULL;

CREATE TABLE delivery_steps (
  seq INTEGER PRIMARY KEY,
  message_seq INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  step TEXT NOT NULL,
  attempt INTEGER,
  by_id TEXT,
  session_id TEXT,
  evidence TEXT NOT NULL
);
CREATE INDEX delivery_steps_message ON delivery_steps (message_seq);

CREATE TABLE offers (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  session_id TEXT,
  via TEXT NOT NULL,
  offered_at INTEGER NOT NULL,
  printed_at INTEGER,
  closed_at INTEGER,
  outcome TEXT,
  evidence TEXT,
  expires_at INTEGER NOT NULL,
  size INTEGER NOT NULL,
  members TEXT NOT NULL,
  headlines TEXT
) WITHOUT ROWID;
CREATE INDEX offers_open ON offers (agent_id, expires_at) WHERE closed_at IS NULL;
CREATE INDEX offers_session ON offers (session_id) WHERE closed_at IS NULL AND session_id IS NOT NULL;
CREATE INDEX offers_given_back ON offers (closed_at) WHERE outcome IN ('released', 'lapsed');

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  host TEXT NOT NULL,
  machine TEXT NOT NULL,
  pid INTEGER,
  pid_started_at INTEGER,
  started_at INTEGER NOT NULL,
  last_event_at INTEGER NOT NULL,
  ended_at INTEGER
) WITHOUT ROWID;
CREATE INDEX sessions_open ON sessions (agent_id) WHERE ended_at IS NULL;

CREATE TABLE budgets (
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  tokens REAL NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (from_id, to_id)
) WITHOUT ROWID;

CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  ran_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE VIRTUAL TABLE message_search USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0"
);
`
