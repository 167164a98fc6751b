import type { AccessRow } from '../../../scripts/access-table.ts'
import type { OperationName } from '../../../src/model/operations.ts'
import { askedOfQuinn, outsidersTopic, waitingParcel } from '../ledger/outsider.ts'
import type { AccessWorld } from './world.ts'

export type Input = Readonly<Record<string, unknown>>

/** Makes what an operation is about, so that it belongs to `owner`, and returns a valid input. */
type MakeInput = (world: AccessWorld, owner: string) => Input | Promise<Input>

const HOUR_MS = 3_600_000
const OPTIONS = [
  { key: 'yes', label: 'Yes' },
  { key: 'no', label: 'No' },
]

/** A message that the owner was sent. */
async function received(world: AccessWorld, owner: string): Promise<string> {
  return (await world.as('justin').inbox.push({ to: [owner], content: world.mark() })).id
}

/** A message that the owner sent and that nobody has seen. */
async function sent(world: AccessWorld, owner: string): Promise<string> {
  return (await world.as(owner).inbox.push({ to: ['justin'], content: world.mark() })).id
}

async function session(world: AccessWorld, owner: string): Promise<string> {
  const id = world.name()
  await world.as(owner).sessions.begin({ id, agent: owner })
  return id
}

async function offer(world: AccessWorld, owner: string, isPrinted = false): Promise<string> {
  await received(world, owner)
  const { inbox } = world.as(owner)
  const { offer } = await inbox.drain({ agent: owner })
  if (!offer) throw new Error('nothing was offered')
  if (isPrinted) await inbox.printed({ offerId: offer.id })
  return offer.id
}

/** A gate that the owner has set itself, and may open again. */
async function gate(world: AccessWorld, owner: string): Promise<string> {
  const reason = world.mark()
  return (await world.as(owner).gates.create({ agent: owner, kind: 'timer', afterMs: HOUR_MS, mode: 'soft', reason }))
    .id
}

/** A question of the owner to a person. */
async function decision(world: AccessWorld, owner: string): Promise<string> {
  const question = world.mark()
  return (await world.as(owner).decisions.create({ agent: owner, question, options: OPTIONS, ask: ['justin'] })).id
}

async function space(world: AccessWorld, owner: string): Promise<string> {
  const id = world.name()
  await world.as(owner).spaces.create({ id, name: world.mark() })
  return id
}

async function spaceWithPost(world: AccessWorld, owner: string): Promise<string> {
  const id = await space(world, owner)
  await world.as(owner).spaces.post({ id, content: world.mark() })
  return id
}

async function plan(world: AccessWorld, owner: string): Promise<string> {
  const [made] = await world.as(owner).plans.set({
    plans: [{ agent: owner, name: world.name(), instruction: world.mark(), runAfter: '5 hours' }],
  })
  return made?.id ?? ''
}

async function service(world: AccessWorld, owner: string) {
  return world.as('justin').services.create({ name: world.name(), agent: owner })
}

async function bus(world: AccessWorld, owner: string): Promise<string> {
  const project_id = world.name()
  await world.as(owner).bus.post({ project_id, type: 'FACT', body: world.mark() })
  return project_id
}

async function item(world: AccessWorld, owner: string): Promise<string> {
  const { project } = world
  return (await world.as(owner).handoff.leave({ project, type: 'learning', text: world.mark() })).name
}

async function topic(world: AccessWorld, owner: string): Promise<string> {
  const note = { entity_id: world.name(), entity_type: 'task', note: world.mark() } as const
  return (await world.as(owner).notes.post(note)).topic_id ?? ''
}

async function inheritance(world: AccessWorld, owner: string, isPrinted: boolean): Promise<Input> {
  await item(world, owner)
  const { handoff } = world.as(owner)
  const { id } = await handoff.inherit({ project: world.project, agent: owner, session: world.name() })
  if (id === null) throw new Error('nothing was inherited')
  if (isPrinted) await handoff.printed({ id })
  return { id }
}

/** A connection that an outsider has asked quinn for. */
async function connection({ server, home }: AccessWorld): Promise<string> {
  return (await askedOfQuinn(server.served.postern, home)).id
}

async function openConnection(world: AccessWorld): Promise<string> {
  return (await world.as('justin').ledger.accept({ id: await connection(world) })).id
}

/** A message that was offered until it was dead. */
async function dead(world: AccessWorld, owner: string): Promise<string> {
  const id = await received(world, owner)
  const { inbox } = world.as(owner)
  for (;;) {
    const { offer } = await inbox.drain({ agent: owner, maxMessages: 1_000 })
    if (!offer) return id
    // Only attempts that may have been shown count.
    await inbox.printed({ offerId: offer.id })
    await inbox.release({ offerId: offer.id, reason: 'nobody read it' })
  }
}

