import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import '../../helpers/global-postgres.ts'
import { agent } from '../../../src/agent/runtime.ts'
import { connectPostern } from '../../../src/client/connect.ts'
import type { Postern, PushResult } from '../../../src/model/postern.ts'
import { postern } from '../../helpers/command.ts'
import { type ServeProcess, startServe } from '../../helpers/http-server.ts'
import { needsPostgres, needsPrograms } from '../../helpers/needs.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { createDatabase } from '../../helpers/postgres.ts'
import { type RedisServer, startRedis } from '../../helpers/redis.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

/** Seed 001's three entries, as they stand there. */
const SPACE_MESSAGE = `{
  "eventId": "evt-001",
  "type": "space_message",
  "timestamp": "2026-02-18T15:06:55Z",
  "data": {
    "spaceId": "space-xyz",
    "spaceName": "Project Alpha",
    "messageId": "msg-g7h8",
    "senderEntityId": "entity-husam",
    "senderName": "Husam",
    "senderType": "human",
    "content": "Pull the Q4 revenue numbers"
  }
}`
const PLAN = `{
  "eventId": "evt-plan-abc",
  "type": "plan",
  "timestamp": "2026-02-19T09:00:00Z",
  "data": {
    "planId": "plan-abc",
    "planName": "Daily Report",
    "instruction": "Generate and post the daily metrics summary"
  }
}`
const SERVICE = `{
  "eventId": "evt-svc-xyz",
  "type": "service",
  "timestamp": "2026-02-18T15:10:00Z",
  "data": {
    "serviceName": "jira-webhook",
    "payload": { "issue": "PROJ-123", "action": "created" }
  }
}`

const adminUrl = inject('postgresUrl')
const redis = await startRedis()

