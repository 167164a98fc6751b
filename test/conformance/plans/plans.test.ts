import { expect } from 'vitest'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, refused, tell } from '../suite.ts'
import { DAY_MS, firings, HOUR_MS, instants, iso, live, MINUTE_MS, plan } from './planning.ts'

conformance('plans', ({ rule, open }) => {
  rule('fires a relative plan once, when its time has come', async () => {
    verifies('S001.plan.relative')
    const world = await open()
    const { postern, advance, now } = world
    const at = now() + 5 * HOUR_MS
    const set = await plan(postern, { name: 'soon', runAfter: '5 hours', instruction: 'Post the report' })
    expect(set).toMatchObject({ agent: 'quinn', name: 'soon', cron: null, nextRunAt: at, upcomingAt: [at], runs: 0 })
    advance(5 * HOUR_MS - 1)
    expect(await postern.upkeep.run()).toMatchObject({ plans: 0 })
    advance(1)
    expect(await postern.upkeep.run()).toMatchObject({ plans: 1 })
    await live(world, { stepMs: HOUR_MS, steps: 3 })
    const [message, ...others] = await firings(postern)
    expect(others).toEqual([])
    expect(message).toMatchObject({
      type: 'plan',
      from: { id: 'local', kind: 'local', verified: false, via: 'plan' },
      to: ['quinn'],
      content: 'Post the report',
      payload: { planId: set.id, planName: 'soon', scheduledAt: iso(at) },
      dedupKey: `${set.id}+${iso(at)}`,
      state: 'pending',
    })
    const done = await postern.plans.show({ id: set.id })
    expect(done).toMatchObject({ nextRunAt: null, upcomingAt: [], lastRunAt: at, runs: 1 })
    expect(done?.lastFired).toMatchObject({ messageId: expect.stringMatching(/^msg_/), at })
    expect(done.revision).toBeGreaterThan(set.revision)
    expect(await postern.plans.list()).toEqual([])
    expect(await postern.plans.list({ all: true })).toEqual([done])
  })

  rule('sends the words of a plan in the name of whoever wrote them, and never as the system', async () => {
    verifies('G15.from')
    const { postern } = await open()
    await postern.agents.add({ id: 'justin', kind: 'human' })
    const quinn = postern.as(caller('quinn'))
    const { id } = await plan(quinn, { name: 'mine', runAfter: '5 hours', instruction: 'Look at the build' })
    await quinn.plans.run({ id })
    const justin = postern.as({ id: 'justin', kind: 'human', verified: true, via: 'http' })
    await justin.plans.set({ plans: [{ id, priority: 1 }] })
    await justin.plans.run({ id })
    await justin.plans.set({ plans: [{ id, instruction: 'Look at the tests' }] })
    await quinn.plans.run({ id })
    const sent = (await firings(postern)).map(({ from, content }) => [content, from.id, from.kind, from.verified])
    expect(sent).toEqual([
      ['Look at the build', 'quinn', 'ai', false],
      ['Look at the build', 'quinn', 'ai', false],
      ['Look at the tests', 'justin', 'human', false],
    ])
  })

  rule('wakes an agent by a plan that it has set itself', async () => {
    const { postern, advance } = await open()
    const quinn = postern.as(caller('quinn'))
    await plan(quinn, { name: 'mine', runAfter: '5 hours' })
    const look = () => quinn.inbox.wait({ agent: 'quinn', fromOthers: true, signal: AbortSignal.abort() })
    expect(await look()).toEqual({ pending: 0 })
    advance(5 * HOUR_MS)
    expect(await look()).toEqual({ pending: 1 })
  })

  rule('fires a dated plan once, whatever zone its date is written in', async () => {
    verifies('S001.plan.dated')
    const { postern, setNow } = await open()
    await plan(postern, { name: 'a', scheduledAt: '2026-02-20T10:00:00Z' })
    await plan(postern, { name: 'b', scheduledAt: '2026-02-20T12:00+01:00' })
    setNow(Date.parse('2026-02-20T10:00:00Z'))
    await postern.upkeep.run()
    setNow(Date.parse('2026-02-20T11:00:00Z'))
    await postern.upkeep.run()
    await postern.upkeep.run()
    expect(await instants(postern)).toEqual(['2026-02-20T10:00:00.000Z', '2026-02-20T11:00:00.000Z'])
  })

  rule('fires a recurring plan at each of its instants, and tells the next five', async () => {
    verifies('S001.plan.recurring', 'G10.once')
    const world = await open()
    const { postern } = world
    const set = await plan(postern, { name: 'weekly', cron: '0 9 * * 1', zone: 'Europe/Berlin' })
    const mondays = ['2026-01-19', '2026-01-26', '2026-02-02', '2026-02-09', '2026-02-16']
    expect(set.upcomingAt.map(iso)).toEqual(mondays.map((day) => `${day}T08:00:00.000Z`))
    await live(world, { stepMs: 4 * HOUR_MS, steps: 6 * 14 })
    expect(await instants(postern)).toEqual(mondays.slice(0, 2).map((day) => `${day}T08:00:00.000Z`))
    expect(await postern.plans.show({ id: set.id })).toMatchObject({
      runs: 2,
      nextRunAt: Date.parse('2026-02-02T08:00:00Z'),
    })
  })

  rule('fires without a server: whoever drains, waits or looks at plans finds what is due', async () => {
    verifies('S001.plan.passing')
    const { postern, advance } = await open({ agents: ['ada', 'quinn'] })
    await plan(postern, { name: 'a', runAfter: '1m', instruction: 'for a drain' })
    await plan(postern, { name: 'b', runAfter: '2m', instruction: 'for a wait' })
    await plan(postern, { name: 'c', runAfter: '3m', instruction: 'for a look' })
    advance(MINUTE_MS)
    expect(await read(postern, 'ada')).toEqual([])
    expect(await read(postern, 'quinn')).toEqual(['for a drain'])
    advance(MINUTE_MS)
    expect(await postern.inbox.wait({ agent: 'quinn', timeoutMs: 1 })).toEqual({ pending: 1 })
    expect(await read(postern, 'quinn')).toEqual(['for a wait'])
    advance(MINUTE_MS)
    expect(await postern.plans.list({ agent: 'quinn' })).toEqual([])
    expect(await read(postern, 'quinn')).toEqual(['for a look'])
  })

  rule('wakes an agent that waits, although only it is there', async () => {
    verifies('S001.plan.passing')
    const { postern, advance } = await open()
    const waiting = postern.inbox.wait({ agent: 'quinn', timeoutMs: HOUR_MS })
    await plan(postern, { runAfter: '20ms' })
    advance(20)
    // Another plan, which rings the agent.
    await plan(postern, { name: 'later', runAfter: '1h' })
    expect(await waiting).toEqual({ pending: 1 })
  })

  rule('changes a plan by its name or its id, and leaves what is not said', async () => {
    verifies('S001.plan.set')
    const { postern, now, advance } = await open()
    const first = await plan(postern, { name: 'report', cron: '0 9 * * *', zone: 'Europe/Berlin', priority: 1 })
    advance(HOUR_MS)
    const again = await plan(postern, { name: 'report', instruction: 'look harder' })
    expect(again).toMatchObject({ id: first.id, instruction: 'look harder', priority: 1, revision: 2 })
    expect(again).toMatchObject({ cron: '0 9 * * *', zone: 'Europe/Berlin', nextRunAt: first.nextRunAt })
    const renamed = await plan(postern, { id: first.id, name: 'Daily report', missed: 'all', zone: 'UTC' })
    expect(renamed).toMatchObject({ id: first.id, name: 'Daily report', missed: 'all', zone: 'UTC' })
    expect(renamed.nextRunAt).toBe(Date.parse('2026-01-16T09:00:00Z'))
    const once = await plan(postern, { id: first.id, runAfter: '90m' })
    expect(once).toMatchObject({ cron: null, nextRunAt: now() + 90 * MINUTE_MS })
    expect(await postern.plans.list()).toHaveLength(1)
  })

  rule('keeps what is due where the same rhythm is set again', async () => {
    verifies('S001.plan.set')
    const { postern, now, advance } = await open()
    const every = { name: 'hourly', cron: '0 * * * *' }
    await plan(postern, every)
    const due = now() + HOUR_MS
    advance(HOUR_MS + 20 * MINUTE_MS)
    expect(await plan(postern, { ...every, instruction: 'look harder' })).toMatchObject({ nextRunAt: due })
    await postern.upkeep.run()
    expect(await instants(postern)).toEqual([iso(due)])
  })

  rule('sets all plans of one call, or none', async () => {
    verifies('S001.plan.set')
    const { postern } = await open()
    const good = { agent: 'quinn', name: 'good', runAfter: '1h', instruction: 'x' }
    for (const bad of [
      { ...good, runAfter: '1' },
      { ...good, agent: 'nobody' },
      { ...good, gate: 'gate_none' },
    ]) {
      await expect(postern.plans.set({ plans: [good, { ...bad, name: 'bad' }] })).rejects.toThrow()
      expect(await postern.plans.list({ all: true })).toEqual([])
    }
    expect(await postern.plans.set({ plans: [] })).toEqual([])
    const both = await postern.plans.set({ plans: [good, { ...good, name: 'other', runAfter: '2h' }] })
    expect(both.map(({ name }) => name)).toEqual(['good', 'other'])
  })

  rule('refuses a change by whoever has seen another revision', async () => {
    const { postern } = await open()
    const { id, revision } = await plan(postern, { name: 'report', cron: '0 9 * * *' })
    await plan(postern, { name: 'report', instruction: 'other', revision })
    await refused(plan(postern, { name: 'report', instruction: 'mine', revision }), 'PLAN_CHANGED')
    await refused(postern.plans.pause({ id, revision }), 'PLAN_CHANGED')
    expect(await postern.plans.pause({ id, revision: 2 })).toMatchObject({ instruction: 'other', revision: 3 })
  })

  rule('deletes plans, all or none, and what has fired stays where it went', async () => {
    verifies('S001.plan.delete')
    const world = await open()
    const { postern } = world
    const { id } = await plan(postern, { name: 'every', cron: '* * * * *' })
    await plan(postern, { name: 'other', cron: '* * * * *' })
    await live(world, { stepMs: MINUTE_MS, steps: 1 })
    const error = await refused(postern.plans.delete({ ids: [id, 'gone'], agent: 'quinn' }), 'PLAN_NOT_FOUND')
    expect(error.message).toContain('gone')
    expect(await postern.plans.list()).toHaveLength(2)
    expect(await postern.plans.delete({ ids: [id, 'every'], agent: 'quinn' })).toEqual({ deleted: [id] })
    await refused(postern.plans.show({ id }), 'PLAN_NOT_FOUND')
    await postern.plans.delete({ ids: ['other'], agent: 'quinn' })
    await live(world, { stepMs: MINUTE_MS, steps: 2 })
    expect(await firings(postern)).toHaveLength(2)
  })

  rule('has no instants while it is paused, whatever its policy', async () => {
    verifies('S001.plan.pause')
    const world = await open()
    const { postern, now, advance } = world
    const every = await plan(postern, { name: 'every', cron: '* * * * *', missed: 'all' })
    const once = await plan(postern, { name: 'once', runAfter: '10m' })
    const later = await plan(postern, { name: 'later', runAfter: '2h' })
    for (const { id } of [every, once, later]) {
      expect(await postern.plans.pause({ id })).toMatchObject({ pausedAt: now(), upcomingAt: [] })
      await postern.plans.pause({ id })
    }
    expect(await postern.plans.list()).toHaveLength(3)
    await live(world, { stepMs: 20 * MINUTE_MS, steps: 3 })
    expect(await firings(postern)).toEqual([])
    expect(await postern.plans.resume({ id: every.id })).toMatchObject({ pausedAt: null, nextRunAt: now() + MINUTE_MS })
    expect(await postern.plans.resume({ id: once.id })).toMatchObject({ pausedAt: null, nextRunAt: null })
    expect(await postern.plans.resume({ id: later.id })).toMatchObject({ nextRunAt: later.nextRunAt })
    await postern.plans.delete({ ids: [every.id] })
    advance(HOUR_MS)
    await postern.upkeep.run()
    expect(await instants(postern)).toEqual([iso(later.nextRunAt ?? 0)])
  })

  rule('fires a plan by hand, and its own instants stay as they are', async () => {
    verifies('S001.plan.run')
    const { postern, now } = await open()
    const { id, nextRunAt } = await plan(postern, { name: 'report', cron: '0 9 * * *' })
    const { plan: ran, messageId } = await postern.plans.run({ id: 'report', agent: 'quinn' })
    expect(ran).toMatchObject({ id, nextRunAt, runs: 1, lastRunAt: now() })
    await postern.plans.run({ id })
    const messages = await firings(postern)
    expect(messages).toHaveLength(2)
    expect(messages[0]).toMatchObject({ id: messageId, from: { id: 'local', via: 'plan' }, content: 'look' })
  })

  rule('waits for a gate: it fires once that is not open', async () => {
    verifies('S001.plan.gate')
    const world = await open({ agents: ['quinn', { id: 'olga', kind: 'human' }] })
    const { postern, advance } = world
    const gate = await postern.gates.create({ agent: 'quinn', kind: 'human', reason: 'olga looks first' })
    await plan(postern, { name: 'only', gate: gate.id, missed: 'skip', instruction: 'after the gate' })
    await plan(postern, { name: 'dated', runAfter: '1h', gate: gate.id, instruction: 'an hour later' })
    await plan(postern, { name: 'every', cron: '0 * * * *', gate: gate.id, instruction: 'every hour' })
    await live(world, { stepMs: 30 * MINUTE_MS, steps: 6 })
    expect(await firings(postern)).toEqual([])
    await postern.plans.pause({ id: 'only', agent: 'quinn' })
    advance(10 * MINUTE_MS)
    await postern.plans.resume({ id: 'only', agent: 'quinn' })
    await postern.as(caller('olga', 'human')).gates.resolve({ id: gate.id, reason: 'fine' })
    await postern.upkeep.run()
    const contents = (await firings(postern)).map(({ content }) => content)
    expect(contents.toSorted()).toEqual(['after the gate', 'an hour later', 'every hour'])
    await live(world, { stepMs: MINUTE_MS, steps: 3 })
    expect(await firings(postern)).toHaveLength(3)
  })

  rule('deletes the plans of an agent that is removed', async () => {
    const { postern, advance } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await plan(postern, { runAfter: '1m' })
    await plan(postern, { agent: 'ada', name: 'other', runAfter: '1m' })
    await postern.agents.remove({ id: 'quinn' })
    await refused(postern.plans.show({ id }), 'PLAN_NOT_FOUND')
    advance(MINUTE_MS)
    expect(await postern.upkeep.run()).toMatchObject({ plans: 1 })
    await postern.agents.add({ id: 'quinn', restore: true })
    expect(await postern.plans.list({ agent: 'quinn', all: true })).toEqual([])
  })

  rule('stays due while the inbox is full, holds up nobody else, and a person is told once', async () => {
    verifies('S001.plan.full')
    const limits = { pendingPerAgent: 3 }
    const world = await open({ agents: ['ada', 'quinn', { id: 'olga', kind: 'human' }], limits })
    const { postern, now } = world
    const at = now() + MINUTE_MS
    for (const name of ['a', 'b']) await plan(postern, { name, runAfter: '1m', instruction: name })
    await plan(postern, { name: 'every', cron: '* * * * *', missed: 'all', instruction: 'every' })
    await plan(postern, { agent: 'ada', name: 'hers', runAfter: '1m', instruction: 'hers' })
    for (const content of ['1', '2', '3']) await tell(postern, 'quinn', content)
    await live(world, { stepMs: MINUTE_MS, steps: 3 })
    expect(await read(postern, 'ada')).toEqual(['hers'])
    expect(await firings(postern)).toEqual([])
    const told = (await postern.inbox.drain({ agent: 'olga' })).messages
    expect(told.map(({ type }) => type)).toEqual(['system'])
    expect(told[0]?.subject).toBe('A plan of quinn waits: the inbox is full')
    expect(await read(postern, 'quinn')).toHaveLength(3)
    for (let round = 0; round < 3; round++) {
      await postern.upkeep.run()
      await read(postern, 'quinn')
    }
    const fired = await firings(postern)
    expect(fired.map(({ content }) => content).toSorted()).toEqual(['a', 'b', 'every', 'every', 'every'])
    expect(new Set(fired.map(({ dedupKey }) => dedupKey)).size).toBe(5)
    expect((await instants(postern)).filter((each) => each === iso(at))).toHaveLength(3)
  })

  rule('forgets a plan that has been finished for longer than the retention', async () => {
    const world = await open()
    const { postern } = world
    const { id } = await plan(postern, { runAfter: '1m' })
    await plan(postern, { name: 'yearly', cron: '@yearly' })
    await live(world, { stepMs: 29 * DAY_MS, steps: 1 })
    expect(await postern.plans.list({ all: true })).toHaveLength(2)
    await live(world, { stepMs: 31 * DAY_MS, steps: 1 })
    await refused(postern.plans.show({ id }), 'PLAN_NOT_FOUND')
    expect(await postern.plans.list()).toMatchObject([{ name: 'yearly', cron: '0 0 1 1 *' }])
  })
})
