import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../../src/host/open/store.ts'
import { monotonicMs } from '../../../src/kit/node/monotonic.ts'
import type { Outbox } from '../../../src/loops/engine/outbox.ts'
import { createOutbox } from '../../../src/loops/engine/outbox.ts'
import { startRelay } from '../../../src/loops/engine/relay.ts'
import type { Store } from '../../../src/store/store.ts'
import { needs } from '../../helpers/needs.ts'
import { createDatabase } from '../../helpers/postgres.ts'
import { addAgents, itemFor, push } from '../../helpers/postgres-store.ts'
import { Bell, ScriptedEngine } from '../../helpers/wires/scripted-relay.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { type MakerOptions, postgres, sqlite, type World } from '../makers.ts'
import { caller, expectConserved, read, show, tell } from '../suite.ts'

/**
 * Read once nothing is held back. On PostgreSQL any transaction of the whole server that is older and still open holds
 * events back, and other tests have their own.
 */
function settledOutbox(store: Store, holder: string): Outbox {
  const outbox = createOutbox({ store, name: 'x', holder })
  const settled = () =>
    expect
      .poll(async () => outbox.next({ cursor: await outbox.oldest(), limit: 1_000 }), PATIENT)
      .toMatchObject({ isHeldBack: false })
  return {
    ...outbox,
    async next(params) {
      await settled()
      return outbox.next(params)
    },
    async countAfter(cursor) {
      await settled()
      return outbox.countAfter(cursor)
    },
  }
}

const PATIENT = { timeout: 30_000, interval: 5 }

interface Relayed extends World {
  readonly store: Store
  outbox(holder?: string): Outbox
}

