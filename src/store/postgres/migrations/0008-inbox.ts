import { RING_ALL, RING_RECEIPTS } from '../../../model/ring.ts'
import { RING_CHANNEL } from '../../sql.ts'

const REF_TYPES = `'task', 'phase', 'stage', 'project', 'agent'`
/** As many as may wait for an agent where nothing else is configured: a configuration is not the database's to read. */
const PENDING_LIMIT = 10_000
/** As deep as other messages may be nested, and no number that JavaScript takes for infinite. */
const MAX_DEPTH = 32
const MOST = Number.MAX_VALUE
/** Whoever may use the view needs no right to what is behind it, and no table of the same name leads it astray. */
const AS_OWNER = 'SECURITY DEFINER SET search_path FROM CURRENT'

/**
 * Seed 003's `inbox`: a row for every recipient of a message that waits for it or was shown to it, also of what was sent
 * to everybody and is not taken up yet. Held, expired, cancelled and dead messages are nothing to be processed and have
 * none. What is not processed is found by indexes, so that a runner that asks for it again and again never reads what was. What a message says without a payload stands as the text of one.
 *
 * INSERT is the seed's `send_inbox`: whoever can write to the database may push, but only as somebody unverified, for
 * nothing tells who it is. UPDATE of `processed` acknowledges. Both are refused in words where they ask for more.
 */
