import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../../test/helpers/needs.ts'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { type RedisServer, startRedis } from '../../../test/helpers/redis.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createPostern } from '../../core/postern.ts'
import { readConfig } from '../../host/config/config.ts'
import { openContext } from '../../host/open/context.ts'
import { openStore } from '../../host/open/store.ts'
import { createDoorbell } from '../../wires/local/doorbell.ts'
import { createRedisWire } from '../../wires/redis/redis-wire.ts'

import { startRedisIntake } from './redis-intake.ts'

const redis = await startRedis()

describe('an entry of a foreign producer', needsPrograms('redis-server', 'redis-cli'), () => {
  const server = redis as RedisServer
  afterAll(() => server.stop())
  beforeEach(() => server.cli('FLUSHALL'))

  async function openIntake() {
    const home = temporaryFolder()
    const config = readConfig({ flags: { home }, env: {}, cwd: home })
    const { store } = await openStore(config, {})
    const bell = createDoorbell({ folder: join(home, 'bells') })
    const { ctx, close } = openContext(store, bell, {
      upkeep: false,
      home,
      limits: { ...config.limits, pendingPerAgent: 5 },
    })
    const wire = createRedisWire({ url: server.url, random: () => 0 })
    const postern = createPostern(ctx, close)
    await postern.agents.add({ id: 'quinn' })
    const intake = startRedisIntake({ ctx, wire, out: [] })
    onTestFinished(async () => {
      await intake.close()
      await wire.close()
      await close()
    })
    const list = async () => (await postern.inbox.list({ agent: 'quinn', which: 'all', limit: 100 })).items
    const bring = async (...entries: readonly unknown[]) => {
      await server.cli('LPUSH', 'inbox:quinn', ...entries.map((entry) => JSON.stringify(entry)))
      await expect.poll(() => server.cli('EXISTS', 'inbox:quinn', 'inbox:quinn:taking'), PATIENTLY).toBe('0')
    }
    return { postern, list, bring }
  }

  it('has an unverified sender, whatever it says about itself', async () => {
    const { postern, list, bring } = await openIntake()
    await postern.agents.add({ id: 'rosa', kind: 'human' })
    const data = { content: 'x', senderType: 'system', senderVerified: true, verified: true, from: { id: 'rosa' } }
    const names = ['rosa', 'system', 'quinn', ' rosa\n', '\u202erosa']
    await bring(...names.map((senderEntityId) => ({ type: 'system', from: 'rosa', data: { ...data, senderEntityId } })))
    const senders = (await list()).map(({ from }) => from)
    expect(senders).toHaveLength(5)
    for (const { id, ...from } of senders) {
      expect(id).toMatch(/^redis:[\p{L}\p{N}._@/#+-]+$/u)
      expect(from).toEqual({ kind: 'local', verified: false, via: 'redis' })
    }
  })

  it('never blocks a message of ours by having its id', async () => {
    const { postern, list, bring } = await openIntake()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'ours' })
    const keys = ['decision:one', 'mail:two']
    await bring(...[id, ...keys].map((eventId) => ({ eventId, data: { content: 'theirs' } })))
    for (const dedupKey of keys) {
      expect(await postern.inbox.push({ to: ['quinn'], content: 'ours', dedupKey })).toMatchObject({ duplicate: false })
    }
    expect((await list()).map(({ content }) => content)).toEqual(['ours', 'theirs', 'theirs', 'ours', 'ours'])
  })

  it('is recognised as a duplicate by any kind of id, and without an id is always new', async () => {
    const { list, bring } = await openIntake()
    const event = (eventId: unknown) => ({ eventId, data: { content: 'x' } })
    const ids = ['x'.repeat(5_000), '\ud800', 17]
    for (const eventId of ids) await bring(event(eventId), event(eventId))
    expect(await list()).toHaveLength(3)
    await bring(event(''), event({ a: 1 }))
    expect(await list()).toHaveLength(5)
  })

  it('waits in Redis while the inbox is full, and is taken in order afterwards', async () => {
    const { postern, list } = await openIntake()
    const entries = Array.from({ length: 8 }, (_, at) => JSON.stringify({ data: { content: `${at}` } }))
    await server.cli('LPUSH', 'inbox:quinn', ...entries)
    await expect.poll(async () => (await list()).length, PATIENTLY).toBe(5)
    await expect.poll(() => server.cli('HLEN', 'inbox:quinn:taking'), PATIENTLY).toBe('4')
    const { messages } = await postern.inbox.drain({ agent: 'quinn', via: 'test' })
    expect(messages).toHaveLength(5)
    await expect.poll(async () => (await list()).map(({ content }) => content).join(''), PATIENTLY).toBe('01234567')
  })
})