describe.each([sqlite, postgres])('the outbox of $name', (maker) => {
  const rule = (name: string, test: () => Promise<void>) => it(name, needs(maker.missing), test)

  async function open(options: MakerOptions = {}): Promise<Relayed> {
    let store: Store | undefined
    const world = await maker.open({ through: (opened) => (store ??= opened), ...options })
    onTestFinished(async () => {
      await expectConserved(await world.again())
      await world.destroy()
    })
    const { postern } = world
    for (const id of ['quinn', 'robin']) await postern.agents.add({ id })
    const opened = store ?? expect.fail('no store was opened')
    return { ...world, store: opened, outbox: (holder = 'one') => settledOutbox(opened, holder) }
  }

  rule('has what was pushed, in the order of each inbox, and goes on from where it was read to', async () => {
    verifies('G11.outbox')
    const { postern, outbox } = await open()
    const { next, oldest } = outbox()
    await tell(postern, 'quinn', 'one')
    await postern.inbox.push({ to: ['quinn', 'robin'], content: 'two' })
    await postern.inbox.push({ to: ['all'], content: 'three' })
    const page = await next({ cursor: await oldest(), limit: 100 })
    expect(words(page)).toEqual(['one to quinn', 'two to quinn', 'two to robin', 'three to all'])
    expect(page).toMatchObject({ isMore: false, hasGap: false })
    expect(words(await next({ cursor: page.cursor, limit: 100 }))).toEqual([])
    await tell(postern, 'robin', 'four')
    expect(words(await next({ cursor: page.cursor, limit: 100 }))).toEqual(['four to robin'])
  })

  rule('neither skips nor repeats anything however small the pages are', async () => {
    const { postern, outbox } = await open()
    const { next, oldest } = outbox()
    for (let i = 0; i < 7; i++) await tell(postern, 'quinn', String(i))
    let cursor = await oldest()
    const seen: string[] = []
    for (let isMore = true; isMore; ) {
      const page = await next({ cursor, limit: 2 })
      seen.push(...words(page))
      ;({ cursor, isMore } = page)
    }
    expect(seen).toEqual(Array.from({ length: 7 }, (_, i) => `${i} to quinn`))
  })

  rule('has nothing that was seen, taken back or is past its time', async () => {
    verifies('G11.pending')
    const { postern, outbox, advance } = await open()
    await tell(postern, 'quinn', 'seen')
    await read(postern, 'quinn')
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'taken back' })
    await postern.inbox.cancel({ id })
    await postern.inbox.push({ to: ['quinn'], content: 'too late', ttlMs: 1_000 })
    await postern.inbox.push({ to: ['all'], content: 'too late for all', ttlMs: 1_000 })
    await tell(postern, 'quinn', 'waits')
    advance(2_000)
    const { next, oldest } = outbox()
    expect(words(await next({ cursor: await oldest(), limit: 100 }))).toEqual(['waits to quinn'])
  })

  rule('has what was held once it is released, and not before', async () => {
    verifies('G11.released')
    const { postern, outbox } = await open({ limits: { pairBurst: 1 } })
    const robin = postern.as(caller('robin'))
    await tell(robin, 'quinn', 'first')
    const { id } = await robin.inbox.push({ to: ['quinn'], content: 'held' })
    const { next, oldest } = outbox()
    const page = await next({ cursor: await oldest(), limit: 100 })
    expect(words(page)).toContain('first to quinn')
    expect(words(page)).not.toContain('held to quinn')
    await postern.inbox.releaseHeld({ id })
    expect(words(await next({ cursor: page.cursor, limit: 100 }))).toEqual(['held to quinn'])
  })

  rule('has a broadcast that was dead for one agent for that agent only, once it is tried again', async () => {
    verifies('G11.released')
    const { postern, outbox } = await open({ limits: { attempts: 1 } })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'to all' })
    for (const agent of ['quinn', 'robin']) {
      const { offerId } = await show(postern, { agent })
      await postern.inbox.release({ offerId, reason: 'a test' })
    }
    const { next, oldest } = outbox()
    const { cursor } = await next({ cursor: await oldest(), limit: 100 })
    await postern.inbox.retryDead({ id, agent: 'quinn' })
    expect(words(await next({ cursor, limit: 100 }))).toEqual(['to all to quinn'])
  })

  rule('says that rows were removed, and has the rest', async () => {
    const { postern, outbox, store } = await open()
    const { next, oldest } = outbox()
    const start = await oldest()
    for (let i = 0; i < 6; i++) await tell(postern, 'quinn', String(i))
    // What is held back is not removed either.
    await next({ cursor: start, limit: 1 })
    await store.transact((tx) => tx.events.reap({ before: 0, keep: 2, limit: 100 }))
    const page = await next({ cursor: start, limit: 100 })
    expect(page.hasGap).toBe(true)
    expect(words(page).at(-1)).toBe('5 to quinn')
  })

  rule('begins anew where its cursor is none of this store', async () => {
    const { postern, outbox } = await open()
    await tell(postern, 'quinn', 'here')
    const page = await outbox().next({ cursor: 'nonsense', limit: 100 })
    expect(words(page)).toEqual(['here to quinn'])
    expect(page.hasGap).toBe(true)
  })

  rule('is relayed by one server at a time, and by another where that one left or was not heard of', async () => {
    verifies('G11.one-relays')
    const { outbox, advance } = await open()
    const [one, two] = [outbox('one'), outbox('two')]
    const start = await one.oldest()
    expect(await one.look()).toEqual({ cursor: start, heldForMs: 0 })
    expect(await one.lead()).toEqual({ cursor: start, heldForMs: 0 })
    expect(await two.look()).toEqual({ cursor: start, heldForMs: one.leaseMs })
    expect((await two.lead()).heldForMs).toBe(one.leaseMs)
    expect(await two.keep('7x')).toBe(false)
    expect(await one.keep('7x')).toBe(true)
    await one.leave('8x')
    expect(await two.lead()).toEqual({ cursor: '8x', heldForMs: 0 })
    expect(await one.keep('9x')).toBe(false)
    advance(one.leaseMs)
    expect(await one.lead()).toEqual({ cursor: '8x', heldForMs: 0 })
    expect(await two.keep('9x')).toBe(false)
  })

  rule('is led again after a clock was set back', async () => {
    const { outbox, advance } = await open()
    await outbox('one').lead()
    advance(-3_600_000)
    expect((await outbox('two').look()).heldForMs).toBe(0)
    expect((await outbox('two').lead()).heldForMs).toBe(0)
  })

  rule('stays with the one that leads where another clock is a little behind', async () => {
    const { outbox, advance } = await open()
    const [one, two] = [outbox('one'), outbox('two')]
    await one.lead()
    advance(-50)
    expect((await two.look()).heldForMs).toBe(one.leaseMs)
    expect((await two.lead()).heldForMs).toBe(one.leaseMs)
    expect(await one.keep('7x')).toBe(true)
  })

  rule('is looked at again where the store could not be read at first', async () => {
    const { store } = await open()
    let failures = 1
    const { relays, events } = store.read
    const last: typeof events.last = async (params) => {
      if (failures-- > 0) throw new Error('not now')
      return events.last(params)
    }
    const shaky = {
      read: { ...store.read, relays, events: { ...events, last } },
      transact: store.transact.bind(store),
      single: store.single.bind(store),
      now: () => store.now(),
    }
    const outbox = createOutbox({ store: shaky, name: 'x', holder: 'one' })
    await expect(outbox.look()).rejects.toThrow('not now')
    expect((await outbox.look()).cursor).toBe(await outbox.oldest())
  })

  rule('is counted from the oldest row where its cursor is none of this store', async () => {
    const { postern, outbox } = await open()
    await tell(postern, 'quinn', 'here')
    expect(await outbox().countAfter('nonsense')).toBe(1)
  })

  rule('has pages of a bounded size, however many each message is for', async () => {
    const { store, outbox } = await open()
    const agents = Array.from({ length: 1_000 }, (_, i) => `a${String(i).padStart(4, '0')}`)
    await addAgents(store, ...agents)
    for (let i = 0; i < 25; i++) await push(store, itemFor(agents, { content: String(i) }))
    const { next, oldest } = outbox()
    const seen = new Map<string | null, string[]>()
    let cursor = await oldest()
    for (let isMore = true; isMore; ) {
      const page = await next({ cursor, limit: 500 })
      expect(page.copies.length).toBeLessThanOrEqual(20_000)
      for (const { message, agent } of page.copies) seen.set(agent, [...(seen.get(agent) ?? []), message.content])
      ;({ cursor, isMore } = page)
    }
    expect(seen.size).toBe(1_000)
    expect(new Set([...seen.values()].map(String))).toEqual(new Set([String(Array.from({ length: 25 }, (_, i) => i))]))
  })

  rule('is carried once by two relays that share it, in order, while others push', async () => {
    verifies('G11.outbox', 'G11.one-relays')
    const { postern, outbox } = await open()
    const engine = new ScriptedEngine()
    const bell = new Bell()
    const start = (holder: string) =>
      startRelay({ outbox: outbox(holder), engine, bell, note: () => {}, random: Math.random, now: monotonicMs })
    const relays = [start('one'), start('two')]
    onTestFinished(async () => {
      await Promise.all(relays.map((relay) => relay.close()))
    })
    await Promise.all(
      ['quinn', 'robin'].map(async (agent) => {
        for (let i = 0; i < 50; i++) {
          await tell(postern, agent, String(i))
          bell.ring()
        }
      }),
    )
    await engine.taken.times(100)
    await Promise.all(relays.map((relay) => relay.close()))
    for (const agent of ['quinn', 'robin']) {
      const own = engine.taken.values.filter((copy) => copy.endsWith(agent))
      expect(own).toEqual(Array.from({ length: 50 }, (_, i) => `${i} to ${agent}`))
    }
  })
})