describe('foreign clients of Redis', needsPrograms('redis-server', 'redis-cli'), () => {
  const server = redis as RedisServer
  afterAll(() => server.stop())
  beforeEach(() => server.cli('FLUSHALL'))

  /** A home whose server has Redis for a wire, with quinn registered. */
  async function makeHome(wire: object = {}) {
    const home = fastFolder()
    writeFileSync(join(home, 'config.json'), JSON.stringify({ wire: { url: server.url, ...wire } }))
    await warmPosternJson({ home }, 'agent', 'add', 'quinn')
    return home
  }

  const connect = async ({ url, token }: ServeProcess): Promise<Postern> => {
    const connected = await connectPostern({ url, token })
    onTestFinished(() => connected.close())
    return connected
  }
  const inboxOf = async (from: Postern, which: 'pending' | 'all' = 'all') =>
    (await from.inbox.list({ agent: 'quinn', which, limit: 1_000 })).items

  it('what redis-cli pushes in the seed’s JSON reaches the agent, once and in order', async () => {
    verifies('S001.redis.in', 'S001.redis.provenance')
    const running = await connect(await startServe({ home: await makeHome() }))
    for (const entry of [SPACE_MESSAGE, PLAN, SERVICE, SPACE_MESSAGE]) await server.cli('LPUSH', 'inbox:quinn', entry)
    await expect.poll(() => server.cli('EXISTS', 'inbox:quinn', 'inbox:quinn:taking'), PATIENTLY).toBe('0')

    const runtime = agent(running, { agent: 'quinn' })
    for await (const batch of runtime.batches()) {
      expect(batch.text.split('\n').slice(1)).toEqual([
        '[Project Alpha] Husam (redis:entity-husam, local, unverified): "Pull the Q4 revenue numbers"',
        '[Plan: Daily Report (redis:plan-abc, unverified)] Generate and post the daily metrics summary',
        '[Service: jira-webhook (redis:jira-webhook, unverified)] {"issue":"PROJ-123","action":"created"}',
      ])
      runtime.stop()
    }
    expect(await inboxOf(running)).toMatchObject([
      { type: 'space_message', from: { id: 'redis:entity-husam', verified: false, via: 'redis' }, state: 'seen' },
      { type: 'plan', subject: 'Daily Report', from: { id: 'redis:plan-abc' }, state: 'seen' },
      { type: 'service', payload: { serviceName: 'jira-webhook', payload: { issue: 'PROJ-123' } }, state: 'seen' },
    ])
  })

  it('an event that was pushed again is known, after a restart too', async () => {
    verifies('S001.redis.dedup')
    const home = await makeHome()
    const first = await startServe({ home })
    await server.cli('LPUSH', 'inbox:quinn', PLAN)
    await expect.poll(async () => (await inboxOf(await connect(first))).length, PATIENTLY).toBe(1)
    await first.stop('SIGKILL')
    await server.cli('LPUSH', 'inbox:quinn', PLAN, SERVICE)
    const second = await connect(await startServe({ home }))
    await expect
      .poll(async () => (await inboxOf(second)).map(({ type }) => type), PATIENTLY)
      .toEqual(['plan', 'service'])
    await expect.poll(() => server.cli('EXISTS', 'inbox:quinn:taking'), PATIENTLY).toBe('0')
    expect(await inboxOf(second)).toHaveLength(2)
  })

  it('two servers on one store take over one list: each event once, in order', needsPostgres(adminUrl), async () => {
    verifies('S001.redis.dedup', 'S001.redis.in')
    const database = await createDatabase(adminUrl)
    onTestFinished(() => database.drop())
    const homes = [await makeHome(), await makeHome()]
    await warmPosternJson({ home: homes[0] ?? '', store: database.url }, 'agent', 'add', 'quinn')
    const servers = await Promise.all(homes.map((home) => startServe({ home, args: ['--store', database.url] })))
    const events = Array.from({ length: 300 }, (_, at) => ({ eventId: `evt-${at}`, data: { content: `${at}` } }))
    for (let at = 0; at < events.length; at += 20) {
      const texts = events.slice(at, at + 20).map((event) => JSON.stringify(event))
      // A producer whose connection broke pushes all of it again.
      await server.cli('LPUSH', 'inbox:quinn', ...texts)
      await server.cli('LPUSH', 'inbox:quinn', ...texts)
    }
    await expect.poll(() => server.cli('EXISTS', 'inbox:quinn', 'inbox:quinn:taking'), PATIENTLY).toBe('0')
    const contents = (await inboxOf(await connect(servers[0] as ServeProcess))).map(({ content }) => content)
    expect(contents).toEqual(events.map(({ data }) => data.content))
  })

  it('what was taken by a server that was killed is brought by the next', async () => {
    verifies('S001.redis.in')
    await server.cli('HSET', 'inbox:quinn:taking', '1-dead-0001', SPACE_MESSAGE, 'taker', 'dead 1000')
    const running = await connect(await startServe({ home: await makeHome() }))
    await expect.poll(async () => (await inboxOf(running)).length, PATIENTLY).toBe(1)
    await expect.poll(() => server.cli('EXISTS', 'inbox:quinn:taking'), PATIENTLY).toBe('0')
  })

  it('what cannot be read is put aside, and what belongs to nobody is left alone and named', async () => {
    verifies('S001.redis.poison')
    const home = await makeHome({ redisOut: ['mistyped'] })
    const running = await connect(await startServe({ home }))
    const large = JSON.stringify({ type: 'plan', data: { instruction: 'x'.repeat(100_000) } })
    await server.cli('LPUSH', 'inbox:stranger', PLAN)
    await server.cli('LPUSH', 'inbox:quinn', '{"eventId": "evt-', large, SERVICE)
    await expect.poll(() => server.cli('LLEN', 'inbox:quinn:refused'), PATIENTLY).toBe('2')
    await expect.poll(async () => (await inboxOf(running)).map(({ type }) => type), PATIENTLY).toEqual(['service'])
    expect(await server.cli('LINDEX', 'inbox:quinn:refused', '1')).toBe('{"eventId": "evt-')
    expect(await server.cli('LLEN', 'inbox:stranger')).toBe('1')
    const { stdout } = await warmPostern({ home }, 'doctor')
    expect(stdout).toContain('inbox:stranger')
    expect(stdout).toMatch(/wire\.redisOut .*not registered: mistyped/)
  })

  it('what was pushed to Postern is popped by redis-cli in the seed’s JSON, and is then offered', async () => {
    verifies('S001.redis.out')
    const home = await makeHome({ redisOut: ['quinn'] })
    const running = await connect(await startServe({ home }))
    const words = ['--to', 'quinn', '--type', 'mail', '--subject', 'Lunch', 'At noon?']
    const { id } = await warmPosternJson<PushResult>({ home }, 'inbox', 'push', ...words)
    const { id: later } = await warmPosternJson<PushResult>({ home }, 'inbox', 'push', '--to', 'quinn', 'Later')
    const [list, text = ''] = (await server.cli('BRPOP', 'inbox:quinn', '20')).split('\n')
    expect(list).toBe('inbox:quinn')
    expect(JSON.parse(text)).toMatchObject({
      eventId: id,
      type: 'message',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: { messageId: id, type: 'mail', subject: 'Lunch', content: 'At noon?', senderVerified: false },
    })
    const states = async () => (await inboxOf(running)).map(({ state }) => state)
    await expect.poll(states, PATIENTLY).toEqual(['offered', 'pending'])
    const { deliveries } = await running.inbox.trace({ id })
    expect(deliveries[0]?.steps).toMatchObject([
      { step: 'stored' },
      { step: 'popped', evidence: 'popped from the Redis list inbox:quinn' },
      { step: 'offered' },
      { step: 'printed' },
    ])

    // Everything is wiped: what still waits comes again, what was popped does not.
    await server.cli('FLUSHALL')
    await expect.poll(() => server.cli('LLEN', 'inbox:quinn'), PATIENTLY).toBe('1')
    expect(JSON.parse(await server.cli('LINDEX', 'inbox:quinn', '0'))).toMatchObject({ eventId: later })
    // An acknowledgement is the only proof that it was seen.
    await running.inbox.ack({ agent: 'quinn', ids: [id] })
    expect(await states()).toEqual(['acted', 'pending'])
  })

  it('a plan goes out as the seed has it, when it fires', async () => {
    verifies('S001.redis.out')
    const home = await makeHome({ redisOut: ['quinn'] })
    const running = await connect(await startServe({ home }))
    const plan = { agent: 'quinn', name: 'Daily Report', instruction: 'Post the summary', runAfter: '1s' }
    await running.plans.set({ plans: [plan] })
    const [, text = ''] = (await server.cli('BRPOP', 'inbox:quinn', '30')).split('\n')
    expect(JSON.parse(text)).toMatchObject({
      eventId: expect.stringMatching(/^msg_/),
      type: 'plan',
      data: { planName: 'Daily Report', instruction: 'Post the summary' },
    })
  })

  it('an agent is never both: nothing is taken from a list that we fill', async () => {
    verifies('S001.redis.one-way')
    const home = await makeHome({ redisOut: ['quinn'] })
    await startServe({ home })
    const { id } = await warmPosternJson<PushResult>({ home }, 'inbox', 'push', '--to', 'quinn', 'hello')
    await expect.poll(() => server.cli('LLEN', 'inbox:quinn'), PATIENTLY).toBe('1')
    // Another home, whose server would take over everything.
    const taking = await startServe({ home: await makeHome() })
    await expect.poll(() => taking.stderr(), PATIENTLY).toContain('redis.bothWays')
    expect(JSON.parse(await server.cli('LINDEX', 'inbox:quinn', '0'))).toMatchObject({ eventId: id })
    expect(await inboxOf(await connect(taking))).toEqual([])
  })

  it('a server that may evict is refused with advice', async () => {
    verifies('S001.redis.eviction')
    await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    onTestFinished(async () => void (await server.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')))
    const { exit, stderr } = await postern({ home: await makeHome() }, 'serve', '--port', '0')
    expect(exit).not.toBe(0)
    expect(stderr).toContain('allkeys-lru')
    expect(stderr).toContain('maxmemory-policy noeviction')
  })
})
