/**
 * The ledger: topics with the last entry that is held of each, entries as any ledger has them (the bytes in base64,
 * hashes in hex), who is who there, connections with outsiders, and what is on its way to a ledger elsewhere.
 */
export const ledger = `
CREATE TABLE ledger_topics (
  id TEXT PRIMARY KEY,
  num INTEGER NOT NULL,
  network TEXT NOT NULL,
  role TEXT NOT NULL,
  agent_id TEXT,
  entity TEXT,
  memo TEXT NOT NULL,
  admin_key TEXT,
  submit_key TEXT,
  sequence INTEGER NOT NULL,
  running_hash TEXT NOT NULL,
  consensus_at TEXT,
  taken_in INTEGER NOT NULL,
  trouble TEXT,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) WITHOUT ROWID;
CREATE INDEX ledger_topics_role ON ledger_topics (network, role);
CREATE INDEX ledger_topics_agent ON ledger_topics (network, agent_id, role) WHERE agent_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_topics_entity ON ledger_topics (network, entity) WHERE entity IS NOT NULL;

CREATE TABLE ledger_entries (
  topic_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  consensus_at TEXT NOT NULL,
  payer TEXT NOT NULL,
  message TEXT NOT NULL,
  chunk_transaction TEXT,
  chunk_number INTEGER,
  chunk_total INTEGER,
  running_hash TEXT NOT NULL,
  transaction_id TEXT,
  PRIMARY KEY (topic_id, sequence)
) WITHOUT ROWID;
CREATE INDEX ledger_entries_time ON ledger_entries (consensus_at);
CREATE UNIQUE INDEX ledger_entries_transaction ON ledger_entries (transaction_id) WHERE transaction_id IS NOT NULL;
CREATE INDEX ledger_entries_chunks ON ledger_entries (topic_id, chunk_transaction) WHERE chunk_transaction IS NOT NULL;
CREATE INDEX ledger_entries_parts ON ledger_entries (topic_id, consensus_at) WHERE chunk_total > 1;

CREATE TABLE ledger_identities (
  network TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  account TEXT NOT NULL,
  inbound_topic_id TEXT NOT NULL,
  outbound_topic_id TEXT NOT NULL,
  capabilities TEXT NOT NULL,
  model TEXT,
  bio TEXT,
  profile_topic_id TEXT,
  uaid TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (network, agent_id)
) WITHOUT ROWID;

CREATE TABLE ledger_accounts (
  id TEXT PRIMARY KEY,
  memo TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE ledger_transactions (
  id TEXT PRIMARY KEY,
  topic_id TEXT,
  account TEXT,
  sequence INTEGER,
  running_hash TEXT,
  receipt TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX ledger_transactions_time ON ledger_transactions (created_at);

CREATE TABLE ledger_connections (
  id TEXT PRIMARY KEY,
  network TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  is_incoming INTEGER NOT NULL,
  peer_account TEXT NOT NULL,
  peer_inbound_topic_id TEXT NOT NULL,
  peer_outbound_topic_id TEXT,
  request_topic_id TEXT NOT NULL,
  request_id INTEGER,
  topic_id TEXT,
  state TEXT NOT NULL,
  reason TEXT,
  created_at INTEGER NOT NULL,
  closed_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX ledger_connections_request ON ledger_connections (network, request_topic_id, request_id) WHERE request_id IS NOT NULL;
CREATE UNIQUE INDEX ledger_connections_topic ON ledger_connections (network, topic_id) WHERE topic_id IS NOT NULL;

CREATE TABLE ledger_bodies (
  sha256 TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE ledger_parcels (
  id TEXT PRIMARY KEY,
  network TEXT NOT NULL,
  purpose TEXT NOT NULL,
  about TEXT,
  lane TEXT NOT NULL,
  payer TEXT NOT NULL,
  steps TEXT NOT NULL,
  price INTEGER NOT NULL,
  message_id TEXT,
  message TEXT,
  done INTEGER NOT NULL,
  made TEXT NOT NULL,
  sequence INTEGER,
  "transaction" TEXT,
  attempts INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  error TEXT,
  created_at INTEGER NOT NULL,
  done_at INTEGER,
  awaited_since INTEGER
) WITHOUT ROWID;
CREATE INDEX ledger_parcels_due ON ledger_parcels (network, next_at) WHERE state = 'waiting';
CREATE INDEX ledger_parcels_lane ON ledger_parcels (lane, id) WHERE state = 'waiting';
CREATE INDEX ledger_parcels_refused ON ledger_parcels (lane, id) WHERE state = 'refused';
CREATE INDEX ledger_parcels_awaited ON ledger_parcels (network, awaited_since) WHERE awaited_since IS NOT NULL;
CREATE INDEX ledger_parcels_spent ON ledger_parcels (network, created_at, price, state, done);
CREATE INDEX ledger_parcels_done ON ledger_parcels (done_at) WHERE done_at IS NOT NULL;
CREATE UNIQUE INDEX ledger_parcels_message ON ledger_parcels (message_id) WHERE message_id IS NOT NULL;

INSERT INTO counters (name, value) VALUES ('ledger_number', 1000);
`
