import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { addAgents, itemFor, push, usePostgres, waitForLocks } from '../../../test/helpers/postgres-store.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import type { PushItem, PushParams, Store } from '../store.ts'
import { createGatherer, type GatherOptions } from './gather.ts'

const createWorld = usePostgres()

/** Pushes that do not know of each other. */
const pushEach = (store: Store, items: readonly PushItem[], pendingLimit = 1_000) =>
  items.map((item) => store.push({ items: [item], pendingLimit }))

async function inboxOf(store: Store, agent: string): Promise<string[]> {
  const all = await store.read.deliveries.list({ agent, now: 1, states: ['pending'], limit: 1_000 })
  return all.map(({ id }) => id)
}

const idsOf = (items: readonly PushItem[]) => items.map(({ message }) => message.id)
const codesOf = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((each) => (each.status === 'fulfilled' ? 'stored' : each.reason.code))

describe('pushes that come at once on PostgreSQL', () => {
  it('share statements, are each answered with their own id, and keep their order in each inbox', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    const agents = ['ada', 'bob', 'sam']
    await addAgents(store, ...agents)
    const items = Array.from({ length: 90 }, (_, at) => itemFor([agents[at % 3] as string]))
    const results = await Promise.all(pushEach(store, items))
    expect(results.map((each) => each.map(({ id, recipients }) => [id, recipients[0]?.agent]))).toEqual(
      items.map(({ message }) => [[message.id, message.to[0]]]),
    )
    for (const agent of agents) {
      const own = items.filter(({ message }) => message.to[0] === agent)
      expect(await inboxOf(store, agent)).toEqual(idsOf(own))
    }
    const { rows } = await (await connect()).query('SELECT count(DISTINCT xmin::text) AS statements FROM messages')
    expect(rows).toEqual([{ statements: '2' }])
    expect(await store.audit({ limit: 9 })).toEqual([])
  })

  it('get each their own answer, whatever is wrong with another', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada', 'bob', 'full')
    const earlier = itemFor(['ada'], { dedupKey: 'used' })
    const limit = 40
    await push(store, earlier, ...Array.from({ length: limit }, () => itemFor(['full'])))
    const good = Array.from({ length: limit }, () => itemFor(['bob']))
    const odd = [
      itemFor(['nobody']),
      itemFor(['ada'], { dedupKey: 'used' }),
      itemFor(['ada'], { dedupKey: 'used', content: 'other words' }),
      itemFor(['full']),
      itemFor(['ada'], { dedupKey: 'twice' }),
      itemFor(['ada'], { dedupKey: 'twice' }),
    ]
    const pushes = pushEach(store, [...good.slice(0, 20), ...odd, ...good.slice(20)], limit)
    const settled = await Promise.allSettled(pushes)
    const [some, others] = [settled.slice(20, 26), [...settled.slice(0, 20), ...settled.slice(26)]]
    expect(codesOf(some)).toEqual(['AGENT_NOT_FOUND', 'stored', 'DEDUP_CONFLICT', 'INBOX_FULL', 'stored', 'stored'])
    expect(await pushes[21]).toMatchObject([{ id: earlier.message.id, duplicate: true }])
    const twice = [await pushes[24], await pushes[25]].flatMap((results) => results ?? [])
    expect(new Set(twice.map(({ id }) => id)).size).toBe(1)
    expect(twice.filter(({ duplicate }) => duplicate)).toHaveLength(1)
    expect(codesOf(others)).toEqual(good.map(() => 'stored'))
    expect((await inboxOf(store, 'bob')).sort()).toEqual(idsOf(good).sort())
    expect(await inboxOf(store, 'ada')).toHaveLength(2)
  })

  it('are each all or nothing', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada')
    const [kept, half] = [itemFor(['ada']), itemFor(['ada'])]
    const settled = await Promise.allSettled([
      store.push({ items: [itemFor(['ada'])], pendingLimit: 9 }),
      store.push({ items: [kept, itemFor(['ada'])], pendingLimit: 9 }),
      store.push({ items: [half, itemFor(['nobody'])], pendingLimit: 9 }),
    ])
    expect(codesOf(settled)).toEqual(['stored', 'stored', 'AGENT_NOT_FOUND'])
    const ids = await inboxOf(store, 'ada')
    expect(ids).toHaveLength(3)
    expect(ids).toContain(kept.message.id)
    expect(ids).not.toContain(half.message.id)
  })

  it('are each held to their own limit', async () => {
    const store = await (await createWorld()).open()
    await addAgents(store, 'ada')
    const limits = [9, 9, 1, 9]
    const pushes = limits.map((pendingLimit) => store.push({ items: [itemFor(['ada'])], pendingLimit }))
    expect(codesOf(await Promise.allSettled(pushes))).toEqual(['stored', 'stored', 'INBOX_FULL', 'stored'])
  })

  it('do not wait for a recipient of another whom somebody keeps locked', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada', 'bob')
    const holder = await connect()
    await holder.query(`BEGIN; SELECT 1 FROM agents WHERE id = 'ada' FOR UPDATE`)
    const items = ['ada', 'bob', 'ada', 'bob'].map((agent) => itemFor([agent]))
    const [first, second, third, fourth] = pushEach(store, items)
    expect(await Promise.all([second, fourth])).toMatchObject([[{ duplicate: false }], [{ duplicate: false }]])
    await waitForLocks(await connect(), 2)
    expect(await inboxOf(store, 'ada')).toEqual([])
    await holder.query('COMMIT')
    expect(await Promise.all([first, third])).toMatchObject([[{ duplicate: false }], [{ duplicate: false }]])
  })

  it('are none of them repeated when their connection is lost', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    await (await connect()).query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER die BEFORE INSERT ON messages FOR EACH ROW WHEN (NEW.content = 'deadly') EXECUTE FUNCTION die()`)
    const [first, ...others] = pushEach(store, [
      itemFor(['ada']),
      itemFor(['ada']),
      itemFor(['ada'], { content: 'deadly' }),
      itemFor(['ada']),
    ])
    const lost = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('was lost before the answer came') }
    await Promise.all(others.map((each) => expect(each).rejects.toMatchObject(lost)))
    expect(await inboxOf(store, 'ada')).toEqual((await first)?.map(({ id }) => id))
    await expect(Promise.all(pushEach(store, [itemFor(['ada']), itemFor(['ada'])]))).resolves.toHaveLength(2)
  })

  it('ring as each would, and not where the store serves many', async () => {
    const { open, connect } = await createWorld()
    const [plain, shared, ear] = [await open(), await open({ isShared: true }), await connect()]
    await addAgents(plain, 'ada', 'bob', 'sam')
    const rung = createSignal<string>()
    ear.on('notification', ({ payload = '' }) => rung.fire(payload))
    await ear.query('LISTEN postern_ring')
    for (const store of [shared, plain]) {
      await Promise.all(pushEach(store, [itemFor(['ada']), itemFor(['bob']), itemFor(['sam']), itemFor(['bob'])]))
    }
    await push(plain, itemFor(['bob']))
    // Sam is the sender: what he sends himself rings nobody. Had the other store rung too, Ada would come twice.
    expect(await rung.times(3)).toEqual(['ada', 'bob', 'bob'])
  })

  it('go on sharing where each statement takes long', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    await (await connect()).query(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(0.3); RETURN NULL; END $$;
      CREATE TRIGGER dawdle AFTER INSERT ON messages FOR EACH STATEMENT EXECUTE FUNCTION dawdle()`)
    const items = Array.from({ length: 200 }, () => itemFor(['ada']))
    expect(codesOf(await Promise.allSettled(pushEach(store, items)))).toEqual(items.map(() => 'stored'))
    const { rows } = await (await connect()).query('SELECT count(DISTINCT xmin::text) AS statements FROM messages')
    expect(Number(rows[0].statements)).toBeLessThan(5)
  })

  it('leave nobody in a hurry who goes alone afterwards', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    await Promise.all(pushEach(store, [itemFor(['ada']), itemFor(['ada']), itemFor(['ada'])]))
    const holder = await connect()
    await holder.query(`BEGIN; SELECT 1 FROM agents WHERE id = 'ada' FOR UPDATE`)
    const pushed = store.push({ items: [itemFor(['ada'])], pendingLimit: 9 })
    await holder.query('SELECT pg_sleep(0.5); COMMIT')
    expect(await pushed).toMatchObject([{ duplicate: false }])
  })

  it('are all told where something is true of all of them', async () => {
    const { open, connect } = await createWorld()
    const store = await open()
    await addAgents(store, 'ada')
    await (await connect()).query(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER fill BEFORE INSERT ON messages FOR EACH STATEMENT EXECUTE FUNCTION fill()`)
    const settled = await Promise.allSettled(pushEach(store, [itemFor(['ada']), itemFor(['ada']), itemFor(['ada'])]))
    expect(codesOf(settled)).toEqual(['STORE_FULL', 'STORE_FULL', 'STORE_FULL'])
  })

  it('are all stored before the store is closed, and none afterwards', async () => {
    const { open } = await createWorld()
    const [store, other] = [await open(), await open()]
    await addAgents(store, 'ada')
    const items = Array.from({ length: 300 }, () => itemFor(['ada']))
    const pushes = Promise.allSettled(pushEach(store, items))
    const closed = store.close()
    const late = store.push({ items, pendingLimit: 9 })
    await expect(late).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(codesOf(await pushes)).toEqual(items.map(() => 'stored'))
    await closed
    expect(await inboxOf(other, 'ada')).toEqual(idsOf(items))
  })
})

describe('the gathering of pushes', () => {
  const resultsOf = ({ items }: PushParams) =>
    items.map(({ message: { id } }) => ({ id, duplicate: false, recipients: [] }))
  const paramsOf = (...items: PushItem[]): PushParams => ({ items, pendingLimit: 9 })

  const PATIENT = { patienceMs: 60_000, refusal: () => new Error('waited too long') }

  /** Keeps what it is given under way until it is told to go on, and notes how it came. */
  function createWays() {
    const calls: string[] = []
    const opened: (() => void)[] = []
    const noting = (name: string) => async (params: PushParams) => {
      calls.push(`${name} ${params.items.length}`)
      await new Promise<void>((resolve) => opened.push(resolve))
      return resultsOf(params)
    }
    const options: GatherOptions = { ...PATIENT, alone: noting('alone'), together: noting('together') }
    const goOn = async (): Promise<void> => {
      opened.shift()?.()
      await new Promise(setImmediate)
    }
    return { calls, goOn, gather: createGatherer(options).push }
  }

  it('lets whoever finds nothing under way go at once and alone, time after time', async () => {
    const { calls, goOn, gather } = createWays()
    for (const expected of [1, 2]) {
      const pushed = gather(paramsOf(itemFor(['ada'])))
      expect(calls).toEqual(Array.from({ length: expected }, () => 'alone 1'))
      await goOn()
      expect(await pushed).toHaveLength(1)
    }
  })

  it('has the others wait for the end of that, and bounds what goes together', async () => {
    const { calls, goOn, gather } = createWays()
    const sizes = [1, 60, 60, 60, 500, 1]
    const pushes = sizes.map((size) => gather(paramsOf(...Array.from({ length: size }, () => itemFor(['ada'])))))
    expect(calls).toEqual(['alone 1'])
    for (let turn = 0; turn < 5; turn++) await goOn()
    expect(calls).toEqual(['alone 1', 'together 120', 'alone 60', 'alone 500', 'alone 1'])
    expect((await Promise.all(pushes)).map(({ length }) => length)).toEqual(sizes)
  })

  it('counts how long messages are, wherever they are long', async () => {
    const { calls, goOn, gather } = createWays()
    const long = () => itemFor(['ada'], { content: 'x'.repeat(200_000), payload: 'y'.repeat(200_000) })
    const pushes = Array.from({ length: 6 }, () => gather(paramsOf(long())))
    for (let turn = 0; turn < 4; turn++) await goOn()
    expect(calls).toEqual(['alone 1', 'together 2', 'together 2', 'alone 1'])
    await Promise.all(pushes)
  })

  it('finds one bad push among a hundred with few statements', async () => {
    const calls: string[] = []
    const bad = itemFor(['ada'])
    const { push: gather } = createGatherer({
      ...PATIENT,
      async alone(params) {
        calls.push('alone')
        return resultsOf(params)
      },
      async together(params) {
        calls.push('together')
        return params.items.includes(bad) ? undefined : resultsOf(params)
      },
    })
    const items = Array.from({ length: 101 }, (_, at) => (at === 70 ? bad : itemFor(['ada'])))
    const results = await Promise.all(items.map((item) => gather(paramsOf(item))))
    expect(results.flat().map(({ id }) => id)).toEqual(idsOf(items))
    expect(calls.filter((name) => name === 'alone')).toHaveLength(1 + 8)
    expect(calls.filter((name) => name === 'together')).toHaveLength(1 + 13)
  })

  it('asks all at once where something is true of all, and nobody again', async () => {
    let calls = 0
    const { push: gather } = createGatherer({
      ...PATIENT,
      alone: async (params) => resultsOf(params),
      together: () => Promise.reject(new Error(`full ${++calls}`)),
    })
    const pushes = Array.from({ length: 20 }, () => gather(paramsOf(itemFor(['ada']))))
    const settled = await Promise.allSettled(pushes)
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(19)
    expect(calls).toBe(1)
  })

  it('refuses whoever has waited for too long, and goes on with the others', async () => {
    const slow = createSignal<void>()
    let seconds = 0
    vi.spyOn(process, 'uptime').mockImplementation(() => seconds)
    onTestFinished(() => void vi.restoreAllMocks())
    const { push: gather, idle } = createGatherer({
      patienceMs: 30,
      refusal: () => new Error('waited too long'),
      alone: async (params) => {
        if (params.pendingLimit === 0) await slow.next()
        return resultsOf(params)
      },
      together: async (params) => resultsOf(params),
    })
    const first = gather({ items: [itemFor(['ada'])], pendingLimit: 0 })
    const early = expect(gather(paramsOf(itemFor(['ada'])))).rejects.toThrow('waited too long')
    seconds += 0.05
    const late = gather(paramsOf(itemFor(['ada'])))
    slow.fire()
    await early
    expect(await late).toHaveLength(1)
    await first
    await idle()
  })
})