describe('the outbox of PostgreSQL, while transactions are open', needs(postgres.missing), () => {
  it('skips nothing of one that commits late, and carries nothing twice for it', async () => {
    verifies('G11.late-commit')
    const database = await createDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const { store, wire } = await openPostgres(database.url)
    onTestFinished(async () => {
      await wire.close()
      await store.close()
    })
    await addAgents(store, 'ada', 'bob')
    const engine = new ScriptedEngine()
    const outbox = createOutbox({ store, name: 'x', holder: 'one' })
    const relay = startRelay({ outbox, engine, bell: wire, note: () => {}, random: Math.random, now: monotonicMs })
    onTestFinished(() => relay.close())

    const late = new Client({ connectionString: database.url })
    await late.connect()
    onTestFinished(() => late.end())
    // Its transaction has the lowest id, and its message is stored before the other's.
    const early = itemFor(['ada'], { content: 'begun first' })
    await push(store, early)
    await engine.taken.fired
    await late.query('BEGIN; SELECT pg_current_xact_id()')
    await push(store, itemFor(['bob'], { content: 'begun second' }))
    expect(await outbox.next({ cursor: (await outbox.look()).cursor, limit: 9 })).toMatchObject({ isHeldBack: true })
    await late.query(
      `INSERT INTO messages (id, type, from_id, from_as, addressed, content, priority, hops, created_at)
         VALUES ('msg_late', 'agent', 'sam', 'human/verified/test', 'ada', 'committed last', 2, 0, 1);
       UPDATE agents SET inbox_seq = inbox_seq + 1 WHERE id = 'ada';
       INSERT INTO deliveries (agent_id, inbox_seq, message_seq, priority, state)
         SELECT 'ada', a.inbox_seq, m.seq, 2, 'pending' FROM agents a, messages m WHERE a.id = 'ada' AND m.id = 'msg_late';
       COMMIT`,
    )
    await engine.taken.times(3)
    await push(store, itemFor(['bob'], { content: 'pushed afterwards' }))
    expect(await engine.taken.times(4)).toEqual([
      'begun first to ada',
      'committed last to ada',
      'begun second to bob',
      'pushed afterwards to bob',
    ])
  })
})

function words({ copies }: Awaited<ReturnType<Outbox['next']>>): string[] {
  return copies.map(({ message, agent }) => `${message.content} to ${agent ?? 'all'}`)
}
