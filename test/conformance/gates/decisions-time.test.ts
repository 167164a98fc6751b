import { expect } from 'vitest'
import type { CreateDecision } from '../../../src/model/decisions.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { asTimePasses, conformance, refused } from '../suite.ts'
import {
  asJustin,
  asQuinn,
  EVERYONE,
  expectTold,
  gateOf,
  MINUTE_MS,
  mailUnder,
  stateOfGate,
  useUpStops,
} from './people.ts'

const OPTIONS = [
  { key: 'a', label: 'Postgres' },
  { key: 'b', label: 'SQLite' },
]

function ask(postern: Postern, more: Partial<CreateDecision> = {}) {
  return asQuinn(postern).decisions.create({ question: 'Which store?', options: OPTIONS, ask: ['justin'], ...more })
}

/** A waiter looks by itself every 30 s. Whatever takes less than this was woken. */
const WOKEN_WITHIN_MS = 25_000

async function woken<T>(waiting: Promise<T>): Promise<T> {
  const since = performance.now()
  const result = await waiting
  expect(performance.now() - since).toBeLessThan(WOKEN_WITHIN_MS)
  return result
}

conformance('decisions and time', ({ rule, open }) => {
  rule('takes the default at the deadline, and says so', async () => {
    verifies('S000.decision.deadline')
    const { postern, advance, now } = await open({ agents: EVERYONE })
    const { id, gateId, dueAt } = await ask(postern, { defaultOption: 'b', deadlineMs: MINUTE_MS })
    expect(dueAt).toBe(now() + MINUTE_MS)
    advance(MINUTE_MS - 1)
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open' })
    advance(1)
    expect(await postern.decisions.show({ id })).toMatchObject({
      state: 'answered',
      answer: { by: 'system', selected: 'b', text: null },
    })
    expect(await stateOfGate(postern, gateId)).toBe('resolved')
    await expectTold(postern, 'quinn', `decision:${id}`, 'so the default was taken')
    await refused(asJustin(postern).decisions.respond({ id, select: 'a' }), 'DECISION_CLOSED')
    expect(await mailUnder(postern, 'quinn', 'gate:')).toEqual([])
    expect(await mailUnder(postern, 'justin', 'postern:gate-expired')).toEqual([])
  })

  rule('expires at the deadline without a default: the asker is told, and a person', async () => {
    verifies('S000.decision.deadline', 'G8.recorded')
    const { postern, advance } = await open({ agents: EVERYONE })
    const { id, gateId } = await ask(postern, { deadlineMs: MINUTE_MS })
    advance(MINUTE_MS)
    await postern.upkeep.run()
    expect(await postern.decisions.list()).toEqual([])
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'expired', answer: null })
    expect(await stateOfGate(postern, gateId)).toBe('expired')
    await expectTold(postern, 'quinn', `decision:${id}`, 'expired: nobody answered in time')
    await expectTold(postern, 'justin', `postern:gate-expired:${gateId}`, 'expired before anybody resolved it')
  })

  rule('takes no answer after the deadline, although nobody has looked at it since', async () => {
    verifies('S000.decision.deadline')
    const { postern, advance } = await open({ agents: EVERYONE })
    const byDefault = await ask(postern, { defaultOption: 'b', deadlineMs: MINUTE_MS })
    const without = await ask(postern, { deadlineMs: MINUTE_MS })
    const gate = await gateOf(postern, { timeoutMs: MINUTE_MS })
    advance(MINUTE_MS)
    const { decisions, gates } = asJustin(postern)
    await refused(decisions.respond({ id: byDefault.id, select: 'a' }), 'DECISION_CLOSED')
    await refused(decisions.cancel({ id: without.id }), 'DECISION_CLOSED')
    await refused(gates.resolve({ id: gate.id, reason: 'You may' }), 'GATE_CLOSED')
    expect(await decisions.show({ id: byDefault.id })).toMatchObject({ answer: { by: 'system', selected: 'b' } })
    expect(await decisions.show({ id: without.id })).toMatchObject({ state: 'expired' })
    expect(await stateOfGate(postern, gate.id)).toBe('expired')
    await expectTold(postern, 'justin', `postern:gate-expired:${gate.id}`, 'expired before anybody resolved it')
  })

  rule('keeps its deadline although its gate was breached', async () => {
    verifies('G8.breach', 'S000.decision.deadline')
    const { postern, advance } = await open({ agents: EVERYONE })
    const withDefault = await ask(postern, { defaultOption: 'b', deadlineMs: MINUTE_MS })
    const without = await ask(postern, { deadlineMs: MINUTE_MS })
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'x' } as const
    await useUpStops(postern)
    await postern.gates.passed({ ...pass, names: [withDefault.gateId, without.gateId] })
    advance(MINUTE_MS)
    expect(await postern.decisions.show({ id: withDefault.id })).toMatchObject({ answer: { selected: 'b' } })
    expect(await postern.decisions.show({ id: without.id })).toMatchObject({ state: 'expired' })
    expect(await stateOfGate(postern, withDefault.gateId)).toBe('resolved')
    expect(await stateOfGate(postern, without.gateId)).toBe('expired')
    expect(await postern.upkeep.run()).toMatchObject({ gates: 0 })
    await expectTold(postern, 'quinn', `decision:${without.id}`, 'nobody answered in time')
    expect(await mailUnder(postern, 'justin', 'postern:gate-expired')).toEqual([])
  })

  rule('keeps that deadline also where nobody but the upkeep looks', async () => {
    verifies('G8.breach', 'S000.decision.deadline')
    const { postern, advance } = await open({ agents: EVERYONE })
    const { id, gateId } = await ask(postern, { deadlineMs: MINUTE_MS })
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'x' } as const
    await useUpStops(postern)
    await postern.gates.passed({ ...pass, names: [gateId] })
    advance(MINUTE_MS)
    expect(await postern.upkeep.run()).toMatchObject({ gates: 1 })
    await expectTold(postern, 'quinn', `decision:${id}`, 'nobody answered in time')
    expect(await postern.upkeep.run()).toMatchObject({ gates: 0 })
  })

  rule('wakes whoever waits for an answer, in this process and in another', async () => {
    verifies('S000.decision.await')
    const world = await open({ agents: EVERYONE })
    const { id } = await ask(world.postern)
    const other = await world.again()
    const waiting = Promise.all(
      [world.postern, other].map((postern) => postern.decisions.await({ id, timeoutMs: MINUTE_MS })),
    )
    await asJustin(await world.again()).decisions.respond({ id, select: 'a' })
    for (const decision of await woken(waiting))
      expect(decision).toMatchObject({ state: 'answered', answer: { selected: 'a' } })
    expect(await other.decisions.await({ id, timeoutMs: 0 })).toMatchObject({ state: 'answered' })
  })

  rule('lets whoever waits go when the question is taken back', async () => {
    verifies('S000.decision.await')
    const world = await open({ agents: EVERYONE })
    const { id } = await ask(world.postern)
    const waiting = world.postern.decisions.await({ id, timeoutMs: MINUTE_MS })
    await asQuinn(world.postern).decisions.cancel({ id })
    expect(await woken(waiting)).toMatchObject({ state: 'cancelled' })
  })

  rule('lets whoever waits go at the deadline, whoever else looks or not', async () => {
    verifies('S000.decision.await')
    const world = await open({ agents: EVERYONE })
    const { id } = await ask(world.postern, { defaultOption: 'b', deadlineMs: 300 })
    const waiting = world.postern.decisions.await({ id, timeoutMs: MINUTE_MS })
    world.advance(300)
    expect(await woken(waiting)).toMatchObject({ state: 'answered', answer: { by: 'system', selected: 'b' } })
  })

  rule('waits no longer than asked, and leaves the question open', async () => {
    verifies('S000.decision.await')
    const world = await open({ agents: EVERYONE })
    const { id } = await ask(world.postern)
    const waiting = world.postern.decisions.await({ id, timeoutMs: 5 })
    const error = await refused(asTimePasses(world.advance, waiting), 'TIMED_OUT')
    expect(error.message).toContain(id)
    expect(await world.postern.decisions.show({ id })).toMatchObject({ state: 'open' })
    const stopped = new AbortController()
    const aborted = world.postern.decisions.await({ id, timeoutMs: MINUTE_MS, signal: stopped.signal })
    stopped.abort()
    await refused(aborted, 'TIMED_OUT')
  })
})
