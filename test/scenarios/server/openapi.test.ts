import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OPERATION_NAMES, OPERATIONS, type OperationName } from '../../../src/model/operations.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { type Answer, openServer, type TestServer } from '../../helpers/http-server.ts'
import { faultsOf, type Schema, sampleOf } from '../../helpers/json-schema.ts'
import { askedOfQuinn, outsidersTopic, waitingParcel } from '../../helpers/ledger/outsider.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { verifies } from '../verifies.ts'

interface Described {
  readonly operationId: string
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
  readonly security?: readonly object[]
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: { readonly Problem: Schema } }
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly described: Described
}

type Input = Readonly<Record<string, unknown>>

/** What is answered beside the operations, below the same path. */
const PAGES: readonly string[] = ['caller', 'hooks', 'signIns', 'tickets']

/** What is answered with a stream, which never ends: only how it begins is looked at. */
const STREAMS: readonly string[] = ['bus.stream', 'bus.stream.2', 'bus.stream.3']

async function open(): Promise<TestServer & { readonly operations: readonly Operation[]; readonly problem: Schema }> {
  const server = await openServer()
  const { postern } = server.served
  for (const id of ['quinn', 'mindy']) await postern.agents.add({ id })
  await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  const document: Document = (await server.ask('GET /openapi.json', { token: null })).body
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
  )
  return { ...server, operations, problem: document.components.schemas.Problem }
}

/** A client that knows nothing but the document: what is in the path, in the query and in the body it reads there. */
function requestFor({ method, path, described }: Operation, input: Input): { route: string; body?: Input } {
  const { parameters = [], requestBody } = described
  const known = (where: string) => parameters.filter((each) => each.in === where)
  const textOf = ({ name, schema }: { name: string; schema: Schema }) => String(input[name] ?? sampleOf(schema))
  const filled = known('path').reduce(
    (text, each) => text.replace(`{${each.name}}`, encodeURIComponent(textOf(each))),
    path,
  )
  const query = known('query')
    .filter(({ name, required }) => required || input[name] !== undefined)
    .map((each): [string, string] => [each.name, textOf(each)])
  const schema = requestBody?.content['application/json']?.schema
  const names = Object.keys(schema?.properties ?? {})
  const given = Object.fromEntries(Object.entries(input).filter(([name]) => names.includes(name)))
  return {
    route: `${method} ${filled}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`,
    ...(schema && { body: { ...(sampleOf(schema) as Input), ...given } }),
  }
}

function expectDeclared({ described }: Operation, answer: Answer): void {
  const { operationId, responses } = described
  const declared = responses[answer.status]
  expect(declared, `${operationId} answers ${answer.status}: ${answer.text}`).toBeDefined()
  const [type, content] = Object.entries(declared?.content ?? {})[0] ?? []
  if (!content) {
    expect(answer.text, operationId).toBe('')
    return
  }
  expect(answer.headers['content-type'], operationId).toContain(type)
  if (type === 'application/json') expect(faultsOf(answer.body, content.schema), operationId).toEqual([])
}

