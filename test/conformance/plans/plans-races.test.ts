import { expect } from 'vitest'
import { PosternError } from '../../../src/model/errors.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Store } from '../../../src/store/store.ts'
import { storeWith } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import { firings, HOUR_MS, instants, iso, MINUTE_MS, plan } from './planning.ts'

conformance('plans on many servers', ({ rule, open }) => {
  const minutes = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => iso(from + (index + 1) * MINUTE_MS))

  rule('fires a plan of every minute once an instant, though two servers fire it for hours', async () => {
    verifies('G10.once', 'G10.servers')
    const world = await open()
    const { postern, again, advance, now } = world
    const start = now()
    const end = start + 4 * HOUR_MS
    await plan(postern, { name: 'every', cron: '* * * * *', missed: 'all' })
    const other = await again()
    while (now() < end) {
      advance(Math.min(end - now(), (1 + Math.floor(Math.random() * 8)) * MINUTE_MS))
      await Promise.all([postern, other, postern].map((server) => server.upkeep.run().catch(passOverBusy)))
    }
    while ((await postern.upkeep.run()).plans > 0);
    const runs = (end - start) / MINUTE_MS
    expect(await instants(postern)).toEqual(minutes(start, runs))
    expect(await postern.plans.list()).toMatchObject([{ runs, nextRunAt: now() + MINUTE_MS }])
  })

  rule('fires once an instant though transactions fail, answers are lost, clocks jump and servers go', async () => {
    verifies('G10.once', 'G10.servers', 'G10.clock')
    const world = await open()
    const { postern, now, setNow } = world
    const start = now()
    const end = start + HOUR_MS
    await plan(postern, { name: 'every', cron: '* * * * *', missed: 'all' })
    const servers: Postern[] = [await world.again({ through: frail }), await world.again({ through: frail })]
    for (let latest = start; latest < end; ) {
      const step = (Math.floor(Math.random() * 20) - 5) * MINUTE_MS
      setNow(Math.min(end, now() + step))
      latest = Math.max(latest, now())
      const running = servers.map((server) => server.upkeep.run().catch(() => undefined))
      if (Math.random() < 0.05) {
        await servers.pop()?.close()
        servers.unshift(await world.again({ through: frail }))
      }
      await Promise.all(running)
    }
    while ((await postern.upkeep.run()).plans > 0);
    expect(await instants(postern)).toEqual(minutes(start, (end - start) / MINUTE_MS))
  })

  rule('fires each of many plans once, though all ask at once for them', async () => {
    verifies('G10.once')
    const world = await open({ agents: ['ada', 'quinn'] })
    const servers = [world.postern, await world.again(), await world.again()]
    for (const agent of ['ada', 'quinn']) {
      await world.postern.plans.set({
        plans: Array.from({ length: 50 }, (_, index) => ({
          agent,
          name: `plan ${index}`,
          runAfter: `${1 + (index % 7)}m`,
          instruction: `${index}`,
        })),
      })
    }
    world.advance(HOUR_MS)
    await Promise.all([
      ...servers.map((server) => server.upkeep.run()),
      servers[1]?.inbox.drain({ agent: 'ada' }),
      servers[2]?.plans.list(),
    ])
    for (const agent of ['ada', 'quinn']) {
      const contents = (await firings(world.postern, agent)).map(({ content }) => Number(content))
      expect(contents.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index))
    }
  })

  rule('makes one plan of one name, though all set it at once', async () => {
    const world = await open()
    const servers = await Promise.all(Array.from({ length: 4 }, () => world.again()))
    const set = await Promise.all(servers.map((server) => plan(server, { name: 'one', cron: '0 9 * * *' })))
    expect(new Set(set.map(({ id }) => id)).size).toBe(1)
    expect(set.map(({ revision }) => revision).toSorted()).toEqual([1, 2, 3, 4])
  })

  rule('changes several plans without losing a race, in whatever order and by whatever name others do', async () => {
    const { postern, again } = await open({ agents: ['ada', 'quinn'] })
    const wanted = Array.from({ length: 20 }, (_, index) => ({
      agent: index % 2 ? 'ada' : 'quinn',
      name: `plan ${index}`,
      cron: '0 9 * * *',
      instruction: 'x',
    }))
    const set = await postern.plans.set({ plans: wanted })
    let repeated = 0
    const through = (store: Store) =>
      storeWith(store, {
        transact(verb, options) {
          repeated--
          return store.transact((tx) => {
            repeated++
            return verb(tx)
          }, options)
        },
      })
    const [one, other] = [await again({ through }), await again({ through })]
    for (let round = 0; round < 5; round++) {
      const changes = set.map(({ id }) => ({ id, instruction: `round ${round}` }))
      await Promise.all([one.plans.set({ plans: wanted }), other.plans.set({ plans: changes.toReversed() })])
    }
    await Promise.all([
      one.plans.delete({ ids: set.slice(0, 10).map(({ id }) => id) }),
      other.plans.set({ plans: wanted.slice(10).toReversed() }),
    ])
    expect(repeated).toBe(0)
    expect(await postern.plans.list()).toHaveLength(10)
  })

  rule('fires nothing of what was deleted, paused or removed at the same time', async () => {
    const world = await open({ agents: ['ada', 'quinn'] })
    const { postern, advance } = world
    const server = await world.again()
    for (let round = 0; round < 5; round++) {
      await plan(postern, { name: 'gone', runAfter: '1m' })
      await plan(postern, { name: 'rests', runAfter: '1m' })
      advance(MINUTE_MS)
      const before = (await firings(postern)).length
      const [{ plans }] = await Promise.all([
        server.upkeep.run(),
        postern.plans.delete({ ids: ['gone'], agent: 'quinn' }),
        postern.plans.pause({ id: 'rests', agent: 'quinn' }),
      ])
      await server.upkeep.run()
      expect((await firings(postern)).length - before).toBe(plans)
      await refused(postern.plans.show({ id: 'gone', agent: 'quinn' }), 'PLAN_NOT_FOUND')
      await postern.plans.delete({ ids: ['rests'], agent: 'quinn' })
    }
    await plan(postern, { name: 'last', cron: '* * * * *' })
    advance(MINUTE_MS)
    await Promise.all([server.upkeep.run(), postern.agents.remove({ id: 'quinn' })])
    advance(HOUR_MS)
    expect(await server.upkeep.run()).toMatchObject({ plans: 0 })
  })
})

/** A store whose transactions fail before, within or after: then they are done, and nobody is told. */
function frail(store: Store): Store {
  const fail = (at: string) => Promise.reject(new Error(`the transaction fails ${at}`))
  return storeWith(store, {
    async transact(verb, options) {
      const chance = Math.random()
      if (chance < 0.1) return fail('before')
      if (chance < 0.3) return store.transact(async (tx) => verb(tx).then(() => fail('within')), options)
      const done = await store.transact(verb, options)
      return chance < 0.4 ? fail('after') : done
    },
  })
}

/** Upkeep waits for the store's lock only for a moment. What is due stays due. */
function passOverBusy(error: unknown): void {
  if (!(error instanceof PosternError && error.code === 'STORE_BUSY')) throw error
}