export const INPUTS: Readonly<Record<OperationName, MakeInput>> = {
  'agents.add': (world) => ({ id: world.name() }),
  'agents.list': () => ({}),
  'agents.show': (_, owner) => ({ id: owner }),
  'agents.rename': (world, owner) => ({ id: owner, displayName: world.name() }),
  'agents.remove': async (world) => {
    const id = world.name()
    await world.as('justin').agents.add({ id })
    return { id }
  },

  'sessions.begin': (world, owner) => ({ id: world.name(), agent: owner }),
  'sessions.list': async (world, owner) => {
    await session(world, owner)
    return { agent: owner }
  },
  'sessions.note': async (world, owner) => ({ id: await session(world, owner), agent: owner, event: 'prompt.submit' }),
  'sessions.setStop': async (world, owner) => ({ id: await session(world, owner), outcome: 'granted' }),
  'sessions.end': async (world, owner) => ({ id: await session(world, owner) }),
  'sessions.markQuiet': (_, owner) => ({ agent: owner }),

  'inbox.push': (world) => ({ to: ['justin'], content: world.mark() }),
  'inbox.pushMany': (world) => ({ messages: [{ to: ['justin'], content: world.mark() }] }),
  'inbox.ingest': (world, owner) => ({
    agent: owner,
    entries: [{ content: world.mark() }],
  }),
  'inbox.list': async (world, owner) => {
    await received(world, owner)
    return { agent: owner }
  },
  'inbox.search': async (world, owner) => {
    await received(world, owner)
    return { query: world.lastMark() }
  },
  'inbox.held': (_, owner) => ({ agent: owner }),
  'inbox.dead': (_, owner) => ({ agent: owner }),
  'inbox.drain': async (world, owner) => {
    await received(world, owner)
    return { agent: owner }
  },
  'inbox.read': async (world, owner) => ({ agent: owner, ids: [await received(world, owner)] }),
  'inbox.ack': async (world, owner) => {
    const id = await received(world, owner)
    await world.as(owner).inbox.read({ agent: owner, ids: [id] })
    return { agent: owner, ids: [id] }
  },
  'inbox.snooze': async (world, owner) => {
    const id = await received(world, owner)
    await world.as(owner).inbox.read({ agent: owner, ids: [id] })
    return { agent: owner, ids: [id], untilAt: Date.now() + HOUR_MS }
  },
  'inbox.wait': (_, owner) => ({ agent: owner, timeoutMs: 0 }),
  'inbox.show': async (world, owner) => ({ id: await received(world, owner) }),
  'inbox.trace': async (world, owner) => ({ id: await received(world, owner) }),
  'inbox.waitFor': async (world, owner) => ({ id: await sent(world, owner), stage: 'seen', timeoutMs: 0 }),
  'inbox.cancel': async (world, owner) => ({ id: await sent(world, owner) }),
  'inbox.releaseHeld': async (world, owner) => {
    const id = await received(world, owner)
    await world.as(owner).inbox.snooze({ agent: owner, ids: [id], untilAt: Date.now() + HOUR_MS })
    return { id, agent: owner }
  },
  'inbox.retryDead': async (world, owner) => ({ id: await dead(world, owner), agent: owner }),
  'inbox.printed': async (world, owner) => ({ offerId: await offer(world, owner) }),
  'inbox.confirm': async (world, owner) => ({ offerId: await offer(world, owner, true), evidence: 'it was read' }),
  'inbox.release': async (world, owner) => ({ offerId: await offer(world, owner), reason: 'it was not shown' }),
  'inbox.confirmSession': async (world, owner) => ({
    sessionId: await session(world, owner),
    printedBefore: Date.now(),
    evidence: 'an event',
  }),

  'gates.create': (world, owner) => ({
    agent: owner,
    kind: 'timer',
    afterMs: HOUR_MS,
    mode: 'soft',
    reason: world.mark(),
  }),
  'gates.list': async (world, owner) => {
    await gate(world, owner)
    return {}
  },
  'gates.judge': async (world, owner) => ({
    agent: owner,
    sessionId: await session(world, owner),
    hook: 'stop',
    timeoutMs: 0,
  }),
  'gates.passed': async (world, owner) => ({
    agent: owner,
    sessionId: await session(world, owner),
    outcome: 'bypassed',
    names: [await gate(world, owner)],
    evidence: 'the host gave up',
  }),
  'gates.show': async (world, owner) => ({ id: await gate(world, owner) }),
  'gates.check': async (world, owner) => ({ id: await gate(world, owner) }),
  'gates.resolve': async (world, owner) => ({ id: await gate(world, owner), reason: 'it is met' }),
  'gates.waive': async (world, owner) => ({ id: await gate(world, owner), reason: 'it need not be met' }),
  'gates.register': async (world, owner) => ({ sessionId: await session(world, owner), name: 'tests' }),
  'gates.mark': async (world, owner) => {
    const sessionId = await session(world, owner)
    await world.as('justin').gates.register({ sessionId, name: 'tests' })
    return { sessionId, name: 'tests' }
  },
  'gates.noteRefusal': async (world, owner) => ({ id: await gate(world, owner), attempt: 'waive', as: 'justin' }),

  'decisions.create': (world, owner) => ({ agent: owner, question: world.mark(), options: OPTIONS, ask: ['justin'] }),
  'decisions.list': async (world, owner) => {
    await decision(world, owner)
    return {}
  },
  'decisions.show': async (world, owner) => ({ id: await decision(world, owner) }),
  'decisions.respond': async (world, owner) => ({ id: await decision(world, owner), select: 'yes' }),
  'decisions.await': async (world, owner) => ({ id: await decision(world, owner), timeoutMs: 0 }),
  'decisions.cancel': async (world, owner) => ({ id: await decision(world, owner) }),

  'spaces.create': (world) => ({ id: world.name(), name: world.mark() }),
  'spaces.list': async (world, owner) => {
    await space(world, owner)
    return {}
  },
  'spaces.show': async (world, owner) => ({ id: await space(world, owner) }),
  'spaces.join': async (world, owner) => ({ id: await space(world, owner), agent: owner }),
  'spaces.leave': async (world, owner) => ({ id: await space(world, owner), agent: owner }),
  'spaces.close': async (world, owner) => ({ id: await space(world, owner) }),
  'spaces.post': async (world, owner) => ({ id: await space(world, owner), content: world.mark() }),
  'spaces.history': async (world, owner) => ({ id: await spaceWithPost(world, owner) }),
  'spaces.enter': async (world, owner) => ({ id: await spaceWithPost(world, owner), agent: owner }),

  'plans.set': (world, owner) => ({
    plans: [{ agent: owner, name: world.name(), instruction: world.mark(), runAfter: '5 hours' }],
  }),
  'plans.list': async (world, owner) => {
    await plan(world, owner)
    return { agent: owner }
  },
  'plans.delete': async (world, owner) => ({ ids: [await plan(world, owner)] }),
  'plans.show': async (world, owner) => ({ id: await plan(world, owner) }),
  'plans.pause': async (world, owner) => ({ id: await plan(world, owner) }),
  'plans.resume': async (world, owner) => {
    const id = await plan(world, owner)
    await world.as(owner).plans.pause({ id })
    return { id }
  },
  'plans.run': async (world, owner) => ({ id: await plan(world, owner) }),

  'services.create': (world, owner) => ({ name: world.name(), agent: owner }),
  'services.list': (_, owner) => ({ agent: owner }),
  'services.events': async (world, owner) => ({ id: (await service(world, owner)).id }),
  'services.replay': async (world, owner) => {
    const { id, key } = await service(world, owner)
    const { eventId } = await world.as('justin').services.trigger({ agent: owner, proof: { key }, payload: 1 })
    return { id, eventId }
  },
  'services.rotate': async (world, owner) => ({ id: (await service(world, owner)).id }),
  'services.revoke': async (world, owner) => ({ id: (await service(world, owner)).id }),

  'services.trigger': async (world, owner) => {
    const { key, name } = await service(world, owner)
    return { agent: owner, serviceName: name, proof: { key }, payload: 1 }
  },

  'tokens.create': (_, owner) => ({ scope: `agent:${owner}` }),
  'tokens.list': () => ({}),
  'tokens.revoke': async (world, owner) => ({
    id: (await world.server.served.postern.tokens.create({ scope: `agent:${owner}` })).id,
  }),

  'bus.post': (world) => ({ project_id: world.name(), type: 'FACT', body: world.mark() }),
  'bus.read': async (world, owner) => ({ project_id: await bus(world, owner) }),
  'bus.wait': async (world, owner) => ({ project_id: await bus(world, owner), timeoutMs: 0 }),
  'bus.list': async (world, owner) => {
    await bus(world, owner)
    return {}
  },
  'bus.issues': async (world, owner) => ({ project_id: await bus(world, owner) }),
  'bus.verify': async (world, owner) => ({ project_id: await bus(world, owner) }),
  'bus.rotate': async (world, owner) => ({ project_id: await bus(world, owner) }),

  'handoff.init': ({ project }) => ({ project }),
  'handoff.leave': (world) => ({ project: world.project, type: 'learning', text: world.mark() }),
  'handoff.list': async (world, owner) => {
    await item(world, owner)
    return { project: world.project }
  },
  'handoff.show': async (world, owner) => ({ project: world.project, name: await item(world, owner) }),
  'handoff.inherit': async (world, owner) => {
    await item(world, owner)
    return { project: world.project, session: world.name() }
  },
  'handoff.printed': (world, owner) => inheritance(world, owner, false),
  'handoff.confirm': (world, owner) => inheritance(world, owner, true),
  'handoff.release': async (world, owner) => ({
    ...(await inheritance(world, owner, false)),
    reason: 'it was not shown',
  }),
  'handoff.writeOut': (world) => ({ project: world.project, kind: 'note', text: world.mark() }),
  'handoff.listOut': ({ project }) => ({ project }),
  'handoff.clean': ({ project }) => ({ project, olderThanMs: HOUR_MS }),

  'messages.send': (world) => ({ to_agent: 'justin', message_type: 'fyi', subject: world.mark() }),
  'messages.sendInbox': (world) => ({ to_agent: 'justin', message_type: 'fyi', subject: world.mark() }),
  'notes.post': (world) => ({ entity_id: world.name(), entity_type: 'task', note: world.mark() }),
  'notes.list': async (world, owner) => {
    const entity = { entity_id: world.name(), entity_type: 'task' } as const
    await world.as(owner).notes.post({ ...entity, note: world.mark() })
    return entity
  },

  'ledger.status': () => ({}),
  'ledger.setup': (_, owner) => ({ agents: [owner] }),
  'ledger.topics': () => ({}),
  'ledger.createTopic': (world) => ({ entity: `task:${world.name()}` }),
  'ledger.read': async (world, owner) => ({ topic: await topic(world, owner) }),
  'ledger.verify': async (world, owner) => ({ topic: await topic(world, owner) }),
  'ledger.profile': () => ({ agent: 'quinn' }),
  'ledger.setProfile': (world, owner) => ({ agent: owner, bio: world.name() }),
  'ledger.emit': (world) => ({ topic: `task:${world.name()}`, type: 'task.blocked' }),
  'ledger.connections': async (world, owner) => {
    await connection(world)
    return { agent: owner }
  },
  'ledger.connect': async ({ home }, owner) => ({ agent: owner, inbound_topic_id: await outsidersTopic(home) }),
  'ledger.accept': async (world) => ({ id: await connection(world) }),
  'ledger.reject': async (world) => ({ id: await connection(world) }),
  'ledger.disconnect': async (world) => ({ id: await openConnection(world) }),
  'ledger.say': async (world) => ({ connection: await openConnection(world), text: world.mark() }),
  'ledger.parcels': () => ({}),
  'ledger.retry': async ({ home }) => ({ id: (await waitingParcel(home)).id }),
  'ledger.drop': async ({ home }) => ({ id: (await waitingParcel(home)).id }),

  'events.list': () => ({}),
  'events.wait': () => ({ timeoutMs: 0 }),
  'metrics.series': () => ({}),
  'upkeep.run': () => ({}),
  'upkeep.check': () => ({}),
}

