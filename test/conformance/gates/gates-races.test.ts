import { expect } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { failing } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused, tell, type World } from '../suite.ts'
import {
  asAnna,
  asJustin,
  asQuinn,
  EVERYONE,
  gateOf,
  gateSteps,
  MINUTE_MS,
  mailOf,
  mailUnder,
  useUpStops,
} from './people.ts'

const ROUNDS = 8

async function some(world: World, count: number): Promise<readonly Postern[]> {
  return Promise.all(Array.from({ length: count }, () => world.again()))
}

/** Which of several attempts came through; all others were refused under this code. */
async function winners<T>(attempts: readonly Promise<T>[], code: string): Promise<readonly T[]> {
  const settled = await Promise.allSettled(attempts)
  for (const each of settled) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code })
  return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
}

const breach = (postern: Postern, ...names: string[]) =>
  postern.gates.passed({ agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', names, evidence: 'too often' })

conformance('gates and decisions under way', ({ rule, open }) => {
  rule('takes one of sixteen answers at once, and tells the asker exactly that', async () => {
    verifies('G9.first-answer')
    const people = Array.from({ length: 16 }, (_, i) => `person-${i}`)
    const world = await open({ agents: ['quinn', ...people.map((id) => ({ id, kind: 'human' }) as const)] })
    const posterns = await some(world, 4)
    for (let round = 0; round < ROUNDS; round++) {
      const options = people.map((id) => ({ key: id, label: `as ${id} says` }))
      const { id, gateId } = await asQuinn(world.postern).decisions.create({ question: 'Who?', options, ask: people })
      const answers = people.map((person, i) =>
        (posterns[i % 4] as Postern).as(caller(person, 'human')).decisions.respond({ id, select: person }),
      )
      const won = await winners(answers, 'DECISION_CLOSED')
      expect(won).toHaveLength(1)
      const winner = won[0]?.answer?.by
      expect(await world.postern.decisions.show({ id })).toMatchObject({ answer: { by: winner, selected: winner } })
      expect(await world.postern.gates.show({ id: gateId })).toMatchObject({
        gate: { state: 'resolved', closedBy: winner },
        steps: [{ step: 'created' }, { step: 'resolved', by: winner }],
      })
      const told = await mailUnder(world.postern, 'quinn', `decision:${id}`)
      expect(told).toMatchObject([{ from: { id: winner }, payload: { selected: winner, by: winner } }])
    }
    expect(await mailOf(world.postern, 'quinn')).toHaveLength(ROUNDS)
  })

  rule('lets one of two resolvers at once win, and tells its agent once', async () => {
    verifies('S000.gate.moves', 'S000.gate.bridge')
    const world = await open({ agents: EVERYONE })
    const [one, other] = (await some(world, 2)) as [Postern, Postern]
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await gateOf(world.postern)
      const won = await winners(
        [
          asJustin(one).gates.resolve({ id, reason: 'justin says so' }),
          asAnna(other).gates.waive({ id, reason: 'anna says so' }),
        ],
        'GATE_CLOSED',
      )
      expect(won).toHaveLength(1)
      expect(await mailUnder(world.postern, 'quinn', `gate:${id}`)).toMatchObject([
        { payload: { state: won[0]?.state } },
      ])
    }
  })

  rule('settles a breach against a resolution: whichever came first, nobody is told what is not so', async () => {
    verifies('G8.breach')
    const world = await open({ agents: EVERYONE })
    const [one, other] = (await some(world, 2)) as [Postern, Postern]
    await useUpStops(world.postern)
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await gateOf(world.postern)
      await Promise.all([asJustin(one).gates.resolve({ id, reason: 'x' }), breach(other, id)])
      const steps = await gateSteps(world.postern, id)
      const wasBreached = steps.includes('breached')
      expect(steps).toEqual(wasBreached ? ['created', 'breached', 'resolved'] : ['created', 'resolved'])
      const told = await mailUnder(world.postern, 'justin', `postern:gate-breached:${id}`)
      expect(told).toHaveLength(wasBreached ? 1 : 0)
      expect(await mailUnder(world.postern, 'quinn', `gate:${id}`)).toHaveLength(1)
    }
  })

  rule('settles a deadline against an answer, a waiver and a breach: one end, told once', async () => {
    verifies('G9.first-answer', 'S000.decision.deadline')
    const world = await open({ agents: EVERYONE })
    const posterns = (await some(world, 4)) as [Postern, Postern, Postern, Postern]
    await useUpStops(world.postern)
    const options = [{ key: 'a', label: 'A' }]
    for (let round = 0; round < ROUNDS; round++) {
      const asked = { question: 'Which?', options, defaultOption: 'a', deadlineMs: MINUTE_MS, ask: ['justin'] }
      const { id, gateId } = await asQuinn(world.postern).decisions.create(asked)
      world.advance(MINUTE_MS)
      await Promise.all([
        posterns[0].upkeep.run(),
        winners([asJustin(posterns[1]).decisions.respond({ id, select: 'a' })], 'DECISION_CLOSED'),
        winners([asAnna(posterns[2]).gates.waive({ id: gateId, reason: 'x' })], 'GATE_CLOSED'),
        breach(posterns[3], gateId),
      ])
      const { state, answer } = await world.postern.decisions.show({ id })
      const { gate } = await world.postern.gates.show({ id: gateId })
      expect(gate.state).toBe(state === 'cancelled' ? 'waived' : 'resolved')
      const told = await mailUnder(world.postern, 'quinn', `decision:${id}`)
      expect(told).toMatchObject([{ payload: { state, by: answer?.by ?? 'anna' } }])
    }
    expect(await mailUnder(world.postern, 'quinn', 'gate:')).toEqual([])
  })

  rule('misses no reply that crosses the gate which waits for it, nor a time-out', async () => {
    verifies('S000.gate.kinds')
    const world = await open({ agents: EVERYONE })
    const [one, other] = (await some(world, 2)) as [Postern, Postern]
    for (let round = 0; round < ROUNDS; round++) {
      const id = await tell(asQuinn(world.postern), 'justin', 'May I?')
      const reply = { to: ['quinn'], content: 'Yes', replyTo: id }
      const [gate] = await Promise.all([
        gateOf(one, { kind: 'message', awaits: id, timeoutMs: MINUTE_MS }),
        asJustin(other).inbox.push(reply),
      ])
      expect(await world.postern.gates.show({ id: gate.id })).toMatchObject({ gate: { state: 'resolved' } })

      const second = await tell(asQuinn(world.postern), 'justin', 'And now?')
      const timed = await gateOf(one, { kind: 'message', awaits: second, timeoutMs: MINUTE_MS })
      world.advance(MINUTE_MS)
      await Promise.all([one.upkeep.run(), asJustin(other).inbox.push({ ...reply, replyTo: second })])
      await world.postern.upkeep.run()
      const { gate: closed } = await world.postern.gates.show({ id: timed.id })
      expect(['resolved', 'expired']).toContain(closed.state)
      expect(await mailUnder(world.postern, 'quinn', `gate:${timed.id}`)).toMatchObject([
        { payload: { state: closed.state } },
      ])
    }
  })

  rule('misses no end of a gate or decision that crosses the gate which waits for it', async () => {
    verifies('S000.gate.cascade')
    const world = await open({ agents: EVERYONE })
    const [one, other] = (await some(world, 2)) as [Postern, Postern]
    for (let round = 0; round < ROUNDS; round++) {
      const first = await gateOf(world.postern)
      const asked = await asQuinn(world.postern).decisions.create({ question: 'Which?', ask: ['justin'] })
      const [after, later] = await Promise.all([
        gateOf(one, { kind: 'gate', awaits: first.id }),
        gateOf(one, { kind: 'decision', awaits: asked.id }),
        asJustin(other).gates.resolve({ id: first.id, reason: 'x' }),
        asJustin(other).decisions.respond({ id: asked.id, text: 'x' }),
      ])
      for (const { id } of [after, later]) {
        expect(await world.postern.gates.show({ id })).toMatchObject({ gate: { state: 'resolved' } })
        expect(await mailUnder(world.postern, 'quinn', `gate:${id}`)).toHaveLength(1)
      }
    }
  })

  rule('reminds once however many look at once', async () => {
    const world = await open({ agents: EVERYONE })
    const posterns = await some(world, 4)
    const gate = await gateOf(world.postern, { remindEveryMs: MINUTE_MS })
    world.advance(MINUTE_MS)
    await Promise.all(posterns.map((postern) => postern.gates.list()))
    expect(await mailUnder(world.postern, 'justin', `postern:gate-reminder:${gate.id}`)).toHaveLength(1)
    expect(await gateSteps(world.postern, gate.id)).toEqual(['created', 'reminded'])
  })

  rule('counts every continuation, however many come at once', async () => {
    verifies('S000.event.stops')
    const world = await open()
    const posterns = await some(world, 4)
    await world.postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const stops = posterns.flatMap((postern) =>
      Array.from({ length: 4 }, () => postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })),
    )
    const counts = (await Promise.all(stops)).map(({ continuations }) => continuations)
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1))
  })

  rule('takes one of many firings at once for the first', async () => {
    verifies('S000.event.twice')
    const world = await open()
    const posterns = await some(world, 4)
    await world.postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const event = { id: 'ses-1', agent: 'quinn', event: 'turn.stop', firing: 'stop-1' }
    const noted = await Promise.all(posterns.map((postern) => postern.sessions.note(event)))
    expect(noted.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1)
  })

  rule('does all of it or nothing where the store fails in the middle', async () => {
    verifies('G9.one-transaction', 'S000.gate.bridge')
    const world = await open({ agents: EVERYONE })
    const { postern } = world
    const broken = await world.again({ through: failing })
    const gate = await gateOf(postern)
    const after = await gateOf(postern, { kind: 'gate', awaits: gate.id })
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const timed = await gateOf(postern, { timeoutMs: MINUTE_MS, remindEveryMs: MINUTE_MS })
    const before = await everything(postern)
    const attempts: (() => Promise<unknown>)[] = [
      () => gateOf(broken),
      () => asQuinn(broken).decisions.create({ question: 'And?', ask: ['justin'] }),
      () => asJustin(broken).gates.resolve({ id: gate.id, reason: 'x' }),
      () => asJustin(broken).decisions.respond({ id: asked.id, text: 'x' }),
      () => asJustin(broken).decisions.cancel({ id: asked.id }),
      () => asJustin(broken).gates.waive({ id: asked.gateId, reason: 'x' }),
      () => breach(broken, gate.id, after.id),
      () => asJustin(broken).agents.remove({ id: 'quinn' }),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow('the power is gone')
    expect(await everything(postern)).toEqual(before)
    world.advance(MINUTE_MS)
    await expect(broken.upkeep.run()).rejects.toThrow('the power is gone')
    world.advance(-MINUTE_MS)
    expect(await everything(postern)).toEqual(before)
    // The very same succeeds where the store goes on.
    expect(await asJustin(postern).decisions.respond({ id: asked.id, text: 'x' })).toMatchObject({ state: 'answered' })
    expect((await postern.gates.show({ id: timed.id })).gate.state).toBe('open')
  })

  rule('lets a removed agent go: its gates are waived, its questions taken back, its waiters told', async () => {
    const world = await open({ agents: EVERYONE })
    const { postern } = world
    const gate = await gateOf(postern, { waiters: ['rex'] })
    const after = await gateOf(postern, { agent: 'rex', kind: 'gate', awaits: gate.id })
    const { id, gateId } = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const waiting = postern.decisions.await({ id, timeoutMs: MINUTE_MS })
    await asJustin(postern).agents.remove({ id: 'quinn' })
    expect(await waiting).toMatchObject({ state: 'cancelled' })
    expect(await postern.gates.list()).toEqual([])
    for (const each of [gate.id, gateId]) {
      expect((await postern.gates.show({ id: each })).gate).toMatchObject({ state: 'waived', closedBy: 'justin' })
    }
    expect((await postern.gates.show({ id: after.id })).gate.state).toBe('resolved')
    expect(await mailUnder(postern, 'rex', 'gate:')).toHaveLength(2)
    const { items } = await postern.inbox.list({ which: 'all' })
    const own = items.filter(({ agent }) => agent === 'quinn')
    expect(own.map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
    await refused(asJustin(postern).decisions.respond({ id, text: 'x' }), 'DECISION_CLOSED')
  })
})

async function everything(postern: Postern) {
  const gates = await postern.gates.list({ all: true })
  return {
    gates: await Promise.all(gates.map(({ id }) => postern.gates.show({ id }))),
    decisions: await postern.decisions.list({ all: true }),
    mail: await Promise.all(['quinn', 'rex', 'justin', 'anna'].map((agent) => mailOf(postern, agent))),
    agents: await postern.agents.list({ removed: true }),
  }
}
