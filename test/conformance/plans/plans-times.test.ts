import { expect } from 'vitest'
import type { MissedPolicy } from '../../../src/model/sources/plan.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, type World } from '../suite.ts'
import { DAY_MS, firings, HOUR_MS, instants, iso, live, MINUTE_MS, plan } from './planning.ts'

conformance('the instants of plans', ({ rule, open }) => {
  const absentFor = async (missed: MissedPolicy | undefined, awayMs: number) => {
    const world = await open()
    await plan(world.postern, { name: 'every', cron: '*/10 * * * *', ...(missed && { missed }) })
    const from = world.now()
    world.advance(awayMs)
    await world.postern.upkeep.run()
    return { ...world, from }
  }
  const tens = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => iso(from + (index + 1) * 10 * MINUTE_MS))

  rule('of missed instants only the latest fires, unless it is said otherwise', async () => {
    verifies('G10.missed')
    for (const missed of [undefined, 'once'] as const) {
      const { postern, from, now } = await absentFor(missed, 3 * HOUR_MS + 5 * MINUTE_MS)
      expect(await instants(postern)).toEqual([iso(from + 3 * HOUR_MS)])
      expect(await postern.plans.list()).toMatchObject([{ nextRunAt: now() + 5 * MINUTE_MS, runs: 1 }])
    }
  })

  rule('of a year of missed minutes the latest is found at once', async () => {
    verifies('G10.missed')
    const { postern, now, advance } = await open()
    await plan(postern, { name: 'every', cron: '* * * * *', zone: 'America/New_York' })
    advance(365 * DAY_MS + 30_000)
    await postern.upkeep.run()
    expect(await instants(postern)).toEqual([iso(now() - 30_000)])
  })

  rule('those of a plan that skips do not fire later than a minute', async () => {
    verifies('G10.missed')
    const late = await absentFor('skip', 3 * HOUR_MS + MINUTE_MS + 1)
    expect(await firings(late.postern)).toEqual([])
    expect(await late.postern.plans.list()).toMatchObject([{ nextRunAt: late.from + 3 * HOUR_MS + 10 * MINUTE_MS }])
    const inTime = await absentFor('skip', 3 * HOUR_MS + MINUTE_MS)
    expect(await instants(inTime.postern)).toEqual([iso(inTime.from + 3 * HOUR_MS)])
  })

  rule('a dated plan that skips ends without having fired where nobody was there', async () => {
    verifies('G10.missed')
    const { postern, advance } = await open()
    await plan(postern, { name: 'skips', runAfter: '1h', missed: 'skip' })
    await plan(postern, { name: 'does not', runAfter: '1h' })
    advance(2 * HOUR_MS)
    await postern.upkeep.run()
    expect(await firings(postern)).toMatchObject([{ subject: 'does not' }])
    expect(await postern.plans.list({ all: true })).toMatchObject([{ nextRunAt: null }, { nextRunAt: null }])
  })

  rule('each of them fires where all are wanted, oldest first and a hundred at once', async () => {
    verifies('G10.missed')
    const { postern, from } = await absentFor('all', 25 * HOUR_MS)
    expect(await instants(postern)).toEqual(tens(from, 100))
    await postern.upkeep.run()
    expect(await instants(postern)).toEqual(tens(from, 150))
    expect(await postern.upkeep.run()).toMatchObject({ plans: 0 })
  })

  rule('those of many plans come in their order, whoever was away', async () => {
    const { postern, advance } = await open()
    const minutes = Array.from({ length: 20 }, (_, index) => 1 + ((index * 7) % 20))
    await postern.plans.set({
      plans: minutes.map((minute) => ({
        agent: 'quinn',
        name: `plan ${minute}`,
        runAfter: `${minute}m`,
        instruction: `${minute}`,
      })),
    })
    advance(HOUR_MS)
    await postern.upkeep.run()
    const fired = (await firings(postern)).map(({ content }) => Number(content))
    expect(fired).toEqual(minutes.toSorted((a, b) => a - b))
  })

  const dayOf = async (world: World, { cron, zone, from }: { cron: string; zone: string; from: string }) => {
    world.setNow(Date.parse(from))
    const { id } = await plan(world.postern, { name: `${cron} ${zone}`, cron, zone })
    await live(world, { stepMs: 15 * MINUTE_MS, steps: (30 * HOUR_MS) / (15 * MINUTE_MS) })
    await world.postern.plans.delete({ ids: [id] })
    const fired = await firings(world.postern)
    return fired.filter(({ ref }) => ref === `plan:${id}`).map(({ createdAt }) => iso(createdAt).replace(':00.000', ''))
  }

  rule('on the day without its hour it fires once, where the hour would have begun', async () => {
    verifies('G10.dst')
    const world = await open()
    expect(await dayOf(world, { cron: '30 2 * * *', zone: 'Europe/Berlin', from: '2026-03-28T20:00:00Z' })).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ])
    expect(await dayOf(world, { cron: '15 2 * * *', zone: 'America/New_York', from: '2027-03-14T02:00:00Z' })).toEqual([
      '2027-03-14T07:00Z',
      '2027-03-15T06:15Z',
    ])
  })

  rule('on the day with its hour twice it fires once', async () => {
    verifies('G10.dst')
    const world = await open()
    expect(await dayOf(world, { cron: '30 2 * * *', zone: 'Europe/Berlin', from: '2026-10-24T20:00:00Z' })).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ])
    expect(await dayOf(world, { cron: '15 1 * * *', zone: 'America/New_York', from: '2026-11-01T01:00:00Z' })).toEqual([
      '2026-11-01T05:15Z',
      '2026-11-02T06:15Z',
    ])
  })

  rule('on leap days it fires in leap years', async () => {
    const { postern, setNow } = await open()
    const { upcomingAt } = await plan(postern, { name: 'leap', cron: '0 12 29 2 *' })
    expect(upcomingAt.slice(0, 2).map(iso)).toEqual(['2028-02-29T12:00:00.000Z', '2032-02-29T12:00:00.000Z'])
    for (const day of ['2027-03-01', '2028-02-29', '2028-03-01']) {
      setNow(Date.parse(`${day}T12:00:00Z`))
      await postern.upkeep.run()
    }
    expect(await instants(postern)).toEqual(['2028-02-29T12:00:00.000Z'])
  })

  rule('no instant fires twice, wherever the clock is set', async () => {
    verifies('G10.clock')
    const { postern, now, setNow, advance } = await open()
    await plan(postern, { name: 'every', cron: '*/10 * * * *', missed: 'all' })
    await plan(postern, { name: 'once', runAfter: '15m' })
    const start = now()
    const steps = [30, -60, 20, 45, -15, 90, -240, 10, 200, 5, -1, 60].map((minutes) => minutes * MINUTE_MS)
    for (const step of steps) {
      advance(step)
      await postern.upkeep.run()
      await postern.upkeep.run()
    }
    setNow(start + 5 * HOUR_MS)
    await postern.upkeep.run()
    const every = (await firings(postern)).filter(({ subject }) => subject === 'every')
    expect(every.map(({ payload }) => (payload as { scheduledAt: string }).scheduledAt)).toEqual(tens(start, 30))
    expect(await firings(postern)).toHaveLength(31)
  })

  rule('no instant fires twice, although the plan was set anew after the clock was set back', async () => {
    verifies('G10.clock')
    const { postern, advance } = await open()
    await plan(postern, { name: 'every', cron: '0 * * * *' })
    advance(HOUR_MS)
    await postern.upkeep.run()
    advance(-10 * MINUTE_MS)
    await plan(postern, { name: 'every', cron: '0 */1 * * *', instruction: 'with other words' })
    advance(10 * MINUTE_MS)
    expect(await postern.upkeep.run()).toMatchObject({ plans: 0 })
    expect(await firings(postern)).toHaveLength(1)
    advance(HOUR_MS)
    expect(await postern.upkeep.run()).toMatchObject({ plans: 1 })
  })
})
