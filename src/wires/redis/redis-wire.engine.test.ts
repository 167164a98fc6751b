import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../../test/helpers/needs.ts'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { type RedisServer, startRedis } from '../../../test/helpers/redis.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { FULL } from '../../../test/helpers/tier.ts'
import { PosternError } from '../../model/errors.ts'
import { createRedisWire, type RedisOptions, type RedisWire } from './redis-wire.ts'

const redis = await startRedis()

describe('the Redis wire', needsPrograms('redis-server', 'redis-cli'), () => {
  const server = redis as RedisServer
  afterAll(() => server.stop())

  function createWire(options: Partial<RedisOptions> = {}): RedisWire {
    const wire = createRedisWire({ url: server.url, random: () => 0, ...options })
    onTestFinished(async () => wire.close())
    return wire
  }

  const clients = async (name: string) =>
    (await server.cli('CLIENT', 'LIST')).split('\n').filter((line) => line.includes(`name=postern-${name} `)).length

  it('is rung by whatever anybody publishes on the seed’s channel, and rings on it', async () => {
    const wire = createWire()
    const quinn = createSignal<readonly string[]>()
    await wire.listen(['quinn'], quinn.fire)
    expect(await server.cli('PUBLISH', 'wakeup:quinn', 'any message')).toBe('1')
    expect(await quinn.fired).toEqual(['quinn'])
  })

  it('opens no connection before it is used, and shares one among its listeners', async () => {
    const connections = async () => ({
      subscriptions: await clients('subscriptions'),
      commands: await clients('commands'),
    })
    const none = { subscriptions: 0, commands: 0 }
    // Redis may still list the connections of the test before.
    await expect.poll(connections).toEqual(none)
    const wire = createWire()
    expect(await connections()).toEqual(none)
    const opened = await Promise.all(['a', 'b', 'c'].map((name) => wire.listen([name], () => {})))
    expect(await connections()).toEqual({ subscriptions: 1, commands: 0 })
    for (const listener of opened) await listener.close()
    await wire.close()
    await expect.poll(connections).toEqual(none)
  })

  it('rings every listener when a lost connection is back, and hears again', async () => {
    const wire = createWire()
    const [quinn, riley] = [createSignal<readonly string[]>(), createSignal<readonly string[]>()]
    await wire.listen(['quinn', '@all'], quinn.fire)
    await wire.listen(['riley'], riley.fire)
    await wire.ring(['nobody'])
    await server.cli('CLIENT', 'KILL', 'TYPE', 'pubsub')
    expect(await quinn.fired).toEqual(['quinn', '@all'])
    expect(await riley.fired).toEqual(['riley'])
    await wire.ring(['riley'])
    await riley.times(2)
  })

  it('hears again what it had stopped to listen to', async () => {
    const wire = createWire({ lingerMs: 0 })
    for (let round = 0; round < 50; round++) {
      const again = createSignal<readonly string[]>()
      const listener = await wire.listen(['quinn'], () => {})
      void listener.close()
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      const heard = await wire.listen(['quinn'], again.fire)
      await wire.ring(['quinn'])
      expect(await again.fired).toEqual(['quinn'])
      void heard.close()
    }
  })

  it('stays subscribed for a while, because whoever waits mostly waits again', FULL, async () => {
    const wire = createWire({ lingerMs: 2_000 })
    const subscribed = () => server.cli('PUBSUB', 'CHANNELS', 'wakeup:lingering*')
    for (const name of ['lingering-quinn', 'lingering-riley']) await (await wire.listen([name], () => {})).close()
    expect((await subscribed()).split('\n').sort()).toEqual(['wakeup:lingering-quinn', 'wakeup:lingering-riley'])
    await wire.listen(['lingering-riley'], () => {})
    await expect.poll(subscribed, PATIENTLY).toBe('wakeup:lingering-riley')
  })

  it('refuses what is no name, and rings no more once closed', async () => {
    const wire = createWire()
    expect(() => wire.ring(['x y'])).toThrow(RangeError)
    await wire.close()
    await wire.close()
    await expect(wire.ring(['quinn'])).rejects.toThrow('closed')
    expect(wire.lastRungAt('quinn')).toBeUndefined()
    expect(await wire.health()).toMatchObject({ isUp: false })
  })

  it('refuses a URL of which nothing can be made', () => {
    for (const url of ['redis://h/not-a-number', 'redis://u%ZZ@h']) {
      expect(() => createRedisWire({ url })).toThrow(expect.objectContaining({ code: 'WIRE_URL_INVALID' }))
    }
  })

  it('says once that a server is lost, and once that it is back', async () => {
    const other = (await startRedis()) as RedisServer
    onTestFinished(() => other.stop())
    const events: string[] = []
    const wire = createWire({ url: other.url, note: (event) => events.push(event) })
    await wire.ring(['quinn'])
    await other.end('SIGKILL')
    await expect.poll(async () => (await wire.health()).isUp).toBe(false)
    await other.again()
    await expect.poll(async () => (await wire.health()).isUp, PATIENTLY).toBe(true)
    // A connection that breaks and one that is refused are two things to know.
    expect(events.filter((event) => event === 'wire.lost').length).toBeLessThanOrEqual(2)
    expect(events.filter((event) => event === 'wire.connected')).toHaveLength(2)
  })

  it('says that it is down without a password, and is up once there is a server', async () => {
    const url = 'redis://me:secret@127.0.0.1:1'
    const { isUp, detail } = await createWire({ url }).health()
    expect(isUp).toBe(false)
    expect(detail).toMatch(/^Redis at redis:\/\/me:…@127\.0\.0\.1:1: .*ECONNREFUSED/)
    await expect(createWire({ url }).ring(['quinn'])).rejects.toThrow('ECONNREFUSED')
    expect(await createWire().health()).toEqual({ isUp: true, detail: `Redis at ${server.url}` })
  })

  it('listens while there is no server, and rings once there is', async () => {
    const other = (await startRedis()) as RedisServer
    onTestFinished(() => other.stop())
    await other.end('SIGKILL')
    const wire = createWire({ url: other.url })
    const quinn = createSignal<readonly string[]>()
    await wire.listen(['quinn'], quinn.fire)
    await wire.check()
    await other.again()
    expect(await quinn.fired).toEqual(['quinn'])
    await expect.poll(async () => (await wire.health()).isUp, PATIENTLY).toBe(true)
    await wire.ring(['quinn'])
    await quinn.times(2)
  })

  it('notices a server that takes everything and answers nothing', async () => {
    const other = (await startRedis()) as RedisServer
    onTestFinished(() => other.stop())
    const lost = createSignal<string>()
    const note = (event: string) => event === 'wire.lost' && lost.fire(event)
    const wire = createWire({ url: other.url, note, pulseMs: 200 })
    const quinn = createSignal<readonly string[]>()
    await wire.listen(['quinn'], quinn.fire)
    other.freeze(true)
    await lost.fired
    expect(quinn.values).toEqual([])
    other.freeze(false)
    expect(await quinn.fired).toEqual(['quinn'])
  })

  it('takes a replica for a server that is down, also one that has become it, until it is the primary', async () => {
    const [primary, other] = [(await startRedis()) as RedisServer, (await startRedis()) as RedisServer]
    onTestFinished(async () => void (await Promise.all([primary.stop(), other.stop()])))
    const wire = createWire({ url: other.url })
    const isUp = async () => (await wire.health()).isUp
    expect(await isUp()).toBe(true)
    await other.cli('REPLICAOF', '127.0.0.1', new URL(primary.url).port)
    await expect(wire.use((client) => client.set('a', 'b'))).rejects.toThrow('READONLY')
    expect(await isUp()).toBe(false)
    expect((await createWire({ url: other.url }).health()).detail).toContain('replica')
    await other.cli('REPLICAOF', 'NO', 'ONE')
    await expect.poll(isUp, PATIENTLY).toBe(true)
    await wire.use((client) => client.set('a', 'b'))
  })

  it('trusts a server that does not let it ask whether it evicts, and says so', async () => {
    await server.cli('ACL', 'SETUSER', 'bob', 'on', '>pw', '~*', '&*', '+@all', '-info')
    const events: string[] = []
    const wire = createWire({ url: server.url.replace('//', '//bob:pw@'), note: (event) => events.push(event) })
    await wire.ring(['quinn'])
    expect(events).toEqual(['wire.policyUnknown', 'wire.connected'])
  })

  describe('where the server may evict', () => {
    let other: RedisServer
    beforeAll(async () => {
      other = (await startRedis(['--maxmemory-policy', 'allkeys-lru'])) as RedisServer
    })
    afterAll(() => other.stop())
    beforeEach(() => other.cli('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'))

    it('refuses it with advice', async () => {
      const wire = createWire({ url: other.url })
      const refusal = await wire.check().catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(PosternError)
      expect(refusal).toMatchObject({ code: 'WIRE_MAY_EVICT', message: expect.stringContaining('allkeys-lru') })
      await expect(wire.ring(['quinn'])).rejects.toMatchObject({ code: 'WIRE_MAY_EVICT' })
      expect(await wire.health()).toMatchObject({ isUp: false, detail: expect.stringContaining('allkeys-lru') })
    })

    it('is up by itself once that is mended', async () => {
      const wire = createWire({ url: other.url })
      const quinn = createSignal<readonly string[]>()
      await wire.listen(['quinn'], quinn.fire)
      await other.cli('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
      expect(await quinn.fired).toEqual(['quinn'])
      await expect.poll(async () => (await wire.health()).isUp, PATIENTLY).toBe(true)
    })
  })
})