describe('the OpenAPI document', () => {
  it('names every operation there is, and no other', async () => {
    verifies('S001.openapi')
    const { operations } = await open()
    const described = operations
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ described }) => described.operationId)
    const names = OPERATION_NAMES.flatMap((name) =>
      OPERATIONS[name].http.map((_, at) => (at === 0 ? name : `${name}.${at + 1}`)),
    )
    expect(described.sort()).toEqual([...names, ...PAGES, ...STREAMS].sort())
    expect(new Set(described).size).toBe(described.length)
  })

  it('says what each operation takes and answers', async () => {
    verifies('S001.openapi')
    const { ask, operations, served, busRoot } = await open()
    for (const operation of operations) {
      const { operationId } = operation.described
      const prepare = INPUTS[operationId.replace(/\.\d$/, '').replace('bus.stream', 'bus.read') as OperationName]
      const { headers, token, ...input }: Input & Prepared =
        (await prepare?.(served.postern, ask, dirname(busRoot))) ?? {}
      // An administrator is no agent, so it must name one where others mean themselves.
      const { route, body } = requestFor(operation, { agent: 'quinn', ...input })
      const answer = await ask(STREAMS.includes(operationId) ? route.replace('GET', 'HEAD') : route, {
        ...(body && { body }),
        ...(headers && { headers }),
        ...(token === null && { token }),
      })
      expect(answer.status, `${operationId}: ${answer.text}`).toBeLessThan(300)
      expectDeclared(operation, answer)
    }
  })

  it('says how each operation refuses', async () => {
    verifies('S001.openapi')
    const { ask, operations, problem } = await open()
    for (const operation of operations) {
      const { route, body = {} } = requestFor(operation, {})
      const isOpen = operation.described.security?.length === 0
      const stranger = await ask(route, { token: null, body })
      expect(stranger.status, route).toBe(isOpen ? 200 : 401)
      if (isOpen || !operation.path.startsWith('/api/') || operation.path.endsWith('/trigger')) continue
      expectDeclared(operation, stranger)
      expect(faultsOf(stranger.body, problem)).toEqual([])
      const hasBody = operation.described.requestBody !== undefined
      const surplus = hasBody
        ? await ask(route, { body: { ...body, surplus: 1 } })
        : await ask(`${route.split('?')[0]}?surplus=1`)
      if (PAGES.includes(operation.described.operationId)) continue
      expect(surplus, route).toMatchObject({ status: 422, body: { code: 'INPUT_INVALID' } })
      expectDeclared(operation, surplus)
    }
  })

  it('says what headers do', async () => {
    verifies('S001.openapi')
    const { ask, operations, served } = await open()
    const [gateId, decisionId, planId] = await Promise.all([gate, decision, plan].map((make) => make(served.postern)))
    const find = (name: string) => operations.find(({ described }) => described.operationId === name) as Operation
    const tried: [name: string, route: string, headers: Record<string, string>, status: number][] = [
      ['gates.show', `GET /api/v1/gates/${gateId}`, { 'if-none-match': '*' }, 304],
      ['decisions.show', `GET /api/v1/decisions/${decisionId}`, { 'if-none-match': '*' }, 304],
      ['plans.show', `GET /api/v1/plans/${planId}`, { 'if-none-match': '*' }, 304],
      ['gates.check', `POST /api/v1/gates/${gateId}/check`, { 'if-match': '"x"' }, 412],
      ['decisions.cancel', `POST /api/v1/decisions/${decisionId}/cancel`, { 'if-match': '"x"' }, 412],
      ['plans.pause', `POST /api/v1/plans/${planId}/pause`, { 'if-match': '"x"' }, 412],
      ['plans.run', `POST /api/v1/plans/${planId}/run`, { 'idempotency-key': 'k' }, 200],
      ['plans.pause', `POST /api/v1/plans/${planId}/pause`, { 'idempotency-key': 'k' }, 422],
    ]
    for (const [name, route, headers, status] of tried) {
      const answer = await ask(route, { headers })
      expect(answer.status, `${route}: ${answer.text}`).toBe(status)
      expectDeclared(find(name), answer)
      const known = find(name).described.parameters?.map((each) => each.name.toLowerCase())
      expect(known, name).toEqual(expect.arrayContaining(Object.keys(headers)))
    }
    expect(JSON.stringify(find('plans.pause').described.responses[409])).toContain('IDEMPOTENCY_BUSY')
    const withoutEffect = find('tokens.create').described.parameters ?? []
    expect(withoutEffect.map(({ name }) => name)).not.toContain('Idempotency-Key')
  })

  it('would be found out if it said something else', () => {
    const schema: Schema = {
      type: 'object',
      properties: { at: { type: 'string', format: 'date-time' } },
      required: ['at'],
    }
    expect(faultsOf({ at: 7 }, schema)).toHaveLength(1)
    expect(faultsOf({ at: 'soon' }, schema)).toHaveLength(1)
    expect(faultsOf({}, schema)).toHaveLength(1)
    expect(faultsOf({ at: '2026-01-01T00:00:00.000Z', more: 1 }, schema)).toHaveLength(1)
    expect(faultsOf({ at: '2026-01-01T00:00:00.000Z' }, schema)).toEqual([])
  })
})

interface Prepared {
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: null
}

