import {
  type Access,
  ADMIN,
  ANYONE,
  FOR_ITSELF,
  IF_SEEN,
  IN_PART,
  INSIDERS,
  INSIDERS_IF_SEEN,
  LOCAL_STOPS,
  OWN_AGENT,
  OWN_EVENTS,
  OWN_SESSION,
  PEOPLE,
  SELF_SETUP,
  TOKENS,
} from './access.ts'

/**
 * Every operation of Postern, one row each: the only hand-written list of them. It is plain data, so that every room
 * may read it, and so may the client in a browser. Any other table that must name all operations has a type that
 * requires them, so a missing name does not compile. An operation's name is the path of its method on `Postern`.
 */
export interface OperationRow {
  /** Method and path; parts with a colon are fields of the input. Clients use the first route. */
  readonly http: readonly [Route, ...Route[]]
  /** The command, such as `inbox push`; absent if only programs need the operation. */
  readonly cli?: string
  readonly kind: OperationKind
  readonly access: Access
  /**
   * The field of the input that holds an idempotency key. The key is stored with what the operation adds, so it works
   * even if the process dies after the change and before the answer is stored.
   */
  readonly keyField?: 'dedupKey' | 'dedup_key'
  /** A repeated key is answered from what the operation stored, so its answer need not be stored as well. */
  readonly answersByKey?: true
  /**
   * The operation stores messages. `one`: the input is a message. `many`: the field `messages` is a list of them.
   * `ledger`: the input is a message of the ledger, and the answer lists what was stored.
   */
  readonly pushes?: 'one' | 'many' | 'ledger'
  /** The answer holds a secret, or proves one. It is never stored: a secret must not lie beside its own hash. */
  readonly isSecret?: true
  /** A refusal is recorded with the caller's address. */
  readonly isAudited?: true
  /** The answer has a version, its ETag. A change of the same noun may require that version with `If-Match`. */
  readonly isVersioned?: true
}

/**
 * How an operation may be repeated.
 *
 *   reads       changes nothing
 *   waits       changes nothing, and may block until something happens
 *   adds        creates something; a repetition needs a key
 *   changes     changes something; a repetition needs a key
 *   repeatable  changes something, and is idempotent by itself
 */
export type OperationKind = 'reads' | 'waits' | 'adds' | 'changes' | 'repeatable'

