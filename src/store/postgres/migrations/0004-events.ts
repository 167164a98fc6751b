/**
 * What has happened, written by the engine with each change: the events of SQLite's migration, which says why each
 * trigger stands where it does.
 *
 * Numbers become visible out of order here, so events are in the order of their transactions, and only those are shown
 * that no open one can still come before. Of what was removed the last place is remembered. Messages come by the
 * thousand, so they are noted by the statement; everything else by the row.
 */
export const events = `
CREATE TABLE events (
  tx XID8 NOT NULL DEFAULT pg_current_xact_id(),
  seq BIGINT GENERATED ALWAYS AS IDENTITY,
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C",
  detail TEXT,
  PRIMARY KEY (tx, seq)
);
CREATE TABLE event_floor (
  tx XID8 NOT NULL,
  seq BIGINT NOT NULL
);

CREATE FUNCTION note_messages() RETURNS trigger LANGUAGE plpgsql AS $note$
BEGIN
  INSERT INTO events (at, type, subject) SELECT created_at, 'message.created', id FROM added ORDER BY seq;
  RETURN NULL;
END $note$;
CREATE TRIGGER note_message_created AFTER INSERT ON messages
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_messages();
${[
  note('offers', {
    values: `NEW.closed_at, CASE NEW.outcome WHEN 'confirmed' THEN 'delivery.seen' ELSE 'delivery.released' END,
      NEW.id, NEW.agent_id, NEW.outcome`,
    triggers: {
      offer_closed: {
        after: 'UPDATE OF outcome ON offers',
        when: 'NEW.outcome IS NOT NULL AND OLD.outcome IS NULL',
      },
    },
  }),
  note('delivery_steps', {
    values: `NEW.at, 'delivery.' || NEW.step,
      coalesce((SELECT m.id FROM messages m WHERE m.seq = NEW.message_seq), ''), NEW.agent_id, NULL`,
    triggers: {
      delivery_moved: {
        after: 'INSERT ON delivery_steps',
        when: `NEW.step IN ('seen', 'acted', 'held', 'expired', 'cancelled', 'dead', 'requeued')`,
      },
    },
  }),
  note('gates', {
    values: `CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE coalesce(NEW.closed_at, ${now()}) END,
      'gate.' || CASE TG_OP WHEN 'INSERT' THEN 'opened' ELSE NEW.state END, NEW.id, NEW.agent_id, NULL`,
    triggers: {
      gate_opened: { after: 'INSERT ON gates' },
      gate_closed: { after: 'UPDATE OF state ON gates', when: 'NEW.state <> OLD.state' },
    },
  }),
  note('decisions', {
    values: `CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE coalesce((NEW.answer::json ->> 'at')::bigint, ${now()}) END,
      'decision.' || CASE WHEN TG_OP = 'INSERT' THEN 'created' WHEN NEW.state = 'answered' THEN 'responded' ELSE NEW.state END,
      NEW.id, NEW.agent_id, NULL`,
    triggers: {
      decision_created: { after: 'INSERT ON decisions' },
      decision_closed: { after: 'UPDATE OF state ON decisions', when: 'NEW.state <> OLD.state' },
    },
  }),
  note('agents', {
    values: `CASE TG_OP WHEN 'INSERT' THEN NEW.created_at ELSE coalesce(NEW.removed_at, ${now()}) END,
      CASE WHEN TG_OP = 'INSERT' THEN 'agent.added' WHEN NEW.display_name <> OLD.display_name THEN 'agent.renamed'
        WHEN NEW.removed_at IS NULL THEN 'agent.restored' ELSE 'agent.removed' END, NEW.id, NEW.id, NULL`,
    triggers: {
      agent_added: { after: 'INSERT ON agents' },
      agent_renamed: { after: 'UPDATE OF display_name ON agents', when: 'NEW.display_name <> OLD.display_name' },
      agent_removed: {
        after: 'UPDATE OF removed_at ON agents',
        when: '(NEW.removed_at IS NULL) <> (OLD.removed_at IS NULL)',
      },
    },
  }),
  note('sessions', {
    values: `CASE WHEN TG_OP = 'INSERT' THEN NEW.started_at ELSE NEW.last_event_at END,
      CASE WHEN NEW.ended_at IS NULL THEN 'session.begun' ELSE 'session.ended' END, NEW.id, NEW.agent_id, NULL`,
    triggers: {
      session_begun: { after: 'INSERT ON sessions' },
      session_ended: {
        after: 'UPDATE OF ended_at ON sessions',
        when: '(NEW.ended_at IS NULL) <> (OLD.ended_at IS NULL)',
      },
    },
  }),
  note('session_turns', {
    values: `coalesce(NEW.idle_since, NEW.last_event_at),
      CASE WHEN NEW.idle_since IS NULL THEN 'session.active' ELSE 'session.idle' END, NEW.id, NEW.agent_id, NULL`,
    triggers: {
      session_rested: {
        after: 'UPDATE OF idle_since ON sessions',
        when: '(NEW.idle_since IS NULL) <> (OLD.idle_since IS NULL)',
      },
    },
  }),
  note('spaces', {
    values: `coalesce(NEW.closed_at, NEW.created_at),
      CASE WHEN NEW.closed_at IS NULL THEN 'space.created' ELSE 'space.closed' END, NEW.id, NULL, NULL`,
    triggers: {
      space_created: { after: 'INSERT ON spaces' },
      space_closed: {
        after: 'UPDATE OF closed_at ON spaces',
        when: 'NEW.closed_at IS NOT NULL AND OLD.closed_at IS NULL',
      },
    },
  }),
  note('space_members_who_join', {
    values: `NEW.joined_at, 'space.joined', NEW.space_id, NEW.agent_id, NULL`,
    triggers: { space_joined: { after: 'INSERT ON space_members' } },
  }),
  note('space_members_who_leave', {
    values: `${now()}, 'space.left', OLD.space_id, OLD.agent_id, NULL`,
    triggers: { space_left: { after: 'DELETE ON space_members' } },
  }),
  note('space_posts', {
    values: `NEW.created_at, 'space.posted', NEW.space_id, NULL, NEW.message_id`,
    triggers: { space_posted: { after: 'INSERT ON space_posts' } },
  }),
  note('new_plans', {
    values: `NEW.created_at, 'plan.set', NEW.id, NEW.agent_id, NEW.name`,
    triggers: { plan_set: { after: 'INSERT ON plans' } },
  }),
  note('changed_plans', {
    values: `NEW.updated_at, CASE WHEN NEW.runs > OLD.runs THEN 'plan.fired'
        WHEN NEW.paused_at IS NOT NULL AND OLD.paused_at IS NULL THEN 'plan.paused'
        WHEN NEW.paused_at IS NULL AND OLD.paused_at IS NOT NULL THEN 'plan.resumed' ELSE 'plan.set' END,
      NEW.id, NEW.agent_id, NEW.name`,
    triggers: {
      plan_changed: { after: 'UPDATE ON plans', when: 'NEW.revision <> OLD.revision OR NEW.runs <> OLD.runs' },
    },
  }),
  note('deleted_plans', {
    values: `${now()}, 'plan.deleted', OLD.id, OLD.agent_id, OLD.name`,
    triggers: { plan_deleted: { after: 'DELETE ON plans' } },
  }),
  note('new_services', {
    values: `NEW.created_at, 'service.created', NEW.id, NEW.agent_id, NULL`,
    triggers: { service_created: { after: 'INSERT ON services' } },
  }),
  note('rotated_services', {
    values: `NEW.rotated_at, 'service.rotated', NEW.id, NEW.agent_id, NULL`,
    triggers: {
      service_rotated: {
        after: 'UPDATE OF rotated_at ON services',
        when: 'NEW.rotated_at IS DISTINCT FROM OLD.rotated_at',
      },
    },
  }),
  note('revoked_services', {
    values: `NEW.revoked_at, 'service.revoked', NEW.id, NEW.agent_id, NULL`,
    triggers: {
      service_revoked: {
        after: 'UPDATE OF revoked_at ON services',
        when: 'NEW.revoked_at IS NOT NULL AND OLD.revoked_at IS NULL',
      },
    },
  }),
].join('\n')}
`

interface Note {
  /** `at`, `type`, `subject`, `agent_id`, `detail`. */
  readonly values: string
  readonly triggers: Readonly<Record<string, { readonly after: string; readonly when?: string }>>
}

function note(what: string, { values, triggers }: Note): string {
  const created = Object.entries(triggers).map(
    ([name, { after, when }]) =>
      `CREATE TRIGGER note_${name} AFTER ${after} FOR EACH ROW ${when === undefined ? '' : `WHEN (${when})`} EXECUTE FUNCTION note_${what}();`,
  )
  return `CREATE FUNCTION note_${what}() RETURNS trigger LANGUAGE plpgsql AS $note$
BEGIN
  INSERT INTO events (at, type, subject, agent_id, detail) VALUES (${values});
  RETURN NULL;
END $note$;
${created.join('\n')}`
}

/** For changes that leave no time behind. */
function now(): string {
  return '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
}