let count = 0
const fresh = (prefix: string) => `${prefix}${++count}`

const message = async ({ inbox }: Postern) => (await inbox.push({ to: ['quinn'], content: 'hello' })).id
const gate = async ({ gates }: Postern) =>
  (await gates.create({ agent: 'quinn', kind: 'timer', reason: 'wait', afterMs: 60_000 })).id
const decision = async (postern: Postern) =>
  (await postern.decisions.create({ agent: 'quinn', question: 'Which?', ask: ['justin'] })).id
const plan = async ({ plans }: Postern) => {
  const [made] = await plans.set({
    plans: [{ agent: 'quinn', name: fresh('p'), instruction: 'look', runAfter: '5 hours' }],
  })
  return made?.id
}
const space = async ({ spaces }: Postern) =>
  (await spaces.create({ id: fresh('space-'), members: ['quinn', 'justin'] })).id
const service = async ({ services }: Postern) => services.create({ name: fresh('svc-'), agent: 'quinn' })
const session = async ({ sessions }: Postern) => (await sessions.begin({ id: fresh('ses-'), agent: 'quinn' })).id
const TASK = { project_id: 'alpha', task_id: 'docs' }
const task = async ({ bus }: Postern) => {
  await bus.post({ ...TASK, type: 'ISSUE', body: 'something to do', parents: ['MSG-1'] })
  return TASK
}
const offer = async (postern: Postern, isPrinted: boolean) => {
  await message(postern)
  const offerId = (await postern.inbox.drain({ agent: 'quinn' })).offer?.id ?? ''
  if (isPrinted) await postern.inbox.printed({ offerId })
  return offerId
}
/** A project with a handoff of its own. */
const project = async ({ handoff }: Postern) => {
  const place = { project: fastFolder() }
  mkdirSync(join(place.project, '.git'))
  await handoff.init(place)
  return place
}
const item = async (postern: Postern) => {
  const place = await project(postern)
  const { name } = await postern.handoff.leave({ ...place, type: 'thread', text: 'Go on with it.' })
  return { ...place, name }
}
const inheritance = async (postern: Postern, isPrinted: boolean) => {
  const id = (await postern.handoff.inherit(await item(postern))).id ?? ''
  if (isPrinted) await postern.handoff.printed({ id })
  return { id }
}
const topic = async (postern: Postern) =>
  (await postern.notes.post({ entity_id: 'P-1', entity_type: 'task', note: 'Look.' })).topic_id
const connected = async (postern: Postern, home: string) =>
  (await postern.ledger.accept({ id: (await askedOfQuinn(postern, home)).id })).id
const as = (id: string, kind = 'human') => ({
  'postern-as': JSON.stringify({ id, kind, verified: true, via: 'http' }),
})

type Prepare = (postern: Postern, ask: TestServer['ask'], home: string) => Promise<Input & Prepared>

