import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { PosternError } from '../../../src/model/errors.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { createDatabase, type TestDatabase } from '../../helpers/postgres.ts'
import { FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { listEverything } from '../harness/home.ts'
import { type CuttingProxy, type Lost, startCuttingProxy } from './harness/cutting-proxy.ts'
import { conservationFault, NEEDS_POSTGRES, openOn, type ServerOn, serveOn } from './harness/postgres-world.ts'

const ONE_STATEMENT = /^(?!COMMIT).*INSERT INTO messages/s
const COMMIT = /^COMMIT\n.*INSERT INTO messages/s

/** A way to store something, through a connection that may be cut. */
interface Door {
  readonly name: string
  /** With what the server stores it for good. */
  readonly statement: RegExp
  /** Stores `content` under a key, or under none, and says which ids that has. */
  store(world: World, content: string, key: string | undefined): Promise<readonly string[]>
  /** How many deliveries it makes. */
  readonly deliveries: number
}

interface World {
  readonly proxy: CuttingProxy
  /** The heart behind the proxy, and a server behind it. */
  readonly postern: Postern
  readonly http: ServerOn
  /** Past the proxy. */
  readonly direct: Postern
}

const keyed = (key: string | undefined) => (key === undefined ? {} : { dedupKey: key })
const asHeader = (key: string | undefined) => (key === undefined ? {} : { headers: { 'idempotency-key': key } })

const DOORS: readonly Door[] = [
  {
    name: 'inbox.push',
    statement: ONE_STATEMENT,
    deliveries: 1,
    store: async ({ postern }, content, key) => [
      (await postern.inbox.push({ to: ['quinn'], content, ...keyed(key) })).id,
    ],
  },
  {
    name: 'inbox.push to several',
    statement: ONE_STATEMENT,
    deliveries: 3,
    store: async ({ postern }, content, key) => [
      (await postern.inbox.push({ to: ['ada', 'quinn', 'rex'], content, ...keyed(key) })).id,
    ],
  },
  {
    name: 'inbox.pushMany',
    statement: ONE_STATEMENT,
    deliveries: 2,
    async store({ postern }, content, key) {
      const messages = ['ada', 'quinn'].map((to) => ({ to: [to], content, ...keyed(key && `${key} ${to}`) }))
      return (await postern.inbox.pushMany({ messages })).map(({ id }) => id)
    },
  },
  {
    name: 'inbox.push to all',
    statement: COMMIT,
    deliveries: 3,
    store: async ({ postern }, content, key) => [
      (await postern.inbox.push({ to: ['all'], content, ...keyed(key) })).id,
    ],
  },
  {
    name: 'inbox.push with a new recipient',
    statement: COMMIT,
    deliveries: 1,
    store: async ({ postern }, content, key) => [
      (await postern.inbox.push({ to: [`newcomer-${count}`], create: true, content, ...keyed(key) })).id,
    ],
  },
  {
    name: 'spaces.post',
    statement: COMMIT,
    deliveries: 2,
    store: async ({ postern }, content, key) => {
      const { post } = await asAda(postern).spaces.post({ id: 'alpha', content, ...keyed(key) })
      return [post.messageId]
    },
  },
  {
    name: 'POST /api/v1/inbox with a dedup key',
    statement: ONE_STATEMENT,
    deliveries: 1,
    store: ({ http }, content, key) => posted(http, 'inbox', { body: { to: ['quinn'], content, ...keyed(key) } }),
  },
  {
    name: 'POST /api/v1/inbox with an Idempotency-Key',
    statement: ONE_STATEMENT,
    deliveries: 1,
    store: ({ http }, content, key) => posted(http, 'inbox', { ...asHeader(key), body: { to: ['quinn'], content } }),
  },
  {
    name: 'POST /api/v1/inbox/batch with an Idempotency-Key',
    statement: ONE_STATEMENT,
    deliveries: 2,
    store: ({ http }, content, key) => {
      const messages = ['ada', 'quinn'].map((to) => ({ to: [to], content }))
      return posted(http, 'inbox/batch', { ...asHeader(key), body: { messages } })
    },
  },
  {
    name: 'POST /api/v1/spaces/alpha/posts with an Idempotency-Key',
    statement: COMMIT,
    deliveries: 2,
    store: ({ http }, content, key) => {
      const headers = { ...asHeader(key).headers, 'postern-as': JSON.stringify(ADA) }
      return posted(http, 'spaces/alpha/posts', { headers, body: { content } })
    },
  },
]

const ADA = { id: 'ada', kind: 'ai', verified: true, via: 'test' } as const
const asAda = (postern: Postern) => postern.as(ADA)

async function posted(http: ServerOn, path: string, asked: Parameters<ServerOn['ask']>[1]): Promise<string[]> {
  const { status, text, body } = await http.ask(`POST /api/v1/${path}`, asked ?? {})
  if (status === 503) throw new PosternError('STORE_UNAVAILABLE', { path: '', reason: text })
  expect(status, text).toBe(201)
  return [body].flat().map(({ id, post }) => id ?? post.messageId)
}

describe('a connection that is cut around the commit', NEEDS_POSTGRES, () => {
  for (const door of DOORS) {
    it(`leaves exactly one of what is repeated with its key: ${door.name}`, async () => {
      verifies('B1.unknown-outcome')
      const world = await createWorld()
      for (const lost of ['answer', 'request'] as const) {
        const { first, again, stored } = await storeTwice(world, door, lost, `door-${DOORS.indexOf(door)}-${lost}`)
        expect(first, `what was there after the cut: ${lost}`).toHaveLength(lost === 'answer' ? again.length : 0)
        expect(stored.toSorted(), lost).toEqual(again.toSorted())
        if (lost === 'answer') expect(again.toSorted()).toEqual(first.toSorted())
      }
      expect(await deliveriesOf(world.direct, door)).toBe(2 * door.deliveries)
      expect(await conservationFault(world.direct)).toBeNull()
    })
  }

  it('finds two of what is repeated without a key', FULL, async () => {
    const world = await createWorld()
    for (const door of DOORS) {
      const { stored, again } = await storeTwice(world, door, 'answer', undefined)
      expect(stored.length, door.name).toBe(2 * again.length)
    }
  })
})

/** What a request creates once under its Idempotency-Key, because its answer is recorded in the same transaction. */
const CREATING = [
  {
    path: 'gates',
    statement: /^COMMIT\n.*INSERT INTO gates/s,
    bodyOf: (text: string) => ({ agent: 'quinn', kind: 'timer', afterMs: 60_000, reason: text }),
    idsOf: async ({ gates }: Postern, text: string) =>
      (await gates.list()).filter(({ reason }) => reason === text).map(({ id }) => id),
  },
  {
    path: 'decisions',
    statement: /^COMMIT\n.*INSERT INTO decisions/s,
    bodyOf: (text: string) => ({ agent: 'quinn', question: text, options: OPTIONS, ask: ['justin'] }),
    idsOf: async ({ decisions }: Postern, text: string) =>
      (await decisions.list()).filter(({ question }) => question === text).map(({ id }) => id),
  },
] as const
const OPTIONS = [
  { key: 'yes', label: 'Yes' },
  { key: 'no', label: 'No' },
]

describe('a request that creates something, whose connection is cut around the commit', NEEDS_POSTGRES, () => {
  for (const { path, statement, bodyOf, idsOf } of CREATING) {
    it(`is done once under its Idempotency-Key, and gets its answer: ${path}`, async () => {
      verifies('B1.unknown-outcome')
      const { url, drop } = await createDatabase(inject('postgresUrl'))
      onTestFinished(drop)
      const direct = await openOn(url)
      await direct.agents.add({ id: 'quinn' })
      await direct.agents.add({ id: 'justin', kind: 'human' })
      const proxy = await startCuttingProxy(url)
      const http = await serveOn(proxy.url)
      for (const lost of ['answer', 'request'] as const) {
        const text = `the ${lost} is lost`
        const asked = { headers: { 'idempotency-key': lost }, body: bodyOf(text) }
        const cut = proxy.cutNext({ statement, lost })
        expect((await http.ask(`POST /api/v1/${path}`, asked)).status).toBe(503)
        await cut
        const first = await idsOf(direct, text)
        expect(first).toHaveLength(lost === 'answer' ? 1 : 0)
        const again = await http.ask(`POST /api/v1/${path}`, asked)
        expect(again.status, again.text).toBe(201)
        const stored = await idsOf(direct, text)
        expect(stored).toEqual([again.body.id])
        if (lost === 'answer') expect(stored).toEqual(first)
        const notices = (await listEverything(direct)).filter(({ agent }) => agent === 'justin')
        expect(new Set(notices.map(({ dedupKey }) => dedupKey)).size).toBe(notices.length)
      }
      const unkeyed = { body: bodyOf('without a key') }
      const cut = proxy.cutNext({ statement, lost: 'answer' })
      expect((await http.ask(`POST /api/v1/${path}`, unkeyed)).status).toBe(503)
      await cut
      expect((await http.ask(`POST /api/v1/${path}`, unkeyed)).status).toBe(201)
      expect(await idsOf(direct, 'without a key')).toHaveLength(2)
      expect(await conservationFault(direct)).toBeNull()
    })
  }
})

let database: Promise<TestDatabase> | undefined
afterAll(async () => (await database)?.drop())

/** All share one database: what each has stored is told apart by what it says. */
async function createWorld(): Promise<World> {
  database ??= createDatabase(inject('postgresUrl'))
  const { url } = await database
  const direct = await openOn(url)
  for (const id of ['ada', 'quinn', 'rex']) await direct.agents.add({ id })
  await asAda(direct).spaces.create({ id: 'alpha', members: ['ada', 'quinn', 'rex'] })
  const proxy = await startCuttingProxy(url)
  return { proxy, postern: await openOn(proxy.url), http: await serveOn(proxy.url), direct }
}

let count = 0

/** Stores something over a connection that is cut, then once more; and looks at what is there each time. */
async function storeTwice(world: World, door: Door, lost: Lost, key: string | undefined) {
  const content = `${door.name}; ${lost} ${++count}`
  const cut = world.proxy.cutNext({ statement: door.statement, lost })
  const refused = await door.store(world, content, key).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(refused, door.name).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await cut
  const first = await idsOf(world.direct, content)
  const again = await door.store(world, content, key)
  return { first, again, stored: await idsOf(world.direct, content) }
}

async function idsOf({ inbox }: Postern, content: string): Promise<string[]> {
  const found = await inbox.search({ query: content, limit: 100 })
  return found.filter((message) => message.content === content).map(({ id }) => id)
}

async function deliveriesOf(postern: Postern, { name }: Door): Promise<number> {
  return (await listEverything(postern)).filter(({ content }) => content.startsWith(`${name}; `)).length
}