/** Inputs for which other rules hold: they match the condition in the row of the operation. */
/** Facts that only a local process may state, added to an input that every caller may send. */
const LOCAL_FACTS: Readonly<Record<string, unknown>> = {
  pid: 4_000_000_000,
  pidStartedAt: 1,
  starterPid: 4_000_000_000,
  starterStartedAt: 1,
  machine: 'elsewhere',
  firing: 'stop-1',
  minContinuations: 1,
}

/** Makes the input of a row of the table; undefined if there is none. */
export function inputOf({ name, input }: AccessRow): MakeInput | undefined {
  if (!input) return INPUTS[name]
  const { field } = input
  if (!(field in LOCAL_FACTS)) return CONDITIONAL_INPUTS[name]
  return async (world, owner) => ({ ...(await INPUTS[name](world, owner)), [field]: LOCAL_FACTS[field] })
}

const CONDITIONAL_INPUTS: Readonly<Partial<Record<OperationName, MakeInput>>> = {
  'inbox.push': (world) => ({ to: [world.name()], content: world.mark(), create: true }),
  'inbox.pushMany': (world) => ({ messages: [{ to: [world.name()], content: world.mark(), create: true }] }),
  'gates.create': (world, owner) => ({ agent: owner, kind: 'command', awaits: 'true', reason: world.mark() }),
  'gates.register': async (world, owner) => ({
    sessionId: await session(world, owner),
    name: 'tests',
    check: 'true',
  }),
}