export type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /api/${string}`

const ROWS = {
  'agents.add': { http: ['POST /api/v1/agents'], cli: 'agent add', kind: 'adds', access: SELF_SETUP },
  'agents.list': { http: ['GET /api/v1/agents'], cli: 'agent list', kind: 'reads', access: ANYONE },
  'agents.show': { http: ['GET /api/v1/agents/:id'], cli: 'agent show', kind: 'reads', access: ANYONE },
  'agents.rename': { http: ['PATCH /api/v1/agents/:id'], cli: 'agent rename', kind: 'changes', access: PEOPLE },
  'agents.remove': { http: ['DELETE /api/v1/agents/:id'], cli: 'agent remove', kind: 'changes', access: PEOPLE },

  'sessions.begin': { http: ['POST /api/v1/sessions'], kind: 'repeatable', access: OWN_SESSION },
  'sessions.list': { http: ['GET /api/v1/sessions'], kind: 'reads', access: OWN_AGENT },
  'sessions.note': { http: ['POST /api/v1/sessions/:id/events'], kind: 'changes', access: OWN_EVENTS },
  'sessions.setStop': { http: ['POST /api/v1/sessions/:id/stop'], kind: 'changes', access: LOCAL_STOPS },
  'sessions.end': { http: ['POST /api/v1/sessions/:id/end'], kind: 'changes', access: { to: 'session', field: 'id' } },
  // Older clients call the second route.
  'sessions.markQuiet': {
    http: ['POST /api/v1/agents/:agent/mark-quiet', 'POST /api/v1/agents/:agent/settle'],
    kind: 'repeatable',
    access: OWN_AGENT,
  },

  'inbox.push': {
    http: ['POST /api/v1/inbox'],
    cli: 'inbox push',
    kind: 'adds',
    access: { ...ANYONE, needsPerson: { field: 'create', is: true } },
    keyField: 'dedupKey',
    pushes: 'one',
    answersByKey: true,
  },
  'inbox.pushMany': {
    http: ['POST /api/v1/inbox/batch'],
    kind: 'adds',
    access: { ...ANYONE, needsPerson: { field: 'create', is: true, inEach: 'messages' } },
    pushes: 'many',
  },
  'inbox.ingest': { http: ['POST /api/v1/inbox/ingest'], kind: 'changes', access: OWN_AGENT },
  'inbox.list': { http: ['GET /api/v1/inbox'], cli: 'inbox list', kind: 'reads', access: OWN_AGENT },
  'inbox.search': { http: ['GET /api/v1/inbox/search'], cli: 'inbox search', kind: 'reads', access: IN_PART },
  'inbox.held': { http: ['GET /api/v1/inbox/held'], cli: 'inbox held list', kind: 'reads', access: OWN_AGENT },
  'inbox.dead': { http: ['GET /api/v1/inbox/dead'], cli: 'inbox dead list', kind: 'reads', access: OWN_AGENT },
  'inbox.drain': { http: ['POST /api/v1/inbox/drain'], cli: 'inbox drain', kind: 'changes', access: OWN_AGENT },
  'inbox.read': { http: ['POST /api/v1/inbox/read'], kind: 'repeatable', access: OWN_AGENT },
  'inbox.ack': { http: ['POST /api/v1/inbox/ack'], cli: 'inbox ack', kind: 'repeatable', access: OWN_AGENT },
  'inbox.snooze': { http: ['POST /api/v1/inbox/snooze'], cli: 'inbox snooze', kind: 'repeatable', access: OWN_AGENT },
  'inbox.wait': { http: ['POST /api/v1/inbox/wait'], cli: 'inbox wait', kind: 'waits', access: OWN_AGENT },
  'inbox.show': { http: ['GET /api/v1/inbox/:id'], cli: 'inbox show', kind: 'reads', access: IF_SEEN },
  'inbox.trace': { http: ['GET /api/v1/inbox/:id/trace'], cli: 'trace', kind: 'reads', access: IF_SEEN },
  'inbox.waitFor': { http: ['POST /api/v1/inbox/:id/wait'], cli: 'inbox push', kind: 'waits', access: IF_SEEN },
  'inbox.cancel': { http: ['POST /api/v1/inbox/:id/cancel'], cli: 'inbox cancel', kind: 'changes', access: IF_SEEN },
  'inbox.releaseHeld': {
    http: ['POST /api/v1/inbox/:id/release'],
    cli: 'inbox held release',
    kind: 'changes',
    access: PEOPLE,
  },
  'inbox.retryDead': {
    http: ['POST /api/v1/inbox/:id/retry'],
    cli: 'inbox dead retry',
    kind: 'changes',
    access: PEOPLE,
  },
  'inbox.printed': { http: ['POST /api/v1/offers/:offerId/printed'], kind: 'repeatable', access: IF_SEEN },
  'inbox.confirm': { http: ['POST /api/v1/offers/:offerId/confirm'], kind: 'repeatable', access: IF_SEEN },
  'inbox.release': { http: ['POST /api/v1/offers/:offerId/release'], kind: 'changes', access: IF_SEEN },
  'inbox.confirmSession': {
    http: ['POST /api/v1/sessions/:sessionId/confirm'],
    kind: 'changes',
    access: { to: 'session', field: 'sessionId' },
  },

  'gates.create': {
    http: ['POST /api/v1/gates'],
    cli: 'gate create',
    kind: 'adds',
    access: { ...FOR_ITSELF, needsAdmin: { field: 'kind', is: 'command' } },
  },
  'gates.list': { http: ['GET /api/v1/gates'], cli: 'gate list', kind: 'reads', access: IN_PART },
  'gates.judge': { http: ['POST /api/v1/gates/judge'], kind: 'changes', access: OWN_AGENT },
  'gates.passed': { http: ['POST /api/v1/gates/passed'], kind: 'changes', access: OWN_AGENT },
  'gates.show': {
    http: ['GET /api/v1/gates/:id'],
    cli: 'gate show',
    kind: 'reads',
    access: IF_SEEN,
    isVersioned: true,
  },
  'gates.check': { http: ['POST /api/v1/gates/:id/check'], cli: 'gate check', kind: 'changes', access: IF_SEEN },
  'gates.resolve': {
    http: ['POST /api/v1/gates/:id/resolve'],
    cli: 'gate resolve',
    kind: 'changes',
    access: IF_SEEN,
    isAudited: true,
  },
  'gates.waive': {
    http: ['POST /api/v1/gates/:id/waive'],
    cli: 'gate waive',
    kind: 'changes',
    access: IF_SEEN,
    isAudited: true,
  },
  'gates.register': {
    http: ['PUT /api/v1/sessions/:sessionId/gates/:name'],
    cli: 'gate register',
    kind: 'changes',
    access: { to: 'session', field: 'sessionId', needsAdmin: { field: 'check' } },
  },
  'gates.mark': {
    http: ['POST /api/v1/sessions/:sessionId/gates/:name/mark'],
    cli: 'gate mark',
    kind: 'changes',
    access: { to: 'session', field: 'sessionId' },
  },

  'gates.noteRefusal': {
    http: ['POST /api/v1/gates/:id/refusals'],
    kind: 'changes',
    access: ADMIN,
    isAudited: true,
  },

  'decisions.create': { http: ['POST /api/v1/decisions'], cli: 'decision create', kind: 'adds', access: OWN_AGENT },
  'decisions.list': { http: ['GET /api/v1/decisions'], cli: 'decision list', kind: 'reads', access: IN_PART },
  'decisions.show': {
    http: ['GET /api/v1/decisions/:id'],
    cli: 'decision show',
    kind: 'reads',
    access: IF_SEEN,
    isVersioned: true,
  },
  'decisions.respond': {
    http: ['POST /api/v1/decisions/:id/respond'],
    cli: 'decision respond',
    kind: 'changes',
    access: { ...ANYONE, core: { local: 'no', named: 'no', agent: 'no', other: 'unseen', service: 'no', admin: 'no' } },
    isAudited: true,
  },
  'decisions.await': {
    http: ['POST /api/v1/decisions/:id/await'],
    cli: 'decision await',
    kind: 'waits',
    access: IF_SEEN,
  },
  'decisions.cancel': {
    http: ['POST /api/v1/decisions/:id/cancel'],
    cli: 'decision cancel',
    kind: 'changes',
    access: { ...ANYONE, core: { local: 'no', other: 'unseen', admin: 'no' } },
    isAudited: true,
  },

  'spaces.create': { http: ['POST /api/v1/spaces'], cli: 'space create', kind: 'adds', access: ANYONE },
  'spaces.list': { http: ['GET /api/v1/spaces'], cli: 'space list', kind: 'reads', access: IN_PART },
  'spaces.show': { http: ['GET /api/v1/spaces/:id'], cli: 'space show', kind: 'reads', access: IF_SEEN },
  'spaces.join': { http: ['POST /api/v1/spaces/:id/join'], cli: 'space join', kind: 'changes', access: OWN_AGENT },
  'spaces.leave': { http: ['POST /api/v1/spaces/:id/leave'], cli: 'space leave', kind: 'changes', access: OWN_AGENT },
  'spaces.close': { http: ['POST /api/v1/spaces/:id/close'], cli: 'space close', kind: 'changes', access: IF_SEEN },
  'spaces.post': {
    http: ['POST /api/v1/posts', 'POST /api/v1/spaces/:id/posts'],
    cli: 'space post',
    kind: 'adds',
    access: { ...ANYONE, core: { local: 'no', other: 'unseen', person: 'no', admin: 'no' } },
    keyField: 'dedupKey',
    pushes: 'one',
  },
  'spaces.history': { http: ['GET /api/v1/spaces/:id/posts'], cli: 'space history', kind: 'reads', access: IF_SEEN },
  'spaces.enter': { http: ['POST /api/v1/spaces/:id/enter'], cli: 'space enter', kind: 'changes', access: OWN_AGENT },

  'plans.set': {
    http: ['PUT /api/v1/plans', 'POST /api/v1/plans'],
    cli: 'plan set',
    kind: 'changes',
    access: FOR_ITSELF,
  },
  'plans.list': { http: ['GET /api/v1/plans'], cli: 'plan list', kind: 'reads', access: OWN_AGENT },
  'plans.delete': { http: ['POST /api/v1/plans/delete'], cli: 'plan delete', kind: 'changes', access: IF_SEEN },
  'plans.show': {
    http: ['GET /api/v1/plans/:id'],
    cli: 'plan show',
    kind: 'reads',
    access: IF_SEEN,
    isVersioned: true,
  },
  'plans.pause': { http: ['POST /api/v1/plans/:id/pause'], cli: 'plan pause', kind: 'changes', access: IF_SEEN },
  'plans.resume': { http: ['POST /api/v1/plans/:id/resume'], cli: 'plan resume', kind: 'changes', access: IF_SEEN },
  'plans.run': { http: ['POST /api/v1/plans/:id/run'], cli: 'plan run', kind: 'changes', access: IF_SEEN },

  'services.create': {
    http: ['POST /api/v1/services'],
    cli: 'service create',
    kind: 'adds',
    access: PEOPLE,
    isSecret: true,
  },
  'services.list': { http: ['GET /api/v1/services'], cli: 'service list', kind: 'reads', access: PEOPLE },
  'services.events': {
    http: ['GET /api/v1/services/:id/events'],
    cli: 'service events',
    kind: 'reads',
    access: PEOPLE,
  },
  'services.replay': {
    http: ['POST /api/v1/services/:id/replay'],
    cli: 'service replay',
    kind: 'changes',
    access: PEOPLE,
  },
  'services.rotate': {
    http: ['POST /api/v1/services/:id/rotate'],
    cli: 'service rotate',
    kind: 'changes',
    access: PEOPLE,
    isSecret: true,
  },
  'services.revoke': {
    http: ['POST /api/v1/services/:id/revoke'],
    cli: 'service revoke',
    kind: 'changes',
    access: PEOPLE,
  },
  'services.trigger': {
    http: ['POST /api/agents/:agent/trigger'],
    kind: 'changes',
    access: { to: 'proven' },
    isSecret: true,
  },

  'tokens.create': { http: ['POST /api/v1/tokens'], cli: 'token create', kind: 'adds', access: TOKENS, isSecret: true },
  'tokens.list': { http: ['GET /api/v1/tokens'], cli: 'token list', kind: 'reads', access: ADMIN },
  'tokens.revoke': { http: ['DELETE /api/v1/tokens/:id'], cli: 'token revoke', kind: 'repeatable', access: TOKENS },

  'bus.post': {
    http: [
      'POST /api/v1/bus',
      'POST /api/v1/messages',
      'POST /api/projects/:project_id/messages',
      'POST /api/projects/:project_id/tasks/:task_id/messages',
    ],
    cli: 'bus post',
    kind: 'adds',
    access: INSIDERS,
  },
  'bus.read': {
    http: [
      'GET /api/v1/bus',
      'GET /api/v1/messages',
      'GET /api/projects/:project_id/messages',
      'GET /api/projects/:project_id/tasks/:task_id/messages',
    ],
    cli: 'bus read',
    kind: 'reads',
    access: INSIDERS,
  },
  'bus.wait': { http: ['POST /api/v1/bus/wait'], cli: 'bus watch', kind: 'waits', access: INSIDERS },
  'bus.list': { http: ['GET /api/v1/buses'], cli: 'bus list', kind: 'reads', access: INSIDERS },
  'bus.issues': { http: ['GET /api/v1/bus/issues'], cli: 'bus issues', kind: 'reads', access: INSIDERS },
  'bus.verify': { http: ['GET /api/v1/bus/verify'], cli: 'bus verify', kind: 'reads', access: INSIDERS },
  'bus.rotate': { http: ['POST /api/v1/bus/rotate'], cli: 'bus rotate', kind: 'changes', access: PEOPLE },

  'handoff.init': { http: ['POST /api/v1/handoff/init'], cli: 'handoff init', kind: 'repeatable', access: SELF_SETUP },
  'handoff.leave': {
    http: ['POST /api/v1/handoff/items'],
    cli: 'handoff leave',
    kind: 'adds',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.list': { http: ['GET /api/v1/handoff/items'], cli: 'handoff list', kind: 'reads', access: INSIDERS_IF_SEEN },
  'handoff.show': {
    http: ['GET /api/v1/handoff/items/:name'],
    cli: 'handoff show',
    kind: 'reads',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.inherit': {
    http: ['POST /api/v1/handoff/inheritances'],
    cli: 'handoff inherit',
    kind: 'changes',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.printed': {
    http: ['POST /api/v1/handoff/inheritances/:id/printed'],
    kind: 'repeatable',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.confirm': {
    http: ['POST /api/v1/handoff/inheritances/:id/confirm'],
    kind: 'repeatable',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.release': {
    http: ['POST /api/v1/handoff/inheritances/:id/release'],
    kind: 'changes',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.writeOut': {
    http: ['POST /api/v1/handoff/outbox'],
    cli: 'handoff outbox write',
    kind: 'adds',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.listOut': {
    http: ['GET /api/v1/handoff/outbox'],
    cli: 'handoff outbox list',
    kind: 'reads',
    access: INSIDERS_IF_SEEN,
  },
  'handoff.clean': { http: ['POST /api/v1/handoff/clean'], cli: 'handoff clean', kind: 'changes', access: PEOPLE },

  'messages.send': {
    http: ['POST /api/v1/ledger/messages'],
    cli: 'message send',
    kind: 'adds',
    access: INSIDERS,
    keyField: 'dedup_key',
    pushes: 'ledger',
  },
  'messages.sendInbox': {
    http: ['POST /api/v1/ledger/inbox'],
    cli: 'message inbox',
    kind: 'adds',
    access: ANYONE,
    keyField: 'dedup_key',
    pushes: 'ledger',
  },

  'notes.post': { http: ['POST /api/v1/ledger/notes'], cli: 'note post', kind: 'adds', access: INSIDERS },
  'notes.list': { http: ['GET /api/v1/ledger/notes'], cli: 'note list', kind: 'reads', access: INSIDERS },

  'ledger.status': { http: ['GET /api/v1/ledger'], cli: 'ledger status', kind: 'reads', access: INSIDERS },
  'ledger.setup': {
    http: ['POST /api/v1/ledger/setup'],
    cli: 'ledger setup',
    kind: 'changes',
    access: SELF_SETUP,
  },
  'ledger.topics': { http: ['GET /api/v1/ledger/topics'], cli: 'ledger topics', kind: 'reads', access: INSIDERS },
  'ledger.createTopic': {
    http: ['POST /api/v1/ledger/topics'],
    cli: 'ledger topic create',
    kind: 'adds',
    access: INSIDERS,
  },
  'ledger.read': {
    http: ['GET /api/v1/ledger/topics/:topic/entries'],
    cli: 'ledger read',
    kind: 'reads',
    access: INSIDERS,
  },
  'ledger.verify': {
    http: ['POST /api/v1/ledger/topics/:topic/verify'],
    cli: 'ledger verify',
    kind: 'reads',
    access: INSIDERS,
  },
  'ledger.profile': {
    http: ['GET /api/v1/ledger/profiles/:agent'],
    cli: 'ledger profile',
    kind: 'reads',
    access: INSIDERS,
  },
  'ledger.setProfile': {
    http: ['PATCH /api/v1/ledger/profiles/:agent'],
    cli: 'ledger profile',
    kind: 'changes',
    access: OWN_AGENT,
  },
  'ledger.emit': { http: ['POST /api/v1/ledger/events'], cli: 'ledger emit', kind: 'adds', access: INSIDERS },
  'ledger.connections': {
    http: ['GET /api/v1/ledger/connections'],
    cli: 'ledger connections',
    kind: 'reads',
    access: OWN_AGENT,
  },
  'ledger.connect': {
    http: ['POST /api/v1/ledger/connections'],
    cli: 'ledger connect',
    kind: 'adds',
    access: OWN_AGENT,
  },
  'ledger.accept': {
    http: ['POST /api/v1/ledger/connections/:id/accept'],
    cli: 'ledger accept',
    kind: 'changes',
    access: INSIDERS_IF_SEEN,
  },
  'ledger.reject': {
    http: ['POST /api/v1/ledger/connections/:id/reject'],
    cli: 'ledger reject',
    kind: 'changes',
    access: INSIDERS_IF_SEEN,
  },
  'ledger.disconnect': {
    http: ['POST /api/v1/ledger/connections/:id/close'],
    cli: 'ledger disconnect',
    kind: 'changes',
    access: INSIDERS_IF_SEEN,
  },
  'ledger.say': {
    http: ['POST /api/v1/ledger/connections/:connection/messages'],
    cli: 'ledger say',
    kind: 'adds',
    access: INSIDERS_IF_SEEN,
  },
  'ledger.parcels': { http: ['GET /api/v1/ledger/parcels'], cli: 'ledger parcels', kind: 'reads', access: PEOPLE },
  'ledger.retry': {
    http: ['POST /api/v1/ledger/parcels/:id/retry'],
    cli: 'ledger retry',
    kind: 'changes',
    access: PEOPLE,
  },
  'ledger.drop': {
    http: ['POST /api/v1/ledger/parcels/:id/drop'],
    cli: 'ledger drop',
    kind: 'changes',
    access: PEOPLE,
  },

  'events.list': { http: ['GET /api/v1/events'], cli: 'events', kind: 'reads', access: IN_PART },
  'events.wait': { http: ['POST /api/v1/events/wait'], kind: 'waits', access: IN_PART },

  'metrics.series': { http: ['GET /api/v1/metrics'], kind: 'reads', access: PEOPLE },

  'upkeep.run': { http: ['POST /api/v1/upkeep'], kind: 'repeatable', access: ADMIN },
  'upkeep.check': { http: ['GET /api/v1/doctor'], cli: 'doctor', kind: 'reads', access: PEOPLE },
} as const satisfies Readonly<Record<string, OperationRow>>

export type OperationName = keyof typeof ROWS

export const OPERATIONS: Readonly<Record<OperationName, OperationRow>> = ROWS

export const OPERATION_NAMES = Object.keys(ROWS) as readonly OperationName[]

/** Reads and waits return the present state, so they are never answered from a stored answer. */
export function isRead({ kind }: OperationRow): boolean {
  return kind === 'reads' || kind === 'waits'
}
