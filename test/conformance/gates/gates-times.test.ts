import { expect } from 'vitest'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance } from '../suite.ts'
import {
  asJustin,
  asQuinn,
  EVERYONE,
  expectTold,
  gateOf,
  gateSteps,
  judge,
  MINUTE_MS,
  mailUnder,
  namesIn,
  stateOfGate,
  useUpStops,
} from './people.ts'

const DAY_MS = 24 * 60 * MINUTE_MS

conformance('gates and time', ({ rule, open }) => {
  rule('resolves a timer when its time has come, for whoever looks', async () => {
    verifies('S000.gate.times')
    const { postern, advance } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { kind: 'timer', afterMs: MINUTE_MS })
    advance(MINUTE_MS - 1)
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({ state: 'open' })
    advance(1)
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({ state: 'resolved', closedBy: 'system' })
    await expectTold(postern, 'quinn', `gate:${gate.id}`, 'its time has come')
  })

  rule('settles what is due on every look: list, show, judge, upkeep', async () => {
    verifies('S000.gate.times')
    const looks = {
      list: async (postern: Parameters<typeof judge>[0]) => expect(await postern.gates.list()).toEqual([]),
      decisions: (postern: Parameters<typeof judge>[0]) => postern.decisions.list(),
      judge: async (postern: Parameters<typeof judge>[0]) =>
        expect(namesIn(await judge(postern))).toEqual({ strict: [], soft: [] }),
      upkeep: async (postern: Parameters<typeof judge>[0]) =>
        expect(await postern.upkeep.run()).toMatchObject({ gates: 1 }),
    }
    const { postern, advance } = await open({ agents: EVERYONE })
    for (const [name, look] of Object.entries(looks)) {
      const gate = await gateOf(postern, { kind: 'timer', afterMs: MINUTE_MS, reason: name })
      advance(MINUTE_MS)
      await look(postern)
      await expectTold(postern, 'quinn', `gate:${gate.id}`, 'its time has come')
    }
    expect(await postern.upkeep.run()).toMatchObject({ gates: 0 })
  })

  rule('expires when nothing came in time, tells its agent and, where it was strict, a person', async () => {
    verifies('S000.gate.times', 'S000.gate.moves', 'G8.recorded')
    const { postern, advance } = await open({ agents: EVERYONE })
    const strict = await gateOf(postern, { timeoutMs: MINUTE_MS, waiters: ['rex'] })
    const soft = await gateOf(postern, { timeoutMs: MINUTE_MS, mode: 'soft' })
    advance(MINUTE_MS)
    expect(await stateOfGate(postern, strict.id)).toBe('expired')
    expect(await stateOfGate(postern, soft.id)).toBe('expired')
    await expectTold(postern, 'quinn', `gate:${strict.id}`, 'expired: nothing came in time')
    await expectTold(postern, 'rex', `gate:${strict.id}`, 'expired: nothing came in time')
    await expectTold(postern, 'justin', `postern:gate-expired:${strict.id}`, 'expired before anybody resolved it')
    expect(await mailUnder(postern, 'justin', `postern:gate-expired:${soft.id}`)).toEqual([])
  })

  rule('does not expire once it was resolved', async () => {
    const { postern, advance } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { timeoutMs: MINUTE_MS })
    await asJustin(postern).gates.resolve({ id: gate.id, reason: 'x' })
    advance(DAY_MS)
    expect(await postern.upkeep.run()).toMatchObject({ gates: 0 })
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'resolved'])
  })

  rule('reminds people as often as asked, and once however late', async () => {
    verifies('S000.gate.times')
    const { postern, advance } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { remindEveryMs: 10 * MINUTE_MS })
    const reminders = () => mailUnder(postern, 'justin', `postern:gate-reminder:${gate.id}`)
    for (const [minutes, count] of [
      [9, 0],
      [1, 1],
      [9, 1],
      [1, 2],
      [95, 3],
      [10, 4],
    ] as const) {
      advance(minutes * MINUTE_MS)
      await postern.upkeep.run()
      await postern.gates.list()
      expect(await reminders()).toHaveLength(count)
    }
    expect(await gateSteps(postern, gate.id)).toEqual(['created', ...Array(4).fill('reminded')])
    await asJustin(postern).gates.resolve({ id: gate.id, reason: 'At last' })
    advance(DAY_MS)
    await postern.upkeep.run()
    expect(await reminders()).toHaveLength(4)
  })

  rule('goes higher once when it takes too long', async () => {
    verifies('S000.gate.times')
    const { postern, advance } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { escalateTo: 'anna', escalateAfterMs: MINUTE_MS, timeoutMs: DAY_MS })
    await postern.upkeep.run()
    expect(await mailUnder(postern, 'anna', 'postern:')).toEqual([])
    advance(MINUTE_MS)
    await postern.upkeep.run()
    advance(MINUTE_MS)
    await postern.upkeep.run()
    await expectTold(postern, 'anna', `postern:gate-escalated:${gate.id}`, 'for longer than it should')
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'escalated'])
    advance(DAY_MS)
    expect(await stateOfGate(postern, gate.id)).toBe('expired')
  })

  rule('tells people in place of somebody who was removed, and says so', async () => {
    verifies('S000.gate.times')
    const { postern, advance } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { escalateTo: 'rex', escalateAfterMs: MINUTE_MS })
    await asJustin(postern).agents.remove({ id: 'rex' })
    advance(MINUTE_MS)
    await postern.upkeep.run()
    await expectTold(postern, 'justin', `postern:gate-escalated:${gate.id}`, 'for longer than it should')
    const { steps } = await postern.gates.show({ id: gate.id })
    expect(steps.at(-1)).toMatchObject({ step: 'escalated', evidence: 'rex was removed; told instead: justin' })
  })

  rule('lets an agent go whose gate waits for a timer of another', async () => {
    verifies('S000.gate.times', 'S000.gate.cascade')
    const { postern, advance } = await open({ agents: EVERYONE })
    const other = await gateOf(postern, { agent: 'rex', kind: 'timer', afterMs: MINUTE_MS })
    const own = await gateOf(postern, { kind: 'gate', awaits: other.id })
    expect(namesIn(await judge(postern)).strict).toEqual([own.id])
    advance(MINUTE_MS)
    expect(namesIn(await judge(postern)).strict).toEqual([])
  })

  rule('forgets what has long been closed, with its decision, and nothing that is open', async () => {
    const { postern, advance } = await open({ agents: EVERYONE, limits: { retentionMs: DAY_MS } })
    const closed = await gateOf(postern)
    await asJustin(postern).gates.resolve({ id: closed.id, reason: 'x' })
    const kept = await gateOf(postern)
    const breached = await gateOf(postern)
    const after = await gateOf(postern, { kind: 'gate', awaits: breached.id })
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'x' } as const
    await useUpStops(postern)
    await postern.gates.passed({ ...pass, names: [breached.id, asked.gateId] })
    const answered = await asQuinn(postern).decisions.create({ question: 'And now?', ask: ['justin'] })
    await asJustin(postern).decisions.respond({ id: answered.id, text: 'x' })
    advance(2 * DAY_MS)
    await postern.upkeep.run()
    const left = (await postern.gates.list({ all: true })).map(({ id }) => id)
    expect(left.toSorted()).toEqual([kept.id, breached.id, after.id, asked.gateId].toSorted())
    expect((await postern.decisions.list({ all: true })).map(({ id }) => id)).toEqual([asked.id])
  })
})
