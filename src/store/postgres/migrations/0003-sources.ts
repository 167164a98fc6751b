/** What wakes agents from outside: spaces, plans, services; and the tokens of whoever comes over the network. */
export const sources = `
CREATE TABLE spaces (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  closed_at BIGINT,
  post_seq BIGINT NOT NULL DEFAULT 0,
  last_post_at BIGINT
);

CREATE TABLE space_members (
  space_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  joined_at BIGINT NOT NULL,
  PRIMARY KEY (space_id, agent_id)
);
CREATE INDEX space_members_agent ON space_members (agent_id);

CREATE TABLE space_posts (
  space_id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  message_id TEXT COLLATE "C" NOT NULL,
  from_id TEXT COLLATE "C" NOT NULL,
  from_as TEXT NOT NULL,
  sender_name TEXT NOT NULL,
  content TEXT NOT NULL,
  priority BIGINT NOT NULL,
  reply_to TEXT COLLATE "C",
  dedup_key TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  PRIMARY KEY (space_id, seq)
);
CREATE UNIQUE INDEX space_posts_message ON space_posts (message_id);
CREATE UNIQUE INDEX space_posts_key ON space_posts (space_id, from_id, dedup_key) WHERE dedup_key IS NOT NULL;

CREATE TABLE active_spaces (
  agent_id TEXT COLLATE "C" PRIMARY KEY,
  space_id TEXT COLLATE "C" NOT NULL
);

CREATE TABLE plans (
  id TEXT COLLATE "C" PRIMARY KEY,
  agent_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  instruction TEXT NOT NULL,
  priority BIGINT NOT NULL,
  cron TEXT,
  zone TEXT NOT NULL,
  missed TEXT NOT NULL,
  gate_id TEXT COLLATE "C",
  next_run_at BIGINT,
  paused_at BIGINT,
  last_run_at BIGINT,
  runs BIGINT NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  revision BIGINT NOT NULL
);
CREATE UNIQUE INDEX plans_name ON plans (agent_id, name);
CREATE INDEX plans_next ON plans (next_run_at) WHERE next_run_at IS NOT NULL AND paused_at IS NULL;

CREATE TABLE services (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  key_hash TEXT NOT NULL,
  earlier_key_hash TEXT,
  signing_secret TEXT NOT NULL,
  earlier_signing_secret TEXT,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  rotated_at BIGINT,
  overlap_until_at BIGINT,
  revoked_at BIGINT,
  last_event_at BIGINT,
  events BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX services_name ON services (agent_id, name) WHERE revoked_at IS NULL;

CREATE TABLE tokens (
  id TEXT COLLATE "C" PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL,
  scope TEXT NOT NULL,
  label TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);

CREATE TABLE replies (
  caller TEXT COLLATE "C" NOT NULL,
  request_key TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT NOT NULL,
  begun_at BIGINT NOT NULL,
  status BIGINT,
  body TEXT,
  PRIMARY KEY (caller, request_key)
);
CREATE INDEX replies_begun ON replies (begun_at);
`
