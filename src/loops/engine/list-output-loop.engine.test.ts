import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../../test/helpers/needs.ts'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { type RedisServer, startRedis } from '../../../test/helpers/redis.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { inspectLists } from '../../wires/redis/list-facts.ts'
import { createListOutput } from '../../wires/redis/list-output.ts'
import { createRedisWire } from '../../wires/redis/redis-wire.ts'
import type { OnRing } from '../../wires/wire.ts'
import { type ListOutputOptions, startListOutput } from './list-output-loop.ts'

const redis = await startRedis()

/** A consumer pops an entry while a producer pushes one. */
const SWAP = "redis.call('RPOP', KEYS[1]) return redis.call('LPUSH', KEYS[1], ARGV[1])"

/** By itself the loop asks the store only every 30 s. */
const LESS_THAN_A_SETTLE_MS = 20_000

describe('the lists that foreign consumers pop from', needsPrograms('redis-server', 'redis-cli'), () => {
  const server = redis as RedisServer
  afterAll(() => server.stop())
  beforeEach(() => server.cli('FLUSHALL'))

  function createWire(url = server.url) {
    const wire = createRedisWire({ url, random: () => 0 })
    onTestFinished(async () => wire.close())
    return wire
  }

  /** A store that is a map of ids to states, in the order of an inbox. */
  function createInbox(count = 0) {
    const states = new Map<string, 'pending' | 'offered' | 'gone'>()
    const rings = new Set<OnRing>()
    const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => idOf(from + at))
    const add = (from: number, to: number) => {
      for (const id of ids(from, to)) states.set(id, 'pending')
      ring()
    }
    const ring = () => {
      for (const each of rings) each(['quinn'])
    }
    add(0, count)
    return { states, rings, ids, add, ring }
  }

  const idOf = (at: number) => `msg_${String(at).padStart(26, '0')}`
  const textOf = (id: string) => JSON.stringify({ eventId: id, type: 'message' })

  function start(inbox: ReturnType<typeof createInbox>, options: Partial<ListOutputOptions> = {}) {
    const output = startListOutput({
      wire: createWire(),
      server: `server${Math.random()}`,
      agents: ['quinn'],
      max: 10,
      note: () => {},
      async listen(_, onRing) {
        inbox.rings.add(onRing)
        return { close: () => void inbox.rings.delete(onRing) }
      },
      pending: async (_, limit) =>
        [...inbox.states]
          .filter(([, state]) => state === 'pending')
          .slice(0, limit)
          .map(([id]) => ({ id, format: () => textOf(id) })),
      isPending: async (_, id) => inbox.states.get(id) === 'pending',
      async popped(_, ids) {
        for (const id of ids) if (inbox.states.get(id) === 'pending') inbox.states.set(id, 'offered')
      },
      ...options,
    })
    onTestFinished(() => output.close())
    return output
  }

  const inList = async (list = 'inbox:quinn', at = server) => {
    const entries = (await at.cli('LRANGE', list, '0', '-1')).split('\n').filter(Boolean)
    return entries.map((text) => JSON.parse(text).eventId as string).reverse()
  }
  const pop = async (at = server) => JSON.parse((await at.cli('RPOP', 'inbox:quinn')) || 'null')?.eventId as string

  it('adds messages that no ring announced when it is woken', async () => {
    const inbox = createInbox()
    const settled = createSignal()
    const output = start(inbox, {
      async pending() {
        settled.fire()
        return [...inbox.states.keys()].map((id) => ({ id, format: () => textOf(id) }))
      },
    })
    await settled.fired
    inbox.states.set(idOf(0), 'pending')
    output.wake()
    await expect.poll(() => inList(), { ...PATIENTLY, timeout: LESS_THAN_A_SETTLE_MS }).toEqual([idOf(0)])
  })

  it('adds pending messages, oldest first, up to the limit, and more as they are popped', async () => {
    const inbox = createInbox(25)
    start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 10))
    expect([await pop(), await pop()]).toEqual(inbox.ids(0, 2))
    await expect.poll(() => inList()).toEqual(inbox.ids(2, 12))
    expect([...inbox.states.values()].filter((state) => state === 'offered')).toHaveLength(2)
  })

  it('adds a new message at once when it is rung', async () => {
    const inbox = createInbox(1)
    start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 1))
    inbox.add(1, 3)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 3))
  })

  it('notices what was popped from either end, also while no server ran', async () => {
    const inbox = createInbox(4)
    const first = start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 4))
    await first.close()
    await server.cli('LPOP', 'inbox:quinn')
    await pop()
    start(inbox)
    await expect.poll(() => [...inbox.states.values()]).toEqual(['offered', 'pending', 'pending', 'offered'])
    await expect.poll(() => server.cli('HLEN', 'inbox:quinn:out')).toBe('2')
    expect(await inList()).toEqual(inbox.ids(1, 3))
  })

  it('adds nothing twice if several servers fill one list, and another continues if one dies', async () => {
    const inbox = createInbox(60)
    const popped: string[] = []
    const servers = ['a', 'b', 'c'].map((name) => start(inbox, { server: name, leaseMs: 300 }))
    await expect
      .poll(async () => {
        for (let id = await pop(); id !== undefined; id = await pop()) popped.push(id)
        if (popped.length > 20) await servers[0]?.close()
        if (popped.length > 40) await servers[1]?.close()
        return popped.length
      }, PATIENTLY)
      .toBe(60)
    expect(popped).toEqual(inbox.ids(0, 60))
  })

  it('adds again only what is still pending after Redis was wiped', async () => {
    const inbox = createInbox(5)
    start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 5))
    await pop()
    await expect.poll(() => inbox.states.get(idOf(0))).toBe('offered')
    await server.cli('FLUSHALL')
    await expect.poll(() => inList()).toEqual(inbox.ids(1, 5))
    expect(inbox.states.get(idOf(1))).toBe('pending')
  })

  it('adds again what is still pending when a killed server is back', async () => {
    const other = (await startRedis()) as RedisServer
    onTestFinished(() => other.stop())
    const inbox = createInbox(3)
    start(inbox, { wire: createWire(other.url) })
    await expect.poll(() => inList('inbox:quinn', other)).toEqual(inbox.ids(0, 3))
    await other.end('SIGKILL')
    inbox.add(3, 4)
    await other.again()
    await expect.poll(() => inList('inbox:quinn', other), PATIENTLY).toEqual(inbox.ids(0, 4))
  })

  it('removes what is no longer pending', async () => {
    const inbox = createInbox(3)
    start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 3))
    inbox.states.set(idOf(1), 'gone')
    inbox.ring()
    await expect.poll(() => inList()).toEqual([idOf(0), idOf(2)])
    expect(inbox.states.get(idOf(1))).toBe('gone')
  })

  it('continues with the other lists if a key is not a list, and notes that once', async () => {
    const inbox = createInbox(2)
    await server.cli('SET', 'inbox:amy', 'not a list')
    const notes: unknown[] = []
    start(inbox, { agents: ['amy', 'quinn'], note: (event, { agent }) => notes.push([event, agent]) })
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 2))
    await pop()
    await expect.poll(() => inbox.states.get(idOf(0))).toBe('offered')
    expect(notes).toEqual([['redis.outletFailed', 'amy']])
  })

  it('notices what was popped if others push to the list as well', async () => {
    const inbox = createInbox(3)
    start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 3))
    await server.cli('LPUSH', 'inbox:quinn', '{"eventId":"theirs"}')
    expect([await pop(), await pop()]).toEqual(inbox.ids(0, 2))
    await expect.poll(() => [...inbox.states.values()]).toEqual(['offered', 'offered', 'pending'])
    inbox.add(3, 4)
    await expect.poll(() => inList()).toEqual([idOf(2), 'theirs', idOf(3)])
    expect([await pop(), await pop()]).toEqual([idOf(2), 'theirs'])
    await expect.poll(() => inbox.states.get(idOf(2))).toBe('offered')
    expect([await inList(), inbox.states.get(idOf(3))]).toEqual([[idOf(3)], 'pending'])
  })

  it('notices what was popped while others push as much to the same list', async () => {
    const inbox = createInbox(3)
    start(inbox)
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 3))
    for (const at of [0, 1, 2]) {
      // In one transaction, so that the list never has another length.
      await server.cli('EVAL', SWAP, '1', 'inbox:quinn', `{"eventId":"theirs${at}"}`)
      await expect.poll(() => inbox.states.get(idOf(at))).toBe('offered')
    }
    expect(await inList()).toEqual(['theirs0', 'theirs1', 'theirs2'])
  })

  it('reads what the ends do not show: an entry that left from the middle, with as many in the list', async () => {
    const outlet = createListOutput(createWire().use, { server: 'a', max: 10 })
    const put = (at: number) => outlet.put('quinn', [{ id: idOf(at), text: textOf(idOf(at)) }])
    await outlet.look('quinn')
    for (const at of [0, 1, 2]) await put(at)
    await server.cli('LPOP', 'inbox:quinn')
    await server.cli('LPUSH', 'inbox:quinn', '{"eventId":"theirs"}')
    expect(await outlet.look('quinn', 'ends')).toMatchObject({ popped: [], wasRead: false })
    expect(await outlet.look('quinn')).toMatchObject({ popped: [idOf(2)], wasRead: true })
    await put(3)
    expect(await outlet.look('quinn', 'whole')).toMatchObject({ popped: [idOf(2)], wasRead: true })
  })

  it('reads a whole list only if its ends do not show what was popped, and the caller allows it', async () => {
    const outlet = createListOutput(createWire().use, { server: 'a', max: 10 })
    await outlet.look('quinn')
    await outlet.put(
      'quinn',
      [0, 1, 2, 3, 4].map((at) => ({ id: idOf(at), text: textOf(idOf(at)) })),
    )
    await pop()
    expect(await outlet.look('quinn')).toEqual({ popped: [idOf(0)], wasRead: false, held: 5, room: 6 })
    await server.cli('LPOP', 'inbox:quinn')
    expect(await outlet.look('quinn', 'ends')).toMatchObject({ popped: [idOf(0)], wasRead: false })
    const { popped = [], wasRead } = (await outlet.look('quinn')) ?? {}
    expect([[...popped].sort(), wasRead]).toEqual([[idOf(0), idOf(4)], true])
    await outlet.forget('quinn', popped)
    await outlet.withdraw('quinn', [idOf(2)])
    expect(await inList()).toEqual([idOf(1), idOf(3)])
    expect(await outlet.look('quinn')).toEqual({ popped: [], wasRead: false, held: 2, room: 8 })
  })

  it('reports popped messages again if the store could not record them', async () => {
    const inbox = createInbox(2)
    let isAway = true
    start(inbox, {
      async popped(_, ids) {
        if (isAway) throw new Error('the store is away')
        for (const id of ids) inbox.states.set(id, 'offered')
      },
    })
    await expect.poll(() => inList()).toEqual(inbox.ids(0, 2))
    await pop()
    inbox.ring()
    isAway = false
    await expect.poll(() => inbox.states.get(idOf(0))).toBe('offered')
    expect(await inList()).toEqual([idOf(1)])
  })

  it('names lists that nobody takes in, and lists of refused entries', async () => {
    for (const [key, count] of [
      ['inbox:quinn', 1],
      ['inbox:quinn:refused', 2],
      ['inbox:stranger', 3],
    ] as const) {
      await server.cli('LPUSH', key, ...Array.from({ length: count }, () => 'x'))
    }
    await server.cli('HSET', 'inbox:other:taking', 'a', 'b')
    expect(await inspectLists(createWire(), new Set(['quinn']))).toEqual({
      stray: [{ agent: 'stranger', length: 3 }],
      refused: [{ agent: 'quinn', length: 2 }],
      isComplete: true,
    })
  })
})
