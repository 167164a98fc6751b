/**
 * What has happened, written by the engine with each change.
 *
 * A trigger stands where something happens once: deliveries that move tell of it by their steps, and the many that only
 * wait cost nothing. Numbers go up by one without a gap, because the last row is never removed.
 */
export const events = `
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  agent_id TEXT,
  detail TEXT
);
${[
  note('message_created', {
    after: 'INSERT ON messages',
    values: `NEW.created_at, 'message.created', NEW.id, NULL, NULL`,
  }),
  note('offer_closed', {
    after: 'UPDATE OF outcome ON offers',
    when: 'NEW.outcome IS NOT NULL AND OLD.outcome IS NULL',
    values: `NEW.closed_at, CASE NEW.outcome WHEN 'confirmed' THEN 'delivery.seen' ELSE 'delivery.released' END,
      NEW.id, NEW.agent_id, NEW.outcome`,
  }),
  note('delivery_moved', {
    after: 'INSERT ON delivery_steps',
    when: `NEW.step IN ('seen', 'acted', 'held', 'expired', 'cancelled', 'dead', 'requeued')`,
    values: `NEW.at, 'delivery.' || NEW.step,
      coalesce((SELECT id FROM messages WHERE seq = NEW.message_seq), ''), NEW.agent_id, NULL`,
  }),
  note('gate_opened', {
    after: 'INSERT ON gates',
    values: `NEW.created_at, 'gate.opened', NEW.id, NEW.agent_id, NULL`,
  }),
  note('gate_closed', {
    after: 'UPDATE OF state ON gates',
    when: 'NEW.state <> OLD.state',
    values: `coalesce(NEW.closed_at, ${now()}), 'gate.' || NEW.state, NEW.id, NEW.agent_id, NULL`,
  }),
  note('decision_created', {
    after: 'INSERT ON decisions',
    values: `NEW.created_at, 'decision.created', NEW.id, NEW.agent_id, NULL`,
  }),
  note('decision_closed', {
    after: 'UPDATE OF state ON decisions',
    when: 'NEW.state <> OLD.state',
    values: `coalesce(NEW.answer ->> '$.at', ${now()}),
      'decision.' || CASE NEW.state WHEN 'answered' THEN 'responded' ELSE NEW.state END, NEW.id, NEW.agent_id, NULL`,
  }),
  note('agent_added', {
    after: 'INSERT ON agents',
    values: `NEW.created_at, 'agent.added', NEW.id, NEW.id, NULL`,
  }),
  note('agent_renamed', {
    after: 'UPDATE OF display_name ON agents',
    when: 'NEW.display_name <> OLD.display_name',
    values: `${now()}, 'agent.renamed', NEW.id, NEW.id, NULL`,
  }),
  note('agent_removed', {
    after: 'UPDATE OF removed_at ON agents',
    when: '(NEW.removed_at IS NULL) <> (OLD.removed_at IS NULL)',
    values: `coalesce(NEW.removed_at, ${now()}),
      CASE WHEN NEW.removed_at IS NULL THEN 'agent.restored' ELSE 'agent.removed' END, NEW.id, NEW.id, NULL`,
  }),
  note('session_begun', {
    after: 'INSERT ON sessions',
    values: `NEW.started_at, 'session.begun', NEW.id, NEW.agent_id, NULL`,
  }),
  note('session_ended', {
    after: 'UPDATE OF ended_at ON sessions',
    when: '(NEW.ended_at IS NULL) <> (OLD.ended_at IS NULL)',
    values: `NEW.last_event_at, CASE WHEN NEW.ended_at IS NULL THEN 'session.begun' ELSE 'session.ended' END,
      NEW.id, NEW.agent_id, NULL`,
  }),
  note('session_rested', {
    after: 'UPDATE OF idle_since ON sessions',
    when: '(NEW.idle_since IS NULL) <> (OLD.idle_since IS NULL)',
    values: `coalesce(NEW.idle_since, NEW.last_event_at),
      CASE WHEN NEW.idle_since IS NULL THEN 'session.active' ELSE 'session.idle' END, NEW.id, NEW.agent_id, NULL`,
  }),
  note('space_created', {
    after: 'INSERT ON spaces',
    values: `NEW.created_at, 'space.created', NEW.id, NULL, NULL`,
  }),
  note('space_closed', {
    after: 'UPDATE OF closed_at ON spaces',
    when: 'NEW.closed_at IS NOT NULL AND OLD.closed_at IS NULL',
    values: `NEW.closed_at, 'space.closed', NEW.id, NULL, NULL`,
  }),
  note('space_joined', {
    after: 'INSERT ON space_members',
    values: `NEW.joined_at, 'space.joined', NEW.space_id, NEW.agent_id, NULL`,
  }),
  note('space_left', {
    after: 'DELETE ON space_members',
    values: `${now()}, 'space.left', OLD.space_id, OLD.agent_id, NULL`,
  }),
  note('space_posted', {
    after: 'INSERT ON space_posts',
    values: `NEW.created_at, 'space.posted', NEW.space_id, NULL, NEW.message_id`,
  }),
  note('plan_set', {
    after: 'INSERT ON plans',
    values: `NEW.created_at, 'plan.set', NEW.id, NEW.agent_id, NEW.name`,
  }),
  note('plan_changed', {
    after: 'UPDATE ON plans',
    when: 'NEW.revision <> OLD.revision OR NEW.runs <> OLD.runs',
    values: `NEW.updated_at, CASE WHEN NEW.runs > OLD.runs THEN 'plan.fired'
        WHEN NEW.paused_at IS NOT NULL AND OLD.paused_at IS NULL THEN 'plan.paused'
        WHEN NEW.paused_at IS NULL AND OLD.paused_at IS NOT NULL THEN 'plan.resumed' ELSE 'plan.set' END,
      NEW.id, NEW.agent_id, NEW.name`,
  }),
  note('plan_deleted', {
    after: 'DELETE ON plans',
    values: `${now()}, 'plan.deleted', OLD.id, OLD.agent_id, OLD.name`,
  }),
  note('service_created', {
    after: 'INSERT ON services',
    values: `NEW.created_at, 'service.created', NEW.id, NEW.agent_id, NULL`,
  }),
  note('service_rotated', {
    after: 'UPDATE OF rotated_at ON services',
    when: 'NEW.rotated_at IS NOT OLD.rotated_at',
    values: `NEW.rotated_at, 'service.rotated', NEW.id, NEW.agent_id, NULL`,
  }),
  note('service_revoked', {
    after: 'UPDATE OF revoked_at ON services',
    when: 'NEW.revoked_at IS NOT NULL AND OLD.revoked_at IS NULL',
    values: `NEW.revoked_at, 'service.revoked', NEW.id, NEW.agent_id, NULL`,
  }),
].join('\n')}
`

interface Note {
  readonly after: string
  readonly when?: string
  /** `at`, `type`, `subject`, `agent_id`, `detail`. */
  readonly values: string
}

function note(name: string, { after, when, values }: Note): string {
  return `CREATE TRIGGER note_${name} AFTER ${after} ${when === undefined ? '' : `WHEN ${when}`} BEGIN
  INSERT INTO events (at, type, subject, agent_id, detail) VALUES (${values});
END;`
}

/** For changes that leave no time behind. */
function now(): string {
  return `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
}
