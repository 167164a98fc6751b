import { expect } from 'vitest'
import type { CreateDecision } from '../../../src/model/decisions.ts'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { Gate } from '../../../src/model/gate.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused, show, stateOf, stepsOf } from '../suite.ts'
import { asAnna, asJustin, asQuinn, EVERYONE, gateOf, MINUTE_MS, mailUnder, stateOfGate, useUpStops } from './people.ts'

const asLocal = (postern: Postern) => postern.as({ id: 'local', kind: 'local', verified: false, via: 'cli' })

function ask(postern: Postern, more: Partial<CreateDecision> = {}) {
  return asQuinn(postern).decisions.create({ question: 'Which store?', ask: ['justin', 'anna'], ...more })
}

async function requestsTo(postern: Postern, person: string): Promise<readonly InboxMessage[]> {
  const keys = ['postern:gate-waits:', 'postern:gate-reminder:', 'postern:gate-escalated:', 'decision:']
  return (await Promise.all(keys.map((key) => mailUnder(postern, person, key)))).flat()
}

async function statesOf(postern: Postern, person: string): Promise<string[]> {
  return (await requestsTo(postern, person)).map(({ state }) => state)
}

async function see(postern: Postern, person: string): Promise<void> {
  const { offerId } = await show(postern, { agent: person })
  await postern.inbox.confirm({ offerId, evidence: 'read' })
}

conformance('messages that ask people', ({ rule, open }) => {
  const endings: Readonly<Record<string, (postern: Postern, gate: Gate, advance: (ms: number) => void) => unknown>> = {
    resolved: (postern, { id }) => asJustin(postern).gates.resolve({ id, reason: 'looked' }),
    waived: (postern, { id }) => asJustin(postern).gates.waive({ id, reason: 'no need' }),
    expired: (_, __, advance) => advance(60 * MINUTE_MS),
  }
  for (const [state, end] of Object.entries(endings)) {
    rule(`are done once their gate is ${state}: what was shown is acted, the rest cancelled`, async () => {
      verifies('S000.gate.requests')
      const { postern, advance } = await open({ agents: EVERYONE })
      const times = { remindEveryMs: 10 * MINUTE_MS, escalateTo: 'anna', escalateAfterMs: MINUTE_MS }
      const gate = await gateOf(postern, { ...times, timeoutMs: 60 * MINUTE_MS })
      await see(postern, 'justin')
      advance(11 * MINUTE_MS)
      await postern.upkeep.run()
      expect(await statesOf(postern, 'justin')).toEqual(['seen', 'pending'])
      expect(await statesOf(postern, 'anna')).toEqual(['pending'])
      const other = await gateOf(postern)
      await end(postern, gate, advance)
      await postern.upkeep.run()
      expect(await stateOfGate(postern, gate.id)).toBe(state)
      const [waits] = await mailUnder(postern, 'justin', `postern:gate-waits:${gate.id}`)
      expect(waits?.state).toBe('acted')
      expect(await stepsOf(postern, waits?.id ?? '', 'justin')).toContain('acted')
      const reminders = await mailUnder(postern, 'justin', `postern:gate-reminder:${gate.id}`)
      expect(new Set(reminders.map((each) => each.state))).toEqual(new Set(['cancelled']))
      expect(await statesOf(postern, 'anna')).toEqual(['cancelled'])
      expect(await mailUnder(postern, 'justin', `postern:gate-waits:${other.id}`)).toMatchObject([{ state: 'pending' }])
    })
  }

  rule('are done once their question has ended, for everybody who was asked', async () => {
    verifies('S000.gate.requests')
    const { postern, advance } = await open({ agents: EVERYONE })
    const kinds: Readonly<Record<string, (id: string) => unknown>> = {
      answered: (id) => asJustin(postern).decisions.respond({ id, text: 'SQLite' }),
      cancelled: (id) => asQuinn(postern).decisions.cancel({ id }),
      waived: async (id) =>
        asJustin(postern).gates.waive({ id: (await postern.decisions.show({ id })).gateId, reason: 'x' }),
      expired: () => advance(MINUTE_MS),
    }
    for (const end of Object.values(kinds)) {
      const { id } = await ask(postern, { deadlineMs: MINUTE_MS })
      await see(postern, 'anna')
      await end(id)
      await postern.upkeep.run()
      expect(await mailUnder(postern, 'justin', `decision:${id}`)).toMatchObject([{ state: 'cancelled' }])
      expect(await mailUnder(postern, 'anna', `decision:${id}`)).toMatchObject([{ state: 'acted' }])
    }
    expect(await postern.inbox.drain({ agent: 'justin', maxPriority: 1 })).toMatchObject({ remaining: 0 })
  })

  rule('are acted where they were printed and not confirmed yet, and cancelled where nothing was printed', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern)
    await show(postern, { agent: 'justin' })
    const { offer } = await postern.inbox.drain({ agent: 'anna' })
    await asJustin(postern).decisions.respond({ id, text: 'SQLite' })
    const [message] = await mailUnder(postern, 'justin', `decision:${id}`)
    expect(await stateOf(postern, message?.id ?? '', 'justin')).toBe('acted')
    expect(await stateOf(postern, message?.id ?? '', 'anna')).toBe('cancelled')
    await postern.inbox.release({ offerId: offer?.id ?? '', reason: 'nothing was printed' })
    expect(await stateOf(postern, message?.id ?? '', 'anna')).toBe('cancelled')
  })

  rule('stay while another gate that waits for the question is closed, and while a breach leaves it open', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern, { ask: ['justin'] })
    const second = await asJustin(postern).gates.create({ agent: 'rex', kind: 'decision', awaits: id, reason: 'x' })
    await asJustin(postern).gates.waive({ id: second.id, reason: 'not rex' })
    expect(await statesOf(postern, 'justin')).toEqual(['pending'])
    const gate = await gateOf(postern)
    await useUpStops(postern)
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'x' } as const
    await postern.gates.passed({ ...pass, names: [gate.id] })
    expect(await stateOfGate(postern, gate.id)).toBe('breached')
    expect(await statesOf(postern, 'justin')).toEqual(['pending', 'pending'])
    await asJustin(postern).gates.resolve({ id: gate.id, reason: 'looked' })
    expect((await statesOf(postern, 'justin')).toSorted()).toEqual(['cancelled', 'pending'])
  })
})

