/**
 * The ledger: topics with the last entry that is held of each, entries as any ledger has them (the bytes in base64,
 * hashes in hex), who is who there, connections with outsiders, and what is on its way to a ledger elsewhere.
 */
export const ledger = `
CREATE TABLE ledger_topics (
  id TEXT COLLATE "C" PRIMARY KEY,
  num BIGINT NOT NULL,
  network TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  entity TEXT COLLATE "C",
  memo TEXT NOT NULL,
  admin_key TEXT,
  submit_key TEXT,
  sequence BIGINT NOT NULL,
  running_hash TEXT NOT NULL,
  consensus_at TEXT,
  taken_in BIGINT NOT NULL,
  trouble TEXT,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
) WITH (fillfactor = 50);
CREATE INDEX ledger_topics_role ON ledger_topics (network, role);
CREATE INDEX ledger_topics_agent ON ledger_topics (network, agent_id, role) WHERE agent_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_topics_entity ON ledger_topics (network, entity) WHERE entity IS NOT NULL;

CREATE TABLE ledger_entries (
  topic_id TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  consensus_at TEXT COLLATE "C" NOT NULL,
  payer TEXT NOT NULL,
  message TEXT NOT NULL,
  chunk_transaction TEXT COLLATE "C",
  chunk_number INTEGER,
  chunk_total INTEGER,
  running_hash TEXT NOT NULL,
  transaction_id TEXT COLLATE "C",
  PRIMARY KEY (topic_id, sequence)
);
CREATE INDEX ledger_entries_time ON ledger_entries (consensus_at);
CREATE UNIQUE INDEX ledger_entries_transaction ON ledger_entries (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX ledger_entries_chunks ON ledger_entries (topic_id, chunk_transaction) WHERE chunk_transaction IS NOT NULL;
CREATE INDEX ledger_entries_parts ON ledger_entries (topic_id, consensus_at) WHERE chunk_total > 1;

CREATE TABLE ledger_identities (
  network TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  account TEXT NOT NULL,
  inbound_topic_id TEXT COLLATE "C" NOT NULL,
  outbound_topic_id TEXT COLLATE "C" NOT NULL,
  capabilities TEXT NOT NULL,
  model TEXT,
  bio TEXT,
  profile_topic_id TEXT,
  uaid TEXT,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (network, agent_id)
);

CREATE TABLE ledger_accounts (
  id TEXT COLLATE "C" PRIMARY KEY,
  memo TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE ledger_transactions (
  id TEXT COLLATE "C" PRIMARY KEY,
  topic_id TEXT,
  account TEXT,
  sequence BIGINT,
  running_hash TEXT,
  receipt TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX ledger_transactions_time ON ledger_transactions (created_at);

CREATE TABLE ledger_connections (
  id TEXT COLLATE "C" PRIMARY KEY,
  network TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  is_incoming INTEGER NOT NULL,
  peer_account TEXT NOT NULL,
  peer_inbound_topic_id TEXT NOT NULL,
  peer_outbound_topic_id TEXT,
  request_topic_id TEXT COLLATE "C" NOT NULL,
  request_id BIGINT,
  topic_id TEXT COLLATE "C",
  state TEXT NOT NULL,
  reason TEXT,
  created_at BIGINT NOT NULL,
  closed_at BIGINT
);
CREATE UNIQUE INDEX ledger_connections_request ON ledger_connections (network, request_topic_id, request_id) WHERE request_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_connections_topic ON ledger_connections (network, topic_id) WHERE topic_id IS NOT NULL;

CREATE TABLE ledger_bodies (
  sha256 TEXT COLLATE "C" PRIMARY KEY,
  text TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE ledger_parcels (
  id TEXT COLLATE "C" PRIMARY KEY,
  network TEXT COLLATE "C" NOT NULL,
  purpose TEXT NOT NULL,
  about TEXT COLLATE "C",
  lane TEXT COLLATE "C" NOT NULL,
  payer TEXT NOT NULL,
  steps TEXT NOT NULL,
  price BIGINT NOT NULL,
  message_id TEXT COLLATE "C",
  message TEXT,
  done INTEGER NOT NULL,
  made TEXT NOT NULL,
  sequence BIGINT,
  "transaction" TEXT,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  created_at BIGINT NOT NULL,
  done_at BIGINT,
  awaited_since BIGINT
);
CREATE INDEX ledger_parcels_due ON ledger_parcels (network, next_at) WHERE state = 'waiting';
CREATE INDEX ledger_parcels_lane ON ledger_parcels (lane, id) WHERE state = 'waiting';
CREATE INDEX ledger_parcels_refused ON ledger_parcels (lane, id) WHERE state = 'refused';
CREATE INDEX ledger_parcels_awaited ON ledger_parcels (network, awaited_since) WHERE awaited_since IS NOT NULL;
CREATE INDEX ledger_parcels_spent ON ledger_parcels (network, created_at, price, state, done);
CREATE INDEX ledger_parcels_done ON ledger_parcels (done_at) WHERE done_at IS NOT NULL;
CREATE UNIQUE INDEX ledger_parcels_message ON ledger_parcels (message_id) WHERE message_id IS NOT NULL;

INSERT INTO counters (name, value) VALUES ('ledger_number', 1000);
CREATE SEQUENCE ledger_ticks;
`
