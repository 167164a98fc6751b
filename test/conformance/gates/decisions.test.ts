import { expect } from 'vitest'
import type { CreateDecision } from '../../../src/model/decisions.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused } from '../suite.ts'
import {
  asAnna,
  asJustin,
  asQuinn,
  asRex,
  EVERYONE,
  expectTold,
  gateOf,
  judge,
  mailOf,
  mailUnder,
  namesIn,
  stateOfGate,
  useUpStops,
} from './people.ts'

const OPTIONS = [
  { key: 'a', label: 'Postgres', description: 'one more server' },
  { key: 'b', label: 'SQLite' },
]

function ask(postern: Postern, more: Partial<CreateDecision> = {}) {
  return asQuinn(postern).decisions.create({ question: 'Which store?', options: OPTIONS, ask: ['justin'], ...more })
}

conformance('decisions', ({ rule, open }) => {
  rule('holds the asker and puts the whole question before those who are asked', async () => {
    verifies('S000.decision.message')
    const { postern, now } = await open({ agents: EVERYONE })
    const decision = await ask(postern, { context: 'We expect ten writers.', ask: ['justin', 'anna'] })
    expect(decision).toMatchObject({
      id: expect.stringMatching(/^dec_/),
      agent: 'quinn',
      gateId: expect.stringMatching(/^gate_/),
      options: [
        { key: 'a', label: 'Postgres', description: 'one more server' },
        { key: 'b', label: 'SQLite', description: null },
      ],
      defaultOption: null,
      dueAt: null,
      allowsText: false,
      asked: ['anna', 'justin'],
      state: 'open',
      createdAt: now(),
      answer: null,
    })
    expect(await postern.decisions.show({ id: decision.id })).toEqual(decision)
    expect(await postern.decisions.list({ agent: 'quinn' })).toEqual([decision])
    for (const concerning of ['quinn', ...decision.asked]) {
      expect(await postern.decisions.list({ concerning, limit: 1 })).toEqual([decision])
    }
    expect(await postern.decisions.list({ concerning: 'rex' })).toEqual([])
    const { gate } = await postern.gates.show({ id: decision.gateId })
    expect(gate).toMatchObject({ kind: 'decision', mode: 'strict', agent: 'quinn', awaits: decision.id, state: 'open' })
    expect(namesIn(await judge(postern)).strict).toEqual([gate.id])
    for (const person of ['justin', 'anna']) {
      const [message, ...others] = await mailOf(postern, person)
      expect(others).toEqual([])
      expect(message).toMatchObject({ type: 'decision', from: { id: 'quinn' }, priority: 1 })
      for (const part of ['Which store?', 'ten writers', 'a) Postgres (one more server)', 'b) SQLite', decision.id]) {
        expect(message?.content).toContain(part)
      }
    }
  })

  rule('records the answer, opens the gate and tells the asker everything, once', async () => {
    verifies('S000.decision.message', 'G9.one-transaction')
    const { postern, now } = await open({ agents: EVERYONE })
    const { id, gateId } = await ask(postern)
    const answered = await asJustin(postern).decisions.respond({ id, select: 'a', text: 'We have it already' })
    expect(answered).toMatchObject({
      state: 'answered',
      answer: {
        by: 'justin',
        verified: true,
        at: now(),
        selected: 'a',
        text: 'We have it already',
      },
    })
    expect(await postern.decisions.show({ id })).toEqual(answered)
    expect(await postern.gates.show({ id: gateId })).toMatchObject({
      gate: { state: 'resolved', closedBy: 'justin', closedReason: 'option a' },
    })
    const mail = await mailOf(postern, 'quinn')
    expect(mail).toMatchObject([
      {
        type: 'decision',
        dedupKey: `decision:${id}`,
        from: { id: 'justin', kind: 'human' },
        payload: { decisionId: id, gateId, state: 'answered', selected: 'a', text: 'We have it already', by: 'justin' },
      },
    ])
    const said = [`Decision ${id} resolved: option a`, 'Which store?', 'b) SQLite', 'We have it already']
    const words = [mail[0]?.content, ...(mail[0]?.quotes ?? []).map(({ text }) => text)].join('\n')
    for (const part of said) expect(words).toContain(part)
    expect(namesIn(await judge(postern)).strict).toEqual([])
  })

  rule('takes the first answer, and tells whoever comes second what it was', async () => {
    verifies('G9.first-answer')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern, { ask: ['justin', 'anna'] })
    await asAnna(postern).decisions.respond({ id, select: 'b' })
    const error = await refused(asJustin(postern).decisions.respond({ id, select: 'a' }), 'DECISION_CLOSED')
    expect(error.message).toBe(`The decision ${id} is answered already, by anna (verified): b.`)
    await refused(asJustin(postern).decisions.cancel({ id }), 'DECISION_CLOSED')
    expect(await postern.decisions.show({ id })).toMatchObject({ answer: { by: 'anna', selected: 'b' } })
    expect(await mailUnder(postern, 'quinn', 'decision:')).toHaveLength(1)
  })

  rule('has a subject that is never cut inside a character', async () => {
    const { postern } = await open({ agents: EVERYONE })
    for (const start of ['', 'a']) {
      const { id } = await ask(postern, { question: start + '🚪'.repeat(100) })
      const [mail] = await mailUnder(postern, 'justin', `decision:${id}`)
      expect(mail?.subject).toMatch(/🚪…$/u)
      expect(mail?.subject).not.toContain('\uFFFD')
    }
  })

  rule('is answered only by people who were asked', async () => {
    verifies('S000.decision.asked')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern)
    const rexUnverified = postern.as({ ...caller('rex'), verified: false })
    for (const who of [asQuinn(postern), rexUnverified, asAnna(postern), postern, postern.as(caller('justin', 'ai'))]) {
      await refused(who.decisions.respond({ id, select: 'a' }), 'NOT_ALLOWED')
    }
    await refused(asRex(postern).decisions.respond({ id, select: 'a' }), 'DECISION_NOT_FOUND')
    await refused(asRex(postern).decisions.cancel({ id }), 'DECISION_NOT_FOUND')
    await refused(rexUnverified.decisions.cancel({ id }), 'NOT_ALLOWED')
    await refused(postern.decisions.cancel({ id }), 'NOT_ALLOWED')
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open' })
    expect(await mailUnder(postern, 'quinn', 'decision:')).toEqual([])
  })

  rule('takes an option it has, and text alone only where that is allowed', async () => {
    verifies('S000.decision.asked')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern)
    const respond = (input: { select?: string; text?: string }) => asJustin(postern).decisions.respond({ id, ...input })
    const unknown = await refused(respond({ select: 'c' }), 'OPTION_UNKNOWN')
    expect(unknown.next).toBe('Choose one of a, b.')
    await refused(respond({ select: '' }), 'OPTION_UNKNOWN')
    await refused(respond({ text: 'neither' }), 'OPTION_UNKNOWN')
    await refused(respond({}), 'USAGE')
    await refused(respond({ text: ' ' }), 'USAGE')
    await refused(respond({ select: 'a', text: 'x'.repeat(16_001) }), 'CONTENT_TOO_LARGE')
    await refused(respond({ select: 'a', text: 'a\0b' }), 'TEXT_INVALID')
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open' })

    const free = await ask(postern, { allowsText: true })
    await asJustin(postern).decisions.respond({ id: free.id, text: 'neither' })
    await expectTold(postern, 'quinn', `decision:${free.id}`, `Decision ${free.id} resolved: neither`)
    const open_ = await asQuinn(postern).decisions.create({ question: 'What now?' })
    expect(open_).toMatchObject({ allowsText: true, options: [] })
    await refused(asJustin(postern).decisions.respond({ id: open_.id, select: 'a' }), 'OPTION_UNKNOWN')
    expect(await asJustin(postern).decisions.respond({ id: open_.id, text: 'Rest' })).toMatchObject({
      answer: { selected: null, text: 'Rest' },
    })
  })

  rule('asks the owners where nobody is named, else everybody human', async () => {
    const { postern } = await open({ agents: EVERYONE })
    expect(await asQuinn(postern).decisions.create({ question: 'What now?' })).toMatchObject({ asked: ['justin'] })
    const other = await open({ agents: ['quinn', { id: 'eve', kind: 'human' }, { id: 'adam', kind: 'human' }] })
    expect(await asQuinn(other.postern).decisions.create({ question: 'x' })).toMatchObject({ asked: ['adam', 'eve'] })
    const empty = await open({ agents: ['quinn'] })
    await refused(asQuinn(empty.postern).decisions.create({ question: 'x' }), 'USAGE')
    expect(await empty.postern.gates.list({ all: true })).toEqual([])
  })

  rule('refuses a question that nobody could answer', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await refused(ask(postern, { question: ' \n' }), 'CONTENT_EMPTY')
    await refused(ask(postern, { ask: ['nobody'] }), 'AGENT_NOT_FOUND')
    await refused(ask(postern, { agent: 'rex' }), 'NOT_ALLOWED')
    const unknown = { agent: 'nobody', question: 'x', ask: ['anna'] }
    await refused(asJustin(postern).decisions.create(unknown), 'AGENT_NOT_FOUND')
    await refused(ask(postern, { ask: ['rex'] }), 'NOT_ALLOWED')
    await refused(asJustin(postern).decisions.create({ question: 'x', ask: ['justin'] }), 'NOT_ALLOWED')
    await refused(ask(postern, { defaultOption: 'c', deadlineMs: 60_000 }), 'OPTION_UNKNOWN')
    const { next } = await refused(ask(postern, { defaultOption: 'a' }), 'USAGE')
    expect(next).toContain('deadline')
    await refused(postern.decisions.create({ question: 'x', ask: ['justin'] }), 'USAGE')
    const options = (...list: [string, string][]) => ({ options: list.map(([key, label]) => ({ key, label })) })
    await refused(ask(postern, options(['a', 'x'], ['a', 'y'])), 'VALUE_INVALID')
    await refused(ask(postern, options(['a b', 'x'])), 'VALUE_INVALID')
    await refused(ask(postern, options(['a', ' '])), 'VALUE_INVALID')
    const many = Array.from({ length: 27 }, (_, i) => [`k${i}`, 'x'] as [string, string])
    await refused(ask(postern, options(...many)), 'VALUE_INVALID')
    await refused(ask(postern, { deadlineMs: -1 }), 'VALUE_INVALID')
    await refused(ask(postern, { question: 'x'.repeat(8_001) }), 'CONTENT_TOO_LARGE')
    const wordy = many.slice(0, 20).map(([key]) => ({ key, label: 'x', description: 'y'.repeat(2_000) }))
    await refused(ask(postern, { options: wordy }), 'CONTENT_TOO_LARGE')
    await refused(postern.decisions.show({ id: 'dec_none' }), 'DECISION_NOT_FOUND')
    await refused(asJustin(postern).decisions.respond({ id: 'a\0b', select: 'a' }), 'DECISION_NOT_FOUND')
    await refused(asJustin(postern).decisions.cancel({ id: 'dec_none' }), 'DECISION_NOT_FOUND')
    await refused(postern.decisions.await({ id: 'dec_none', timeoutMs: 1 }), 'DECISION_NOT_FOUND')
    await refused(postern.decisions.await({ id: 'dec_none', timeoutMs: -1 }), 'VALUE_INVALID')
    await refused(postern.decisions.list({ limit: 0 }), 'VALUE_INVALID')
    expect(await postern.decisions.list({ all: true })).toEqual([])
    expect(await mailOf(postern, 'justin')).toEqual([])
  })

  rule('is asked in the name of an agent, and told to that', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await postern.decisions.create({ agent: 'rex', question: 'What now?' })
    await asJustin(postern).decisions.respond({ id, text: 'Rest' })
    await expectTold(postern, 'rex', `decision:${id}`, 'Rest')
    expect(await mailOf(postern, 'quinn')).toEqual([])
  })

  rule('is taken back by its asker or by somebody who was asked, and the asker is told once', async () => {
    const { postern } = await open({ agents: EVERYONE })
    for (const who of [asQuinn(postern), asJustin(postern)]) {
      const { id, gateId } = await ask(postern)
      expect(await who.decisions.cancel({ id, reason: 'Settled' })).toMatchObject({ state: 'cancelled', answer: null })
      expect(await stateOfGate(postern, gateId)).toBe('waived')
      await expectTold(postern, 'quinn', `decision:${id}`, `Decision ${id} cancelled: Settled`)
      expect(await mailUnder(postern, 'quinn', 'gate:')).toEqual([])
    }
    await refused(asQuinn(postern).decisions.cancel({ id: (await ask(postern)).id, reason: ' ' }), 'VALUE_INVALID')
  })

  rule('is answered, not resolved: its gate can only be waived, and that takes the question back', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id, gateId } = await ask(postern)
    const error = await refused(asJustin(postern).gates.resolve({ id: gateId, reason: 'x' }), 'NOT_ALLOWED')
    expect(error.next).toContain(`decision respond ${id}`)
    await refused(asQuinn(postern).gates.waive({ id: gateId, reason: 'x' }), 'NOT_ALLOWED')
    expect(await asAnna(postern).gates.waive({ id: gateId, reason: 'Never mind' })).toMatchObject({ state: 'waived' })
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'cancelled' })
    await expectTold(postern, 'quinn', `decision:${id}`, 'Never mind')
    expect(await mailUnder(postern, 'quinn', 'gate:')).toEqual([])
    await refused(asJustin(postern).gates.waive({ id: gateId, reason: 'x' }), 'GATE_CLOSED')
  })

  rule('opens every gate that waits for it, and tells whom those hold', async () => {
    verifies('S000.gate.cascade')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await ask(postern)
    const other = await gateOf(postern, { agent: 'rex', kind: 'decision', awaits: id, waiters: ['anna'] })
    await asJustin(postern).decisions.respond({ id, select: 'a' })
    expect(await postern.gates.list()).toEqual([])
    await expectTold(postern, 'rex', `gate:${other.id}`, 'option a')
    await expectTold(postern, 'anna', `gate:${other.id}`, 'option a')
    expect(await mailOf(postern, 'quinn')).toHaveLength(1)
  })

  rule('is still answered after its gate was breached', async () => {
    verifies('G8.breach')
    const { postern } = await open({ agents: EVERYONE })
    const { id, gateId } = await ask(postern)
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'x' } as const
    await useUpStops(postern)
    await postern.gates.passed({ ...pass, names: [gateId] })
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open' })
    await asJustin(postern).decisions.respond({ id, select: 'a' })
    expect(await stateOfGate(postern, gateId)).toBe('resolved')
    await expectTold(postern, 'quinn', `decision:${id}`, 'option a')
  })

  rule("hands the answer to the user's own commands afterwards", async () => {
    const heard: unknown[] = []
    const world = await open({
      agents: EVERYONE,
      async announce(event, about) {
        const { state } = await world.postern.decisions.show({ id: (about['decision'] as { id: string }).id })
        heard.push({ event, about, state })
      },
    })
    const decision = await ask(world.postern)
    await refused(asJustin(world.postern).decisions.respond({ id: decision.id, select: 'c' }), 'OPTION_UNKNOWN')
    const answered = await asJustin(world.postern).decisions.respond({ id: decision.id, select: 'a' })
    expect(heard).toEqual([{ event: 'decision.responded', about: { decision: answered }, state: 'answered' }])
  })
})