conformance('a person who is removed', ({ rule, open }) => {
  rule('leaves a question to the others who were asked, without asking them again', async () => {
    verifies('S000.decision.orphans')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern)
    await asJustin(postern).agents.remove({ id: 'anna' })
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open', asked: ['justin'] })
    expect(await mailUnder(postern, 'justin', 'decision:')).toHaveLength(1)
    expect(await asJustin(postern).decisions.respond({ id, text: 'SQLite' })).toMatchObject({ state: 'answered' })
  })

  rule('passes a question put to one removed person to the owners, and names its author to them', async () => {
    verifies('S000.decision.orphans')
    const { postern } = await open({ agents: EVERYONE })
    const { id, gateId } = await ask(postern, {
      ask: ['anna'],
      context: 'ten writers',
      options: [{ key: 'a', label: 'A' }],
    })
    await asJustin(postern).agents.remove({ id: 'anna' })
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open', asked: ['justin'] })
    const [told] = await mailUnder(postern, 'justin', `decision:${id}`)
    expect(told).toMatchObject({ from: { id: 'system' }, priority: 1, state: 'pending' })
    expect(told?.content).toContain('anna, who was removed')
    expect(told?.content).toContain(`postern decision respond ${id}`)
    expect(told?.content).not.toContain('Which store?')
    expect(told?.quotes?.map(({ what, from }) => [what, from.id])).toEqual([
      ['question', 'quinn'],
      ['context', 'quinn'],
      ['options', 'quinn'],
    ])
    await asJustin(postern).decisions.respond({ id, select: 'a' })
    expect(await stateOfGate(postern, gateId)).toBe('resolved')
    expect(await mailUnder(postern, 'justin', `decision:${id}`)).toMatchObject([{ state: 'cancelled' }])
  })

  rule('ends a question that nobody is left to answer, with its default', async () => {
    verifies('S000.decision.orphans')
    const { postern } = await open({ agents: ['quinn', { id: 'anna', kind: 'human' }] })
    const options = [{ key: 'a', label: 'A' }]
    const plain = await ask(postern, { ask: ['anna'] })
    const withDefault = await ask(postern, { ask: ['anna'], options, defaultOption: 'a', deadlineMs: MINUTE_MS })
    await refused(asLocal(postern).agents.remove({ id: 'anna' }), 'NOT_ALLOWED')
    expect(await stateOfGate(postern, plain.gateId)).toBe('open')
    await asAnna(postern).agents.remove({ id: 'anna' })
    expect(await postern.decisions.show({ id: plain.id })).toMatchObject({ state: 'expired', answer: null })
    expect(await postern.decisions.show({ id: withDefault.id })).toMatchObject({
      state: 'answered',
      answer: { selected: 'a' },
    })
    expect(await stateOfGate(postern, plain.gateId)).toBe('expired')
    const [told] = await mailUnder(postern, 'quinn', `decision:${plain.id}`)
    expect(told?.content).toContain('anna, the last person who could answer, was removed')
  })

  rule('tells another person about a gate that waits for a person, unless one was told already', async () => {
    verifies('S000.decision.orphans')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern)
    const closed = await gateOf(postern)
    await asJustin(postern).gates.resolve({ id: closed.id, reason: 'x' })
    expect(await mailUnder(postern, 'anna', 'postern:gate-waits:')).toEqual([])
    await asJustin(postern).agents.remove({ id: 'justin' })
    const told = await mailUnder(postern, 'anna', 'postern:gate-waits:')
    expect(told).toMatchObject([{ dedupKey: `postern:gate-waits:${gate.id}`, state: 'pending' }])
    await postern.agents.add({ id: 'bob', kind: 'human' })
    const both = await gateOf(postern)
    await asAnna(postern).agents.remove({ id: 'anna' })
    expect(await mailUnder(postern, 'bob', 'postern:gate-waits:')).toHaveLength(2)
    expect(await mailUnder(postern, 'bob', `postern:gate-waits:${both.id}`)).toHaveLength(1)
    await postern.as(caller('bob', 'human')).gates.resolve({ id: gate.id, reason: 'looked' })
    expect(await mailUnder(postern, 'bob', `postern:gate-waits:${gate.id}`)).toMatchObject([{ state: 'cancelled' }])
  })
})
