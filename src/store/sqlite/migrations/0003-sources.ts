/** What wakes agents from outside: spaces, plans, services; and the tokens of whoever comes over the network. */
export const sources = `
CREATE TABLE spaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  closed_at INTEGER,
  post_seq INTEGER NOT NULL DEFAULT 0,
  last_post_at INTEGER
) WITHOUT ROWID;

CREATE TABLE space_members (
  space_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  joined_at INTEGER NOT NULL,
  PRIMARY KEY (space_id, agent_id)
) WITHOUT ROWID;
CREATE INDEX space_members_agent ON space_members (agent_id);

CREATE TABLE space_posts (
  space_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  from_id TEXT NOT NULL,
  from_as TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  content TEXT NOT NULL,
  priority INTEGER NOT NULL,
  reply_to TEXT,
  dedup_key TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (space_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX space_posts_message ON space_posts (message_id);
CREATE UNIQUE INDEX space_posts_key ON space_posts (space_id, from_id, dedup_key) WHERE dedup_key IS NOT NULL;

CREATE TABLE active_spaces (
  agent_id TEXT PRIMARY KEY,
  space_id TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE plans (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  name TEXT NOT NULL,
  instruction TEXT NOT NULL,
  priority INTEGER NOT NULL,
  cron TEXT,
  zone TEXT NOT NULL,
  missed TEXT NOT NULL,
  gate_id TEXT,
  next_run_at INTEGER,
  paused_at INTEGER,
  last_run_at INTEGER,
  runs INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX plans_name ON plans (agent_id, name);
CREATE INDEX plans_next ON plans (next_run_at) WHERE next_run_at IS NOT NULL AND paused_at IS NULL;

CREATE TABLE services (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  earlier_key_hash TEXT,
  signing_secret TEXT NOT NULL,
  earlier_signing_secret TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  rotated_at INTEGER,
  overlap_until_at INTEGER,
  revoked_at INTEGER,
  last_event_at INTEGER,
  events INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX services_name ON services (agent_id, name) WHERE revoked_at IS NULL;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  scope TEXT NOT NULL,
  label TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);

CREATE TABLE replies (
  caller TEXT NOT NULL,
  request_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  status INTEGER,
  body TEXT,
  PRIMARY KEY (caller, request_key)
) WITHOUT ROWID;
CREATE INDEX replies_begun ON replies (begun_at);
`