export const inbox = `
CREATE VIEW inbox AS
SELECT m.id || ':' || m.agent_id AS id, m.agent_id AS to_agent, m.from_id AS from_agent, m.type AS message_type,
  coalesce(m.subject, left(m.content, 80)) AS subject,
  coalesce(m.extras::jsonb -> 'payload', CASE WHEN m.content IS DISTINCT FROM m.subject THEN jsonb_build_object('text', m.content) END) AS payload,
  m.extras::jsonb -> 'context' AS context,
  CASE WHEN ${isTyped('m.ref')} THEN substr(m.ref, strpos(m.ref, ':') + 1) ELSE m.ref END AS ref_id,
  CASE WHEN ${isTyped('m.ref')} THEN split_part(m.ref, ':', 1) END AS ref_type,
  m.priority + 1 AS priority, m.processed,
  to_timestamp(m.processed_at / 1000.0) AS processed_at, m.session_id AS processed_by_session,
  to_timestamp(m.created_at / 1000.0) AS created_at
FROM (
  SELECT d.agent_id, false AS processed, NULL::bigint AS processed_at, NULL::text AS session_id, m.*
  FROM deliveries d JOIN messages m ON m.seq = d.message_seq
  WHERE d.state = 'pending' AND (d.expires_at IS NULL OR d.expires_at > ${now()})
  UNION ALL
  SELECT d.agent_id, false, NULL, NULL, m.* FROM offers o JOIN deliveries d ON d.agent_id = o.agent_id
    AND d.inbox_seq = ANY (ARRAY(SELECT e.value::bigint FROM json_array_elements_text(o.members::json) AS e (value)))
  JOIN messages m ON m.seq = d.message_seq WHERE o.closed_at IS NULL AND d.state = 'offered' AND d.offer_id = o.id
  UNION ALL
  SELECT d.agent_id, true, CASE WHEN d.state = 'acted' THEN d.acted_at ELSE o.closed_at END,
    coalesce(CASE WHEN d.state = 'acted' THEN (SELECT s.session_id FROM delivery_steps s
      WHERE s.message_seq = d.message_seq AND s.agent_id = d.agent_id AND s.step = 'acted' LIMIT 1) END, o.session_id), m.*
  FROM deliveries d JOIN messages m ON m.seq = d.message_seq LEFT JOIN offers o ON o.id = d.offer_id
  WHERE d.state = 'acted' OR (d.state = 'offered' AND o.outcome = 'confirmed')
  UNION ALL
  SELECT a.id, false, NULL, NULL, m.* FROM agents a JOIN messages m ON m.broadcast_seq > a.broadcast_cursor
  WHERE a.kind <> 'service' AND a.removed_at IS NULL AND m.from_id <> a.id
    AND (m.expires_at IS NULL OR m.expires_at > ${now()})
) AS m;

SELECT set_config('search_path', current_setting('search_path') || ', pg_temp', true);

CREATE FUNCTION inbox_ulid() RETURNS text LANGUAGE plpgsql VOLATILE AS $ulid$
DECLARE
  digits CONSTANT text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  rest bigint := ${now()};
  id text := '';
  chance bytea := uuid_send(gen_random_uuid());
BEGIN
  FOR place IN 1..10 LOOP
    id := substr(digits, (rest % 32)::int + 1, 1) || id;
    rest := rest / 32;
  END LOOP;
  -- The bytes of a random UUID but for the two that are the same in all of them; sixteen digits of five bits.
  chance := substring(chance FROM 1 FOR 6) || substring(chance FROM 10 FOR 7) || substring(uuid_send(gen_random_uuid()) FROM 1 FOR 3);
  FOR place IN 0..15 LOOP
    id := id || substr(digits, get_byte(chance, place) % 32 + 1, 1);
  END LOOP;
  RETURN id;
END $ulid$;

CREATE FUNCTION inbox_refuse(what text) RETURNS void LANGUAGE plpgsql AS $refuse$
BEGIN
  RAISE EXCEPTION 'inbox: %', what USING ERRCODE = 'check_violation';
END $refuse$;

CREATE FUNCTION inbox_is_plain(value jsonb) RETURNS boolean LANGUAGE plpgsql AS $plain$
DECLARE
  brackets text := regexp_replace(regexp_replace(value::text, '"(\\\\.|[^"\\\\])*"', '', 'g'), '[^][{}]', '', 'g');
BEGIN
  -- The innermost pairs go in every round.
  FOR depth IN 1..${MAX_DEPTH} LOOP
    brackets := regexp_replace(brackets, '\\[\\]|\\{\\}', '', 'g');
  END LOOP;
  IF brackets <> '' THEN RETURN false; END IF;
  RETURN NOT jsonb_path_exists(value, '$.** ? (@.type() == "number" && (@ > ${MOST} || @ < -${MOST}))');
END $plain$;

CREATE FUNCTION inbox_push() RETURNS trigger LANGUAGE plpgsql ${AS_OWNER} AS $push$
DECLARE
  sender agents%ROWTYPE;
  place bigint;
  message bigint;
  earlier text;
  said text;
  more text;
  key text := CASE WHEN NEW.id IS NOT NULL THEN 'inbox:' || NEW.id END;
  at bigint := ${now()};
  is_broadcast boolean := upper(NEW.to_agent) = 'ALL';
BEGIN
  NEW.priority := coalesce(NEW.priority, 3);
  NEW.payload := nullif(NEW.payload, 'null');
  NEW.context := nullif(NEW.context, 'null');
  IF NEW.to_agent IS NULL OR NEW.from_agent IS NULL OR coalesce(trim(NEW.subject), '') = '' THEN
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
    PERFORM inbox_refuse('from_agent ' || quote_literal(NEW.from_agent) || ' is not registered');
  END IF;

  SELECT word #>> '{}' INTO said
    FROM unnest(ARRAY[NEW.payload, NEW.payload -> 'text', NEW.payload -> 'body', NEW.payload -> 'message']) WITH ORDINALITY AS words(word, nth)
    WHERE jsonb_typeof(word) = 'string' AND word #>> '{}' ~ '\\S' ORDER BY nth LIMIT 1;
  said := coalesce(said, NEW.subject);
  more := nullif((CASE WHEN NEW.payload IS NULL THEN '{}' ELSE jsonb_build_object('payload', NEW.payload) END
    || CASE WHEN NEW.context IS NULL THEN '{}' ELSE jsonb_build_object('context', NEW.context) END)::text, '{}');
  IF octet_length(NEW.subject) > 1024 OR octet_length(said) > 65536 OR octet_length(more) > 65536 THEN
    PERFORM inbox_refuse('a subject has at most 1 KB, and payload and context 64 KB');
  ELSIF NOT (inbox_is_plain(NEW.payload) AND inbox_is_plain(NEW.context)) THEN
    PERFORM inbox_refuse('payload and context are nested at most ${MAX_DEPTH} deep, and no number is over ${MOST}');
  ELSIF octet_length(NEW.ref_id) > 256 OR octet_length(key) > 300 THEN
    PERFORM inbox_refuse('ref_id and id have at most 256 bytes');
  END IF;

  IF is_broadcast THEN
    UPDATE counters SET value = value + 1 WHERE name = 'broadcast' RETURNING value INTO place;
    SELECT m.id INTO earlier FROM messages m WHERE m.dedup_key = key AND m.broadcast_seq IS NOT NULL;
  ELSE
    UPDATE agents SET inbox_seq = inbox_seq + 1 WHERE id = NEW.to_agent AND removed_at IS NULL RETURNING inbox_seq INTO place;
    IF place IS NULL THEN
      PERFORM inbox_refuse('to_agent ' || quote_literal(NEW.to_agent) || ' is not registered');
    END IF;
    SELECT m.id INTO earlier FROM deliveries d JOIN messages m ON m.seq = d.message_seq
      WHERE d.agent_id = NEW.to_agent AND d.dedup_key = key;
    IF (SELECT count(*) FROM (SELECT 1 FROM deliveries d WHERE d.agent_id = NEW.to_agent AND d.state = 'pending'
        LIMIT ${PENDING_LIMIT}) AS waiting) >= ${PENDING_LIMIT} THEN
      PERFORM inbox_refuse('the inbox of ' || NEW.to_agent || ' is full');
    END IF;
  END IF;
  IF earlier IS NOT NULL THEN
    RAISE EXCEPTION 'inbox: id % is there already, as %', quote_literal(NEW.id), earlier USING ERRCODE = 'unique_violation';
  END IF;

  NEW.id := 'msg_' || inbox_ulid();
  INSERT INTO messages (id, type, from_id, from_as, addressed, subject, content, extras, priority, ref, hops, dedup_key,
      created_at, broadcast_seq)
    VALUES (NEW.id, NEW.message_type, NEW.from_agent,
      -- A person's word counts for more than a program's, so nobody is one only because a row says so.
      CASE WHEN sender.kind IN ('ai', 'service') THEN sender.kind ELSE 'local' END || '/unverified/sql',
      CASE WHEN is_broadcast THEN 'all' ELSE NEW.to_agent END, NEW.subject, said, more, NEW.priority - 1,
      coalesce(NEW.ref_type || ':', '') || NEW.ref_id, 0, key, at, CASE WHEN is_broadcast THEN place END)
    RETURNING seq INTO message;
  IF NOT is_broadcast THEN
    INSERT INTO deliveries (agent_id, inbox_seq, message_seq, priority, state, dedup_key)
      VALUES (NEW.to_agent, place, message, NEW.priority - 1, 'pending', key);
    NEW.id := NEW.id || ':' || NEW.to_agent;
  END IF;
  PERFORM pg_notify('${RING_CHANNEL}', CASE WHEN is_broadcast THEN '${RING_ALL}' ELSE NEW.to_agent END);
  NEW.processed := false;
  NEW.created_at := to_timestamp(at / 1000.0);
  RETURN NEW;
END $push$;
CREATE TRIGGER inbox_pushed INSTEAD OF INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION inbox_push();

CREATE FUNCTION inbox_take_up(reader text) RETURNS void LANGUAGE plpgsql ${AS_OWNER} AS $take$
DECLARE
  taken bigint;
  last bigint;
  owner agents%ROWTYPE;
BEGIN
  SELECT * INTO owner FROM agents WHERE id = reader AND removed_at IS NULL FOR UPDATE;
  SELECT value INTO last FROM counters WHERE name = 'broadcast';
  INSERT INTO deliveries (agent_id, message_seq, inbox_seq, priority, state, expires_at)
    SELECT reader, m.seq, owner.inbox_seq + row_number() OVER (ORDER BY m.broadcast_seq), m.priority, 'pending', m.expires_at
    FROM messages m WHERE m.broadcast_seq > owner.broadcast_cursor AND m.broadcast_seq <= last AND m.from_id <> reader
    ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS taken = ROW_COUNT;
  UPDATE agents SET broadcast_cursor = last, inbox_seq = inbox_seq + taken WHERE id = reader;
END $take$;

CREATE FUNCTION inbox_process() RETURNS trigger LANGUAGE plpgsql ${AS_OWNER} AS $process$
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
      WHERE d.agent_id = OLD.to_agent AND m.id = split_part(OLD.id, ':', 1)) THEN
    PERFORM inbox_take_up(OLD.to_agent);
  END IF;
  SELECT d.* INTO delivery FROM deliveries d JOIN messages m ON m.seq = d.message_seq
    WHERE d.agent_id = OLD.to_agent AND m.id = split_part(OLD.id, ':', 1) FOR UPDATE OF d;
  IF delivery.state IN ('pending', 'offered', 'seen') THEN
    UPDATE deliveries SET state = 'acted', acted_at = at, moved_at = at
      WHERE agent_id = delivery.agent_id AND inbox_seq = delivery.inbox_seq;
    INSERT INTO delivery_steps (message_seq, agent_id, at, step, attempt, by_id, session_id, evidence)
      SELECT delivery.message_seq, delivery.agent_id, at, step, delivery.attempt, delivery.agent_id,
        NEW.processed_by_session, evidence
      FROM unnest(CASE WHEN OLD.processed THEN ARRAY['acted'] ELSE ARRAY['seen', 'acted'] END) AS step;
    PERFORM pg_notify('${RING_CHANNEL}', '${RING_RECEIPTS}');
    NEW.processed_at := to_timestamp(at / 1000.0);
  END IF;
  RETURN NEW;
END $process$;
CREATE TRIGGER inbox_processed INSTEAD OF UPDATE ON inbox FOR EACH ROW EXECUTE FUNCTION inbox_process();

CREATE FUNCTION inbox_keep() RETURNS trigger LANGUAGE plpgsql ${AS_OWNER} AS $keep$
BEGIN
  PERFORM inbox_refuse('rows go by themselves, once they are old; set processed instead');
  RETURN NULL;
END $keep$;
CREATE TRIGGER inbox_kept INSTEAD OF DELETE ON inbox FOR EACH ROW EXECUTE FUNCTION inbox_keep();

REVOKE EXECUTE ON FUNCTION inbox_push(), inbox_take_up(text), inbox_process(), inbox_keep() FROM PUBLIC;
`

/** Whether a reference says of what kind it is, in the words of the seed. */
function isTyped(ref: string): string {
  return `split_part(${ref}, ':', 1) IN (${REF_TYPES}) AND strpos(${ref}, ':') > 0`
}

function now(): string {
  return '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
}