/** What a client cannot guess: names of things that are there, made just before. The rest is made from the document. */
const INPUTS: Partial<Record<OperationName | 'signIns', Prepare>> = {
  signIns: async () => ({ person: 'justin' }),
  'agents.add': async () => ({ id: fresh('agent-') }),
  'agents.remove': async ({ agents }) => ({ id: (await agents.add({ id: fresh('gone-') })).id }),
  'sessions.begin': async () => ({ id: fresh('ses-') }),
  'sessions.note': async (postern) => ({ id: await session(postern), event: 'turn.stop' }),
  'sessions.setStop': async (postern) => ({ id: await session(postern) }),
  'sessions.end': async (postern) => ({ id: await session(postern) }),
  'inbox.push': async () => ({ to: ['quinn'] }),
  'inbox.pushMany': async () => ({
    messages: [
      { to: ['quinn'], content: 'a' },
      { to: ['all'], content: 'b' },
    ],
  }),
  'inbox.show': async (postern) => ({ id: await message(postern) }),
  'inbox.trace': async (postern) => ({ id: await message(postern) }),
  'inbox.waitFor': async (postern) => ({ id: await message(postern), stage: 'stored' }),
  'inbox.cancel': async (postern) => ({ id: await message(postern) }),
  'inbox.read': async (postern) => ({ ids: [await message(postern)] }),
  'inbox.snooze': async (postern) => ({ ids: [await message(postern)], untilAt: Date.now() + 60_000 }),
  'inbox.ack': async (postern) => {
    const id = await message(postern)
    await postern.inbox.drain({ agent: 'quinn', maxMessages: 1_000 })
    return { ids: [id] }
  },
  'inbox.wait': async (postern) => ({ agent: (await message(postern)) && 'quinn' }),
  'inbox.releaseHeld': async (postern) => {
    const quinn = postern.as({ id: 'quinn', kind: 'ai', verified: true, via: 'http' })
    for (;;) {
      const { id, recipients } = await quinn.inbox.push({ to: ['mindy'], content: fresh('again ') })
      if (recipients[0]?.state === 'held') return { id, agent: 'mindy', headers: as('justin') }
    }
  },
  'inbox.retryDead': async (postern) => {
    const { id } = await postern.inbox.push({ to: ['mindy'], content: 'never read' })
    for (;;) {
      const { offer } = await postern.inbox.drain({ agent: 'mindy', maxMessages: 1_000 })
      if (!offer) return { id, agent: 'mindy' }
      // Only attempts that may have been shown count.
      await postern.inbox.printed({ offerId: offer.id })
      await postern.inbox.release({ offerId: offer.id, reason: 'unread' })
    }
  },
  'inbox.printed': async (postern) => ({ offerId: await offer(postern, false) }),
  'inbox.confirm': async (postern) => ({ offerId: await offer(postern, true) }),
  'inbox.release': async (postern) => ({ offerId: await offer(postern, true) }),
  'inbox.confirmSession': async (postern) => ({ sessionId: await session(postern) }),
  'gates.create': async () => ({ kind: 'human' }),
  'gates.show': async (postern) => ({ id: await gate(postern) }),
  'gates.check': async (postern) => ({ id: await gate(postern) }),
  'gates.passed': async (postern) => ({ names: [await gate(postern)] }),
  'gates.noteRefusal': async (postern) => ({ id: await gate(postern), attempt: 'waive', as: 'justin' }),
  'gates.resolve': async (postern) => ({ id: await gate(postern), headers: as('justin') }),
  'gates.waive': async (postern) => ({ id: await gate(postern), headers: as('justin') }),
  'gates.register': async (postern) => ({ sessionId: await session(postern), name: 'look' }),
  'gates.mark': async (postern) => {
    const sessionId = await session(postern)
    await postern.gates.register({ sessionId, name: 'look' })
    return { sessionId, name: 'look' }
  },
  'decisions.create': async () => ({ agent: 'quinn', ask: ['justin'] }),
  'decisions.show': async (postern) => ({ id: await decision(postern) }),
  'decisions.respond': async (postern) => ({ id: await decision(postern), text: 'that one', headers: as('justin') }),
  'decisions.await': async (postern) => {
    const id = await decision(postern)
    await postern.as({ id: 'justin', kind: 'human', verified: false, via: 'sdk' }).decisions.cancel({ id })
    return { id }
  },
  'decisions.cancel': async (postern) => ({ id: await decision(postern), headers: as('justin') }),
  'spaces.create': async () => ({ id: fresh('space-') }),
  'spaces.show': async (postern) => ({ id: await space(postern) }),
  'spaces.join': async (postern) => ({ id: await space(postern), agent: 'mindy' }),
  'spaces.leave': async (postern) => ({ id: await space(postern), agent: 'quinn' }),
  'spaces.close': async (postern) => ({ id: await space(postern) }),
  'spaces.post': async (postern) => ({ id: await space(postern), headers: as('justin') }),
  'spaces.history': async (postern) => ({ id: await space(postern) }),
  'spaces.enter': async (postern) => ({ id: await space(postern), agent: 'quinn' }),
  'plans.set': async () => ({
    plans: [{ agent: 'quinn', name: fresh('p'), instruction: 'look', cron: '0 9 * * 1' }],
  }),
  'plans.delete': async (postern) => ({ ids: [await plan(postern)] }),
  'plans.show': async (postern) => ({ id: await plan(postern) }),
  'plans.pause': async (postern) => ({ id: await plan(postern) }),
  'plans.resume': async (postern) => ({ id: await plan(postern) }),
  'plans.run': async (postern) => ({ id: await plan(postern) }),
  'services.create': async () => ({ name: fresh('svc-'), agent: 'quinn' }),
  'services.events': async (postern) => ({ id: (await service(postern)).id, limit: 5 }),
  'services.replay': async (postern) => {
    const { id, key } = await service(postern)
    const { eventId } = await postern.services.trigger({ agent: 'quinn', proof: { key }, payload: 1 })
    return { id, eventId }
  },
  'services.rotate': async (postern) => ({ id: (await service(postern)).id }),
  'services.revoke': async (postern) => ({ id: (await service(postern)).id }),
  'services.trigger': async (postern) => {
    const { key, name } = await service(postern)
    return { agent: 'quinn', serviceName: name, headers: { 'x-secret-key': key }, token: null }
  },
  'messages.send': async () => ({ to_agent: 'mindy', message_type: 'fyi', ref_type: 'task', ref_id: fresh('P-') }),
  'messages.sendInbox': async () => ({ to_agent: 'ALL', message_type: 'fyi', ref_type: 'task', ref_id: 'P-1' }),
  'notes.post': async () => ({ entity_id: 'P-1', entity_type: 'task', notify: ['mindy', 'nobody-yet'] }),
  'notes.list': async (postern) => {
    await postern.notes.post({ entity_id: 'P-1', entity_type: 'task', note: 'Look.', notify: ['mindy'] })
    return { entity_id: 'P-1', entity_type: 'task' }
  },
  'ledger.setup': async () => ({ agents: ['quinn'] }),
  'ledger.createTopic': async () => ({ entity: 'phase:beta' }),
  'ledger.read': async (postern) => ({ topic: await topic(postern) }),
  'ledger.verify': async (postern) => ({ topic: await topic(postern) }),
  'ledger.profile': async (postern) => {
    await postern.ledger.setup({ agents: ['quinn'] })
    return { agent: 'quinn' }
  },
  'ledger.setProfile': async () => ({ agent: 'quinn', capabilities: [4], model: 'some-model' }),
  'ledger.emit': async () => ({ topic: 'task:P-1', type: 'task.blocked' }),
  'ledger.connect': async (_postern, _ask, home) => ({ inbound_topic_id: await outsidersTopic(home) }),
  'ledger.accept': async (postern, _ask, home) => ({ id: (await askedOfQuinn(postern, home)).id }),
  'ledger.reject': async (postern, _ask, home) => ({ id: (await askedOfQuinn(postern, home)).id }),
  'ledger.disconnect': async (postern, _ask, home) => ({ id: await connected(postern, home) }),
  'ledger.say': async (postern, _ask, home) => ({ connection: await connected(postern, home) }),
  'ledger.connections': async (postern, _ask, home) => ({ agent: (await askedOfQuinn(postern, home)).agent }),
  'ledger.retry': async (_postern, _ask, home) => ({ id: (await waitingParcel(home)).id }),
  'ledger.drop': async (_postern, _ask, home) => ({ id: (await waitingParcel(home)).id }),
  'ledger.parcels': async (_postern, _ask, home) => ({ state: (await waitingParcel(home)).state }),
  'bus.post': async () => ({ ...TASK, body: 'something new' }),
  'bus.read': task,
  'bus.wait': task,
  'bus.issues': task,
  'bus.verify': task,
  'bus.rotate': task,
  'handoff.init': project,
  'handoff.leave': async (postern) => ({ ...(await project(postern)), type: 'learning' }),
  'handoff.inherit': item,
  'handoff.printed': (postern) => inheritance(postern, false),
  'handoff.confirm': (postern) => inheritance(postern, true),
  'handoff.release': (postern) => inheritance(postern, true),
  'handoff.list': item,
  'handoff.show': item,
  'handoff.writeOut': async (postern) => ({ ...(await project(postern)), kind: 'note' }),
  'handoff.listOut': project,
  'handoff.clean': project,
  'tokens.create': async () => ({ scope: 'agent:quinn' }),
  'tokens.revoke': async ({ tokens }) => ({ id: (await tokens.create({ scope: 'human:justin' })).id }),
}
