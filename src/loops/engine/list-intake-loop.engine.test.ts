import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../../test/helpers/needs.ts'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { type RedisServer, startRedis } from '../../../test/helpers/redis.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { createListIntake } from '../../wires/redis/list-intake.ts'
import { createRedisWire, type RedisWire } from '../../wires/redis/redis-wire.ts'
import { type ListIntakeOptions, type ListVerdict, startListIntake } from './list-intake-loop.ts'

const redis = await startRedis()

/** By itself the loop reads the roster only every 5 s. */
const LESS_THAN_A_ROSTER_MS = 4_000

describe('the intake of Redis lists', needsPrograms('redis-server', 'redis-cli'), () => {
  const server = redis as RedisServer
  afterAll(() => server.stop())
  beforeEach(() => server.cli('FLUSHALL'))

  function createWire(): RedisWire {
    const wire = createRedisWire({ url: server.url, random: () => 0 })
    onTestFinished(async () => wire.close())
    return wire
  }

  const push = (...texts: string[]) => server.cli('LPUSH', 'inbox:quinn', ...texts)
  const keys = async () => (await server.cli('KEYS', 'inbox:*')).split('\n').filter(Boolean).sort()
  const isEmpty = () => expect.poll(keys, PATIENTLY).toEqual([])

  /** A store that is an array and recognises an entry by its ticket. */
  function start(options: Partial<ListIntakeOptions> = {}) {
    const stored: string[] = []
    const tickets = new Set<string>()
    const notes = createSignal<{ readonly event: string; readonly fields: Readonly<Record<string, unknown>> }>()
    const intake = startListIntake({
      wire: createWire(),
      taker: `taker${Math.random()}`,
      random: () => 0,
      note: (event, fields) => notes.fire({ event, fields }),
      roster: async () => ({ in: ['quinn'], out: [] }),
      check: async () => {},
      async store(_, entries) {
        for (const { ticket, text } of entries) if (!tickets.has(ticket)) stored.push(text)
        for (const { ticket } of entries) tickets.add(ticket)
        return entries.map((): ListVerdict => 'done')
      },
      ...options,
    })
    onTestFinished(() => intake.close())
    return { stored, notes, wake: () => intake.wake(), close: () => intake.close() }
  }

  it('takes every entry once, in the order of the pushes, and leaves nothing behind', async () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `text ${at}`)
    await push(...texts)
    const { stored } = start()
    await isEmpty()
    expect(stored).toEqual(texts)
    await push('one more')
    await expect.poll(() => stored.at(-1)).toBe('one more')
  })

  it('reads the roster again when it is woken', async () => {
    const rosters = createSignal()
    const { wake } = start({
      async roster() {
        rosters.fire()
        return { in: [], out: [] }
      },
    })
    await rosters.fired
    const before = rosters.values.length
    wake()
    await expect.poll(() => rosters.values.length, { timeout: LESS_THAN_A_ROSTER_MS }).toBeGreaterThan(before)
  })

  it('keeps the order of the pushes if several servers take at once', async () => {
    const stored: string[] = []
    const store: ListIntakeOptions['store'] = async (_, entries) => {
      await new Promise(setImmediate)
      stored.push(...entries.map(({ text }) => text))
      return entries.map(() => 'done')
    }
    const texts = Array.from({ length: 2_000 }, (_, at) => `text ${at}`)
    const starting = [start({ store }), start({ store }), start({ store })]
    for (let at = 0; at < texts.length; at += 100) await push(...texts.slice(at, at + 100))
    await isEmpty()
    expect(starting.length).toBe(3)
    expect(stored).toEqual(texts)
  })

  it('gives the entries of a dead server to another, under the same tickets and before the rest', async () => {
    await push('left', 'behind')
    const left = await createListIntake(createWire().use, { taker: 'dead' }).take('quinn')
    await push('new')
    const seen: string[] = []
    const { stored } = start({
      staleMs: 300,
      store: async (_, entries) => {
        seen.push(...entries.map(({ ticket, text }) => `${ticket} ${text}`))
        return entries.map(() => 'done')
      },
    })
    await isEmpty()
    expect(stored).toEqual([])
    expect(seen.slice(0, 2)).toEqual(left.entries.map(({ ticket, text }) => `${ticket} ${text}`))
    expect(seen[2]).toMatch(/ new$/)
  })

  it('takes the entries of a dead server whose clock was ahead, as after a failover', async () => {
    const ahead = Date.now() + 3_600_000
    await server.cli('HSET', 'inbox:quinn:taking', '1-dead-0001', 'left', 'taker', `dead ${ahead}`)
    const { stored } = start()
    await isEmpty()
    expect(stored).toEqual(['left'])
  })

  it('notes once that entries wait for room, and stores them when there is some', async () => {
    await push('a', 'b', 'c')
    let room = 1
    const kept: string[] = []
    const { notes } = start({
      store: async (_, entries) =>
        entries.map(({ text }) => {
          if (room === 0) return 'kept'
          room -= 1
          kept.push(text)
          return 'done'
        }),
    })
    await expect.poll(() => notes.values).toHaveLength(1)
    room = 10
    await isEmpty()
    expect(kept).toEqual(['a', 'b', 'c'])
    expect(notes.values).toEqual([{ event: 'redis.intakeWaits', fields: { agent: 'quinn', count: 2 } }])
  })

  it('takes nothing that a live server has taken', async () => {
    await push('taken')
    const [here, there] = [createWire(), createWire()].map(({ use }, at) =>
      createListIntake(use, { taker: `taker${at}` }),
    )
    const first = await here?.take('quinn')
    await push('next')
    expect(await there?.take('quinn')).toMatchObject({ entries: [], isBusy: 'taken' })
    expect(await here?.take('quinn')).toEqual(first)
    await here?.settle('quinn', { done: first?.entries.map(({ ticket }) => ticket) ?? [], refused: [] })
    expect((await there?.take('quinn'))?.entries.map(({ text }) => text)).toEqual(['next'])
  })

  it('sets refused entries aside byte for byte, and continues', async () => {
    await push('good', 'bad', 'bad', 'better')
    const { notes, stored } = start({
      store: async (_, entries) => {
        const verdicts = entries.map(({ text }): ListVerdict => (text === 'bad' ? { fault: 'it is bad' } : 'done'))
        stored.push(...entries.filter((_, at) => verdicts[at] === 'done').map(({ text }) => text))
        return verdicts
      },
    })
    await expect.poll(keys).toEqual(['inbox:quinn:refused'])
    expect(stored).toEqual(['good', 'better'])
    expect(await server.cli('LRANGE', 'inbox:quinn:refused', '0', '-1')).toBe('bad\nbad')
    expect(notes.values).toEqual([{ event: 'redis.refused', fields: { agent: 'quinn', count: 2, fault: 'it is bad' } }])
  })

  it('keeps only the last thousand refused entries', async () => {
    await push(...Array.from({ length: 1_100 }, (_, at) => `bad ${at}`))
    start({ store: async (_, entries) => entries.map(() => ({ fault: 'it is bad' })) })
    await expect.poll(() => server.cli('LINDEX', 'inbox:quinn:refused', '0')).toBe('bad 1099')
    expect(await server.cli('LLEN', 'inbox:quinn:refused')).toBe('1000')
  })

  it('sets entries aside that are too large', async () => {
    await createWire().use((client) => client.lPush('inbox:quinn', ['x'.repeat(1024 * 1024 + 1), 'small']))
    const { stored } = start()
    await expect.poll(keys).toEqual(['inbox:quinn:refused'])
    expect(stored).toEqual(['small'])
  })

  it('isolates an entry that the store fails on repeatedly', async () => {
    await push('good', 'poison', 'better')
    const kept: string[] = []
    start({
      store: async (_, entries) => {
        if (entries.some(({ text }) => text === 'poison')) throw new Error('the store has choked')
        kept.push(...entries.map(({ text }) => text))
        return entries.map(() => 'done')
      },
    })
    await expect.poll(keys, PATIENTLY).toEqual(['inbox:quinn:refused'])
    expect(kept).toEqual(['good', 'better'])
  })

  it('refuses nothing while the store is down, and stores everything afterwards', async () => {
    await push('a', 'b')
    let isAway = true
    const failed = createSignal<string>()
    const kept: string[] = []
    const away = () => {
      if (isAway) throw new Error('the store is away')
    }
    start({
      check: async () => {
        failed.fire('checked')
        away()
      },
      store: async (_, entries) => {
        away()
        kept.push(...entries.map(({ text }) => text))
        return entries.map(() => 'done')
      },
    })
    await failed.times(3)
    expect(await keys()).toEqual(['inbox:quinn:taking'])
    isAway = false
    await isEmpty()
    expect(kept).toEqual(['a', 'b'])
  })

  it('leaves alone the lists of unregistered agents, and those that foreign consumers read', async () => {
    await server.cli('LPUSH', 'inbox:stranger', 'x')
    await server.cli('LPUSH', 'inbox:read-by-others', 'y')
    await push('mine')
    const { stored } = start({ roster: async () => ({ in: ['quinn'], out: ['read-by-others'] }) })
    await expect.poll(keys).toEqual(['inbox:read-by-others', 'inbox:stranger'])
    expect(stored).toEqual(['mine'])
  })

  it('takes nothing from a list that another server fills for consumers', async () => {
    await server.cli('SET', 'inbox:quinn:outlet', 'another', 'PX', '60000')
    await push('for a consumer')
    const { stored, notes } = start()
    await expect.poll(() => notes.values.map(({ event }) => event)).toContain('redis.bothWays')
    expect(await server.cli('LLEN', 'inbox:quinn')).toBe('1')
    expect(stored).toEqual([])
  })

  it('continues with the other lists if a key is not a list', async () => {
    await server.cli('SET', 'inbox:quinn', 'not a list')
    await server.cli('LPUSH', 'inbox:riley', 'hello')
    const { stored, notes } = start({ roster: async () => ({ in: ['quinn', 'riley'], out: [] }) })
    await expect.poll(() => stored).toEqual(['hello'])
    await expect.poll(() => notes.values.map(({ event }) => event)).toContain('redis.intakeFailed')
  })

  it('notes once that a key is not a list, however often it tries, and again once it was one', async () => {
    const notes: unknown[] = []
    const tried = createSignal<void>()
    const wire = createRedisWire({ url: server.url, random: () => 0 })
    onTestFinished(async () => wire.close())
    const counted = {
      use: (task: Parameters<typeof wire.use>[0]) => {
        tried.fire()
        return wire.use(task)
      },
    }
    await server.cli('SET', 'inbox:quinn', 'not a list')
    const { stored } = start({
      wire: { ...wire, ...counted } as typeof wire,
      note: (event, fields) => void notes.push([event, fields['agent']]),
    })
    await tried.times(12)
    expect(notes).toEqual([['redis.intakeFailed', 'quinn']])
    await server.cli('DEL', 'inbox:quinn')
    await push('a list')
    await expect.poll(() => stored, PATIENTLY).toEqual(['a list'])
    await server.cli('SET', 'inbox:quinn', 'not a list')
    await expect.poll(() => notes.length, PATIENTLY).toBe(2)
  })

  it('polls at once when a producer publishes on the channel of the agent', async () => {
    const { stored } = start()
    await expect.poll(() => server.cli('PUBSUB', 'NUMSUB', 'wakeup:quinn')).toBe('wakeup:quinn\n1')
    await push('rung')
    await server.cli('PUBLISH', 'wakeup:quinn', '')
    await expect.poll(() => stored).toEqual(['rung'])
  })

  it('continues after Redis was wiped and restarted', async () => {
    const other = (await startRedis()) as RedisServer
    onTestFinished(() => other.stop())
    const wire = createRedisWire({ url: other.url, random: () => 0 })
    onTestFinished(async () => wire.close())
    const { stored } = start({ wire })
    await other.cli('LPUSH', 'inbox:quinn', 'before')
    await expect.poll(() => stored).toEqual(['before'])
    await other.end('SIGKILL')
    await other.again()
    await other.cli('LPUSH', 'inbox:quinn', 'after')
    await expect.poll(() => stored, PATIENTLY).toEqual(['before', 'after'])
    await other.cli('FLUSHALL')
    await other.cli('LPUSH', 'inbox:quinn', 'again')
    await expect.poll(() => stored).toEqual(['before', 'after', 'again'])
  })
})
