/**
 * Agents, messages, deliveries, offers, sessions: the spine, with the columns and indexes of SQLite's.
 *
 * Keys are collated by their bytes, as SQLite's are, so that both engines have one order. `messages.tx` is the
 * transaction that stored the row: readers that follow all messages go by it, because sequence numbers may become
 * visible out of order. Agents keep room in their pages, because every push counts one of them up.
 */
export const spine = `
CREATE TABLE agents (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind TEXT NOT NULL,
  display_name TEXT NOT NULL,
  id_skeleton TEXT COLLATE "C" NOT NULL,
  name_skeleton TEXT COLLATE "C" NOT NULL,
  is_owner INTEGER NOT NULL,
  inbox_seq BIGINT NOT NULL DEFAULT 0,
  broadcast_from BIGINT NOT NULL,
  broadcast_cursor BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  removed_at BIGINT
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX agents_id_skeleton ON agents (id_skeleton);
CREATE INDEX agents_name_skeleton ON agents (name_skeleton);

CREATE TABLE counters (
  name TEXT COLLATE "C" PRIMARY KEY,
  value BIGINT NOT NULL
) WITH (fillfactor = 50);
INSERT INTO counters (name, value) VALUES ('broadcast', 0), ('search', 0), ('search_next', 0), ('search_until', 0);

CREATE TABLE messages (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  type TEXT NOT NULL,
  from_id TEXT COLLATE "C" NOT NULL,
  from_as TEXT NOT NULL,
  addressed TEXT NOT NULL,
  subject TEXT,
  content TEXT NOT NULL,
  extras TEXT,
  priority INTEGER NOT NULL,
  ref TEXT,
  reply_to TEXT COLLATE "C",
  thread_id TEXT COLLATE "C",
  hops INTEGER NOT NULL,
  dedup_key TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  broadcast_seq BIGINT,
  tx XID8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE INDEX messages_thread ON messages (thread_id) WHERE thread_id IS NOT NULL;
CREATE UNIQUE INDEX messages_broadcast ON messages (broadcast_seq) WHERE broadcast_seq IS NOT NULL;
CREATE UNIQUE INDEX messages_broadcast_key ON messages (dedup_key) WHERE broadcast_seq IS NOT NULL AND dedup_key IS NOT NULL;

CREATE TABLE deliveries (
  agent_id TEXT COLLATE "C" NOT NULL,
  inbox_seq BIGINT NOT NULL,
  message_seq BIGINT NOT NULL,
  priority INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  dedup_key TEXT COLLATE "C",
  expires_at BIGINT,
  offer_id TEXT COLLATE "C",
  acted_at BIGINT,
  moved_at BIGINT,
  PRIMARY KEY (agent_id, inbox_seq)
);
CREATE UNIQUE INDEX deliveries_message ON deliveries (message_seq, agent_id);
CREATE INDEX deliveries_pending ON deliveries (agent_id, priority, inbox_seq, expires_at) WHERE state = 'pending';
CREATE INDEX deliveries_aside ON deliveries (state, agent_id, inbox_seq) WHERE state IN ('held', 'dead');
CREATE INDEX deliveries_expiry ON deliveries (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX deliveries_key ON deliveries (agent_id, dedup_key) WHERE dedup_key IS NOT NULL;

CREATE TABLE delivery_steps (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_seq BIGINT NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  step TEXT NOT NULL,
  attempt INTEGER,
  by_id TEXT,
  session_id TEXT,
  evidence TEXT NOT NULL
);
CREATE INDEX delivery_steps_message ON delivery_steps (message_seq);

CREATE TABLE offers (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C",
  via TEXT NOT NULL,
  offered_at BIGINT NOT NULL,
  printed_at BIGINT,
  closed_at BIGINT,
  outcome TEXT,
  evidence TEXT,
  expires_at BIGINT NOT NULL,
  size INTEGER NOT NULL,
  members TEXT NOT NULL,
  headlines TEXT
);
CREATE INDEX offers_open ON offers (agent_id, expires_at) WHERE closed_at IS NULL;
CREATE INDEX offers_session ON offers (session_id) WHERE closed_at IS NULL AND session_id IS NOT NULL;
CREATE INDEX offers_given_back ON offers (closed_at) WHERE outcome IN ('released', 'lapsed');

CREATE TABLE sessions (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  host TEXT NOT NULL,
  machine TEXT NOT NULL,
  pid BIGINT,
  pid_started_at BIGINT,
  started_at BIGINT NOT NULL,
  last_event_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX sessions_open ON sessions (agent_id) WHERE ended_at IS NULL;

CREATE TABLE budgets (
  from_id TEXT COLLATE "C" NOT NULL,
  to_id TEXT COLLATE "C" NOT NULL,
  tokens DOUBLE PRECISION NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (from_id, to_id)
);

CREATE TABLE jobs (
  name TEXT COLLATE "C" PRIMARY KEY,
  ran_at BIGINT NOT NULL
);

CREATE TABLE message_search (
  message_seq BIGINT PRIMARY KEY,
  words TSVECTOR NOT NULL
);
CREATE INDEX message_search_words ON message_search USING GIN (words);
`
