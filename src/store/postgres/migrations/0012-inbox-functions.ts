import { RING_ALL, RING_RECEIPTS } from '../../../model/ring.ts'
import { RING_CHANNEL } from '../../sql.ts'

const REF_TYPES = `'task', 'phase', 'stage', 'project', 'agent'`
const PENDING_LIMIT = 10_000
const MAX_DEPTH = 32
const MOST = Number.MAX_VALUE

const FUNCTIONS = [
  'inbox_ulid()',
  'inbox_refuse(text)',
  'inbox_is_plain(jsonb)',
  'inbox_push()',
  'inbox_take_up(text)',
  'inbox_process()',
  'inbox_keep()',
]

/**
 * The functions of the inbox view again, safe against other roles that may create objects in the schema. They run with
 * the rights of their owner, so they must never call an overload that another role has made.
 *
 * PostgreSQL prefers an overload that matches the types exactly over one of an earlier schema. Therefore every function
 * is named with its schema, and every operator has operands of the very types that pg_catalog declares it for.
 */
export const inboxFunctions = `
CREATE OR REPLACE FUNCTION inbox_ulid() RETURNS text LANGUAGE plpgsql VOLATILE AS $ulid$
DECLARE
  digits CONSTANT text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  rest bigint := ${now()};
  id text := '';
  chance bytea := pg_catalog.uuid_send(pg_catalog.gen_random_uuid());
BEGIN
  FOR place IN 1..10 LOOP
    id := pg_catalog.substr(digits, (rest % 32::bigint)::int + 1, 1) || id;
    rest := rest / 32::bigint;
  END LOOP;
  -- The bytes of a random UUID without the two that hold its version and variant; sixteen digits of five bits.
  chance := pg_catalog.substring(chance, 1, 6) || pg_catalog.substring(chance, 10, 7)
    || pg_catalog.substring(pg_catalog.uuid_send(pg_catalog.gen_random_uuid()), 1, 3);
  FOR place IN 0..15 LOOP
    id := id || pg_catalog.substr(digits, pg_catalog.get_byte(chance, place) % 32 + 1, 1);
  END LOOP;
  RETURN id;
END $ulid$;

CREATE OR REPLACE FUNCTION inbox_refuse(what text) RETURNS void LANGUAGE plpgsql AS $refuse$
BEGIN
  RAISE EXCEPTION 'inbox: %', what USING ERRCODE = 'check_violation';
END $refuse$;

CREATE OR REPLACE FUNCTION inbox_is_plain(value jsonb) RETURNS boolean LANGUAGE plpgsql AS $plain$
DECLARE
  brackets text := pg_catalog.regexp_replace(pg_catalog.regexp_replace(value::text, '"(\\\\.|[^"\\\\])*"', '', 'g'), '[^][{}]', '', 'g');
BEGIN
  -- Every round removes the innermost pairs.
  FOR depth IN 1..${MAX_DEPTH} LOOP
    brackets := pg_catalog.regexp_replace(brackets, '\\[\\]|\\{\\}', '', 'g');
  END LOOP;
  IF brackets <> '' THEN RETURN false; END IF;
  RETURN NOT pg_catalog.jsonb_path_exists(value, '$.** ? (@.type() == "number" && (@ > ${MOST} || @ < -${MOST}))');
END $plain$;

CREATE OR REPLACE FUNCTION inbox_push() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $push$
DECLARE
  sender agents%ROWTYPE;
  place bigint;
  message bigint;
  earlier text;
  said text;
  more text;
  key text := CASE WHEN NEW.id IS NOT NULL THEN 'inbox:' || NEW.id END;
  at bigint := ${now()};
  is_broadcast boolean := pg_catalog.upper(NEW.to_agent) = 'ALL';
BEGIN
  NEW.priority := coalesce(NEW.priority, 3);
  NEW.payload := nullif(NEW.payload, 'null');
  NEW.context := nullif(NEW.context, 'null');
  IF NEW.to_agent IS NULL OR NEW.from_agent IS NULL OR coalesce(pg_catalog.btrim(NEW.subject), '') = '' THEN
    PERFORM inbox_refuse('to_agent, from_agent and subject are needed');
  ELSIF NEW.message_type IS NULL OR NEW.message_type !~ '^[a-z][a-z0-9_-]{0,39}(\\.[a-z0-9_-]{1,40}){0,4}$' THEN
    PERFORM inbox_refuse('message_type is lower-case words with dots between them, such as task.note');
  ELSIF NEW.priority NOT BETWEEN 1 AND 5 THEN
    PERFORM inbox_refuse('priority is 1 (urgent) to 5 (for information)');
  ELSIF coalesce(NEW.processed, false) THEN
    PERFORM inbox_refuse('what is new is not processed yet');
  ELSIF NEW.ref_type IS NOT NULL AND (NEW.ref_id IS NULL OR NEW.ref_type NOT IN (${REF_TYPES})) THEN
    PERFORM inbox_refuse('ref_type is task, phase, stage, project or agent, and needs a ref_id');
  END IF;
  SELECT * INTO sender FROM agents WHERE id = NEW.from_agent AND removed_at IS NULL;
  IF sender.id IS NULL AND NEW.from_agent <> 'system' THEN
    PERFORM inbox_refuse('from_agent ' || pg_catalog.quote_literal(NEW.from_agent) || ' is not registered');
  END IF;

  SELECT word #>> '{}'::text[] INTO said
    FROM pg_catalog.unnest(ARRAY[NEW.payload, NEW.payload -> 'text'::text, NEW.payload -> 'body'::text, NEW.payload -> 'message'::text]) WITH ORDINALITY AS words(word, nth)
    WHERE pg_catalog.jsonb_typeof(word) = 'string' AND word #>> '{}'::text[] ~ '\\S' ORDER BY nth LIMIT 1;
  said := coalesce(said, NEW.subject);
  more := nullif((CASE WHEN NEW.payload IS NULL THEN '{}' ELSE pg_catalog.jsonb_build_object('payload', NEW.payload) END
    || CASE WHEN NEW.context IS NULL THEN '{}' ELSE pg_catalog.jsonb_build_object('context', NEW.context) END)::text, '{}');
  IF pg_catalog.octet_length(NEW.subject) > 1024 OR pg_catalog.octet_length(said) > 65536 OR pg_catalog.octet_length(more) > 65536 THEN
    PERFORM inbox_refuse('a subject has at most 1 KB, and payload and context 64 KB');
  ELSIF NOT (inbox_is_plain(NEW.payload) AND inbox_is_plain(NEW.context)) THEN
    PERFORM inbox_refuse('payload and context are nested at most ${MAX_DEPTH} deep, and no number is over ${MOST}');
  ELSIF pg_catalog.octet_length(NEW.ref_id) > 256 OR pg_catalog.octet_length(key) > 300 THEN
    PERFORM inbox_refuse('ref_id and id have at most 256 bytes');
  END IF;

  IF is_broadcast THEN
    UPDATE counters SET value = value + 1 WHERE name = 'broadcast' RETURNING value INTO place;
    SELECT m.id INTO earlier FROM messages m WHERE m.dedup_key = key AND m.broadcast_seq IS NOT NULL;
  ELSE
    UPDATE agents SET inbox_seq = inbox_seq + 1 WHERE id = NEW.to_agent AND removed_at IS NULL RETURNING inbox_seq INTO place;
    IF place IS NULL THEN
      PERFORM inbox_refuse('to_agent ' || pg_catalog.quote_literal(NEW.to_agent) || ' is not registered');
    END IF;
    SELECT m.id INTO earlier FROM deliveries d JOIN messages m ON m.seq = d.message_seq
      WHERE d.agent_id = NEW.to_agent AND d.dedup_key = key;
    IF (SELECT pg_catalog.count(*) FROM (SELECT 1 FROM deliveries d WHERE d.agent_id = NEW.to_agent AND d.state = 'pending'
        LIMIT ${PENDING_LIMIT}) AS waiting) >= ${PENDING_LIMIT} THEN
      PERFORM inbox_refuse('the inbox of ' || NEW.to_agent || ' is full');
    END IF;
  END IF;
  IF earlier IS NOT NULL THEN
    RAISE EXCEPTION 'inbox: id % is there already, as %', pg_catalog.quote_literal(NEW.id), earlier USING ERRCODE = 'unique_violation';
  END IF;

  NEW.id := 'msg_' || inbox_ulid();
  INSERT INTO messages (id, type, from_id, from_as, addressed, subject, content, extras, priority, ref, hops, dedup_key,
      created_at, broadcast_seq)
    VALUES (NEW.id, NEW.message_type, NEW.from_agent,
      -- A person's word counts for more than a program's, and a row does not prove a person.
      CASE WHEN sender.kind IN ('ai', 'service') THEN sender.kind ELSE 'local' END || '/unverified/sql',
      CASE WHEN is_broadcast THEN 'all' ELSE NEW.to_agent END, NEW.subject, said, more, NEW.priority - 1,
      coalesce(NEW.ref_type || ':', '') || NEW.ref_id, 0, key, at, CASE WHEN is_broadcast THEN place END)
    RETURNING seq INTO message;
  IF NOT is_broadcast THEN
    INSERT INTO deliveries (agent_id, inbox_seq, message_seq, priority, state, dedup_key)
      VALUES (NEW.to_agent, place, message, NEW.priority - 1, 'pending', key);
    NEW.id := NEW.id || ':' || NEW.to_agent;
  END IF;
  PERFORM pg_catalog.pg_notify('${RING_CHANNEL}', CASE WHEN is_broadcast THEN '${RING_ALL}' ELSE NEW.to_agent END);
  NEW.processed := false;
  NEW.created_at := ${timeOf('at')};
  RETURN NEW;
END $push$;

CREATE OR REPLACE FUNCTION inbox_take_up(reader text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $take$
DECLARE
  taken bigint;
  last bigint;
  owner agents%ROWTYPE;
BEGIN
  SELECT * INTO owner FROM agents WHERE id = reader AND removed_at IS NULL FOR UPDATE;
  SELECT value INTO last FROM counters WHERE name = 'broadcast';
  INSERT INTO deliveries (agent_id, message_seq, inbox_seq, priority, state, expires_at)
    SELECT reader, m.seq, owner.inbox_seq + pg_catalog.row_number() OVER (ORDER BY m.broadcast_seq), m.priority, 'pending', m.expires_at
    FROM messages m WHERE m.broadcast_seq > owner.broadcast_cursor AND m.broadcast_seq <= last AND m.from_id <> reader
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS taken = ROW_COUNT;
  UPDATE agents SET broadcast_cursor = last, inbox_seq = inbox_seq + taken WHERE id = reader;
END $take$;

CREATE OR REPLACE FUNCTION inbox_process() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $process$
DECLARE
  delivery record;
  at bigint := ${now()};
  evidence CONSTANT text := 'processed in the inbox view';
BEGIN
  IF (NEW.id, NEW.to_agent, NEW.from_agent, NEW.message_type, NEW.subject, NEW.payload, NEW.context, NEW.ref_id,
      NEW.ref_type, NEW.priority, NEW.created_at) IS DISTINCT FROM (OLD.id, OLD.to_agent, OLD.from_agent,
      OLD.message_type, OLD.subject, OLD.payload, OLD.context, OLD.ref_id, OLD.ref_type, OLD.priority, OLD.created_at) THEN
    PERFORM inbox_refuse('a message never changes; only processed can be set');
  ELSIF NOT coalesce(NEW.processed, false) THEN
    IF OLD.processed THEN PERFORM inbox_refuse('what was processed stays so'); END IF;
    RETURN NEW;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM deliveries d JOIN messages m ON m.seq = d.message_seq
      WHERE d.agent_id = OLD.to_agent AND m.id = pg_catalog.split_part(OLD.id, ':', 1)) THEN
    PERFORM inbox_take_up(OLD.to_agent);
  END IF;
  SELECT d.* INTO delivery FROM deliveries d JOIN messages m ON m.seq = d.message_seq
    WHERE d.agent_id = OLD.to_agent AND m.id = pg_catalog.split_part(OLD.id, ':', 1) FOR UPDATE OF d;
  IF delivery.state IN ('pending', 'offered', 'seen') THEN
    UPDATE deliveries SET state = 'acted', acted_at = at, moved_at = at
      WHERE agent_id = delivery.agent_id AND inbox_seq = delivery.inbox_seq;
    INSERT INTO delivery_steps (message_seq, agent_id, at, step, attempt, by_id, session_id, evidence)
      SELECT delivery.message_seq, delivery.agent_id, at, step, delivery.attempt, delivery.agent_id,
        NEW.processed_by_session, evidence
      FROM pg_catalog.unnest(CASE WHEN OLD.processed THEN ARRAY['acted'] ELSE ARRAY['seen', 'acted'] END) AS step;
    PERFORM pg_catalog.pg_notify('${RING_CHANNEL}', '${RING_RECEIPTS}');
    NEW.processed_at := ${timeOf('at')};
  END IF;
  RETURN NEW;
END $process$;

CREATE OR REPLACE FUNCTION inbox_keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $keep$
BEGIN
  PERFORM inbox_refuse('rows go by themselves, once they are old; set processed instead');
  RETURN NULL;
END $keep$;

DO $path$
BEGIN
${FUNCTIONS.map(
  (name) =>
    `  EXECUTE pg_catalog.format('ALTER FUNCTION ${name} SET search_path = pg_catalog, %I, pg_temp', current_schema());`,
).join('\n')}
END $path$;
`

function now(): string {
  return '(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000::numeric)::bigint'
}

function timeOf(ms: string): string {
  return `pg_catalog.to_timestamp(${ms}::float8 / 1000::float8)`
}
