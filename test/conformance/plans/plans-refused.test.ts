import { expect } from 'vitest'
import type { SetPlan } from '../../../src/model/sources/plans.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused } from '../suite.ts'
import { plan } from './planning.ts'

conformance('what is refused of plans', ({ rule, open }) => {
  rule('refuses times that are none, and stores nothing', async () => {
    verifies('S001.plan.bad-times')
    const { postern } = await open()
    const bad: Readonly<Record<string, readonly SetPlan[]>> = {
      CRON_INVALID: ['*/0 * * * *', '* '.repeat(2_500), '0 0 31 2 *', '* * * * * *', '@reboot', 'often', ''].map(
        (cron) => ({ cron }),
      ),
      DURATION_INVALID: ['-5 hours', '0s', '5', '9999999 weeks', 'P1Y', `${'9'.repeat(400)}h`, 'soon', ''].map(
        (runAfter) => ({ runAfter }),
      ),
      PLAN_TIME_INVALID: [
        { scheduledAt: '2026-02-20' },
        { scheduledAt: '2026-02-20T10:00:00' },
        { scheduledAt: '2026-02-30T10:00:00Z' },
        { scheduledAt: '2026-02-20T25:00:00Z' },
        { scheduledAt: '2020-02-20T10:00:00Z' },
        { scheduledAt: '2126-02-20T10:00:00Z' },
        { scheduledAt: '+275760-09-13T00:00:00Z' },
        { scheduledAt: 'tomorrow' },
        { scheduledAt: '1'.repeat(5_000) },
        { runAfter: '5h', cron: '0 9 * * 1' },
        { runAfter: '5h', scheduledAt: '2026-02-20T10:00:00Z' },
        {},
        { zone: 'UTC' },
      ],
      ZONE_UNKNOWN: [
        { cron: '0 9 * * 1', zone: 'Mars/Olympus' },
        { runAfter: '1h', zone: 'Nowhere' },
      ],
    }
    for (const [code, plans] of Object.entries(bad)) {
      for (const each of plans) await refused(plan(postern, each), code as 'CRON_INVALID')
    }
    expect(await postern.plans.list({ all: true })).toEqual([])
  })

  rule('refuses what is no plan in other ways', async () => {
    const { postern } = await open({ limits: { contentBytes: 100 } })
    const soon = { runAfter: '1h' }
    await refused(plan(postern, { ...soon, instruction: ' ' }), 'CONTENT_EMPTY')
    await refused(postern.plans.set({ plans: [{ agent: 'quinn', ...soon }] }), 'CONTENT_EMPTY')
    await refused(plan(postern, { ...soon, instruction: 'x'.repeat(101) }), 'CONTENT_TOO_LARGE')
    await refused(plan(postern, { ...soon, instruction: 'a\0b' }), 'TEXT_INVALID')
    await refused(plan(postern, { ...soon, name: 'n'.repeat(201) }), 'CONTENT_TOO_LARGE')
    for (const name of ['', ' ', 'two\nlines', 'plan_01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
      await refused(plan(postern, { ...soon, name }), 'VALUE_INVALID')
    }
    await refused(plan(postern, { ...soon, missed: 'twice' as 'once' }), 'VALUE_INVALID')
    await refused(plan(postern, { ...soon, priority: 9 as 4 }), 'PRIORITY_INVALID')
    await refused(plan(postern, { ...soon, gate: 'gate_none' }), 'GATE_NOT_FOUND')
    await refused(plan(postern, { ...soon, agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(plan(postern, { ...soon, agent: 'No One' }), 'AGENT_ID_INVALID')
    await refused(plan(postern, { ...soon, id: 'plan_01ARZ3NDEKTSV4RRFFQ69G5FAV' }), 'PLAN_NOT_FOUND')
    await refused(plan(postern, { ...soon, name: 'new', revision: 1 }), 'PLAN_NOT_FOUND')
    await refused(postern.plans.set({ plans: [{ instruction: 'whose?', ...soon }] }), 'USAGE')
    await refused(postern.plans.show({ id: 'soon' }), 'USAGE')
    await refused(postern.plans.show({ id: 'soon', agent: 'quinn' }), 'PLAN_NOT_FOUND')
    await refused(postern.plans.show({ id: 'a\0b', agent: 'quinn' }), 'PLAN_NOT_FOUND')
    await refused(postern.plans.run({ id: 'x'.repeat(10_000) }), 'PLAN_NOT_FOUND')
    expect(await postern.plans.list({ all: true })).toEqual([])
  })

  rule('refuses a second plan of one name by way of renaming', async () => {
    const { postern } = await open()
    await plan(postern, { name: 'one', runAfter: '1h' })
    const { id } = await plan(postern, { name: 'two', runAfter: '1h' })
    await refused(plan(postern, { id, name: 'one' }), 'VALUE_INVALID')
  })

  rule('lets so many plans of an agent wait and no more, however they are made', async () => {
    verifies('G17.plans')
    const { postern, again } = await open({ agents: ['ada', 'quinn'] })
    const some = (count: number, prefix: string) => ({
      plans: Array.from({ length: count }, (_, index) => ({
        agent: 'quinn',
        name: `${prefix} ${index}`,
        cron: '0 9 * * *',
        instruction: 'x',
      })),
    })
    await refused(postern.plans.set(some(101, 'too many')), 'VALUE_INVALID')
    await postern.plans.set(some(95, 'a'))
    const others = await Promise.all(Array.from({ length: 4 }, () => again()))
    const settled = await Promise.allSettled(
      others.flatMap((other, index) => [1, 2, 3].map((round) => other.plans.set(some(1, `b${index}${round}`)))),
    )
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await postern.plans.list()).toHaveLength(100)
    await plan(postern, { name: 'a 0', instruction: 'a change is none more' })
    await plan(postern, { agent: 'ada', name: 'hers', runAfter: '1h' })
    await postern.plans.delete({ ids: ['a 0'], agent: 'quinn' })
    await postern.plans.set(some(1, 'c'))
  })

  rule('lets a program plan for itself alone', async () => {
    verifies('S001.plan.own')
    const { postern } = await open({ agents: ['ada', 'quinn', { id: 'olga', kind: 'human' }] })
    const [ada, olga] = [postern.as(caller('ada')), postern.as(caller('olga', 'human'))]
    const { id } = await plan(postern, { name: 'his', cron: '0 9 * * *' })
    const [hers] = await ada.plans.set({ plans: [{ name: 'hers', runAfter: '1h', instruction: 'x' }] })
    expect(hers).toMatchObject({ agent: 'ada', createdBy: 'ada' })
    await refused(plan(ada, { name: 'new', runAfter: '1h' }), 'NOT_ALLOWED')
    await refused(ada.plans.list({ agent: 'quinn' }), 'NOT_ALLOWED')
    for (const attempt of [
      () => plan(ada, { id, instruction: 'mine' }),
      () => ada.plans.show({ id }),
      () => ada.plans.show({ id: 'his', agent: 'quinn' }),
      () => ada.plans.delete({ ids: [id] }),
      () => ada.plans.pause({ id }),
      () => ada.plans.resume({ id }),
      () => ada.plans.run({ id }),
    ]) {
      await refused(attempt(), 'PLAN_NOT_FOUND')
    }
    expect((await ada.plans.list()).map(({ name }) => name)).toEqual(['hers'])
    expect((await olga.plans.list()).map(({ name }) => name)).toEqual(['hers', 'his'])
    expect(await olga.plans.pause({ id })).toMatchObject({ name: 'his' })
  })

  rule('lets a program wake itself by hand only so often', async () => {
    const { postern } = await open({ limits: { pairBurst: 2, pairPerMinute: 1 } })
    const quinn = postern.as(caller('quinn'))
    const { id } = await plan(quinn, { name: 'again', cron: '0 9 * * *' })
    await quinn.plans.run({ id })
    await quinn.plans.run({ id })
    await refused(quinn.plans.run({ id }), 'RATE_LIMITED')
    await postern.plans.run({ id })
  })

  rule('keeps the keys of firings for itself', async () => {
    const { postern } = await open()
    const { id } = await plan(postern, { name: 'soon', runAfter: '1h' })
    const dedupKey = `${id}+2026-01-15T10:00:00.000Z`
    await refused(postern.inbox.push({ to: ['quinn'], content: 'not a plan', dedupKey }), 'VALUE_INVALID')
  })
})
