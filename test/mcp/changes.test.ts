import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignal, type Signal } from '../helpers/signal.ts'
import { connectInMemory } from './in-memory.ts'
import { openScene, type Scene, WAYS } from './scene.ts'
import { BUS, justinOf, makeThings, mindyOf, quinnOf, type Things } from './things.ts'

/** Over HTTP older revisions have nothing on which they could be told. */
const FOLLOWING = WAYS.filter(({ carrier, era }) => carrier === 'stdio' || era === 'modern')

/** What is not told by then never is: a round of asking anew takes longer. */
const LATE_MS = 45_000

let scene: Scene

beforeAll(async () => {
  scene = await openScene()
})

afterAll(() => scene?.close())

describe.each(FOLLOWING)('a client that follows resources, $era over $carrier', (way) => {
  let client: Client
  let things: Things
  let told: Signal<string>

  beforeAll(async () => {
    things = await makeThings(scene)
    told = createSignal<string>()
    client = await scene.connect(way, (created) =>
      created.setNotificationHandler('notifications/resources/updated', ({ params }) => told.fire(params.uri)),
    )
  })

  async function toldOf(uri: string, change: () => Promise<unknown>): Promise<void> {
    const heard = hear(told, uri)
    await change()
    await heard
  }

  test('is told when each of them changes', async () => {
    const { decisionId, gateId } = things
    const uris = {
      inbox: 'postern://inbox/quinn',
      decision: `postern://decision/${decisionId}`,
      gate: `postern://gate/${gateId}`,
      bus: `postern://bus/${BUS.project_id}/${BUS.task_id}`,
    }
    const [mindy, justin] = [mindyOf(scene), justinOf(scene)]
    await follow(client, way.era, Object.values(uris))
    await toldOf(uris.inbox, () => mindy.inbox.push({ to: ['quinn'], content: 'Once.' }))
    await toldOf(uris.bus, () => mindy.bus.post({ ...BUS, type: 'FACT', body: 'Opened.' }))
    await toldOf(uris.inbox, () => mindy.inbox.push({ to: ['quinn'], content: 'Again.' }))
    await toldOf(uris.decision, () => justin.decisions.respond({ id: decisionId, select: 'yes' }))
    await toldOf(uris.gate, () => justin.gates.resolve({ id: gateId, reason: 'Through.' }))
    await toldOf(uris.bus, () => mindy.bus.post({ ...BUS, type: 'FACT', body: 'Closed.' }))
    expect(new Set(told.values)).toEqual(new Set(Object.values(uris)))
  })
})

test('a client that no longer follows an inbox is told of it no more', async () => {
  const told = createSignal<string>()
  const client = await scene.connect({ carrier: 'stdio', era: 'legacy' }, (created) =>
    created.setNotificationHandler('notifications/resources/updated', ({ params }) => told.fire(params.uri)),
  )
  const { decisionId } = await makeThings(scene)
  const [inbox, decision] = ['postern://inbox/quinn', `postern://decision/${decisionId}`]
  for (const uri of [inbox, decision]) await client.subscribeResource({ uri })
  await client.unsubscribeResource({ uri: inbox })
  await client.callTool({ name: 'agent_list', arguments: {} })
  // What has changed before anybody looked is not known, so that each may have been told of once.
  const before = told.values.filter((uri) => uri === inbox).length
  const heard = hear(told, decision)
  await mindyOf(scene).inbox.push({ to: ['quinn'], content: 'Unheard.' })
  await justinOf(scene).decisions.respond({ id: decisionId, select: 'no' })
  await heard
  expect(told.values.filter((uri) => uri === inbox)).toHaveLength(before)
})

test('a client of the older revision over HTTP is not told that it could follow', async () => {
  const client = await scene.connect({ carrier: 'http', era: 'legacy' })
  await expect(client.subscribeResource({ uri: 'postern://inbox/quinn' })).rejects.toThrow()
})

// The answer goes out before the place in the event log is taken from which we follow.
test('a client is told of what changes right after it was told that it follows', async () => {
  const [held, asked] = [createSignal(), createSignal()]
  const postern = quinnOf(scene)
  const list: typeof postern.events.list = async (input) => {
    asked.fire()
    await held.fired
    return postern.events.list(input)
  }
  const { client, told } = await connectInMemory({ ...postern, events: { ...postern.events, list } })
  const uri = 'postern://inbox/quinn'
  const subscribed = client.subscribeResource({ uri })
  await asked.fired
  const isEarly = await Promise.race([subscribed.then(() => true), client.ping().then(() => false)])
  const heard = hear(told, uri)
  const push = () => mindyOf(scene).inbox.push({ to: ['quinn'], content: 'At once.' })
  if (isEarly) await push()
  held.fire()
  await subscribed
  if (!isEarly) await push()
  await heard
})

async function follow(client: Client, era: 'modern' | 'legacy', uris: readonly string[]): Promise<void> {
  if (era === 'modern') {
    const { honoredFilter } = await client.listen({ resourceSubscriptions: [...uris] })
    expect(honoredFilter.resourceSubscriptions).toEqual(uris)
    return
  }
  for (const uri of uris) await client.subscribeResource({ uri })
}

/** Resolves when the client is told of it from now on; says of what else it was told where that takes too long. */
function hear(told: Signal<string>, uri: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const begin = told.values.length
  const late = setTimeout(() => reject(new Error(`not told of ${uri}, only of: ${told.values.join(', ')}`)), LATE_MS)
  const look = async (at: number): Promise<void> => {
    const heard = await told.times(at + 1)
    return heard[at] === uri ? resolve(clearTimeout(late)) : look(at + 1)
  }
  void look(begin)
  return promise
}
