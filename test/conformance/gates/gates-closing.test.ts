import { expect } from 'vitest'
import { type Caller, LOCAL_CALLER } from '../../../src/model/caller.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused } from '../suite.ts'
import {
  asAnna,
  asJustin,
  asQuinn,
  asRex,
  EVERYONE,
  gateOf,
  judge,
  MINUTE_MS,
  mailUnder,
  namesIn,
  stateOfGate,
  useUpStops,
} from './people.ts'

const TIMER = { kind: 'timer', afterMs: MINUTE_MS } as const
const REASON = { reason: 'You may' }

/** An unnamed caller at this machine, and one whom the socket of the server has let in as its owner. */
const UNNAMED: readonly Caller[] = [LOCAL_CALLER, { ...LOCAL_CALLER, verified: true, via: 'http' }]

conformance('who closes a gate', ({ rule, open }) => {
  rule('is nobody unnamed, where the gate is strict', async () => {
    verifies('G8.closing')
    const { postern } = await open({ agents: EVERYONE })
    for (const creator of [postern, asJustin(postern), asRex(postern)]) {
      const { id } = await gateOf(creator, TIMER)
      for (const who of UNNAMED) {
        await refused(postern.as(who).gates.resolve({ id, ...REASON }), 'NOT_ALLOWED')
        await refused(postern.as(who).gates.waive({ id, ...REASON }), 'NOT_ALLOWED')
      }
      expect(await stateOfGate(postern, id)).toBe('open')
    }
    const soft = await gateOf(postern, { ...TIMER, mode: 'soft' })
    expect(await postern.gates.waive({ id: soft.id, ...REASON })).toMatchObject({ state: 'waived' })
  })

  rule('is nobody unnamed who retires the held agent instead', async () => {
    verifies('G8.closing')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await gateOf(asJustin(postern), TIMER)
    await refused(postern.agents.remove({ id: 'quinn' }), 'NOT_ALLOWED')
    expect(await stateOfGate(postern, id)).toBe('open')
    expect(await asAnna(postern).agents.remove({ id: 'quinn' })).toMatchObject({ id: 'quinn' })
    expect(await stateOfGate(postern, id)).toBe('waived')
  })

  rule('is nobody unnamed who cancels a question that somebody unnamed has asked', async () => {
    verifies('G8.closing')
    const { postern } = await open({ agents: EVERYONE })
    const asked = await postern.decisions.create({ agent: 'quinn', question: 'Which?', ask: ['justin'] })
    await refused(postern.decisions.cancel({ id: asked.id }), 'NOT_ALLOWED')
    expect(await asJustin(postern).decisions.cancel({ id: asked.id })).toMatchObject({ state: 'cancelled' })
  })

  rule('is any person, or the named creator that is not held', async () => {
    verifies('G8.closing')
    const { postern } = await open({ agents: EVERYONE })
    const byRex = await gateOf(asRex(postern), TIMER)
    expect(await asRex(postern).gates.resolve({ id: byRex.id, ...REASON })).toMatchObject({ state: 'resolved' })
    const byNobody = await gateOf(postern, TIMER)
    expect(await asAnna(postern).gates.resolve({ id: byNobody.id, ...REASON })).toMatchObject({ state: 'resolved' })
    const byQuinn = await gateOf(asQuinn(postern), TIMER)
    await refused(asQuinn(postern).gates.waive({ id: byQuinn.id, ...REASON }), 'NOT_ALLOWED')
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    expect(await asQuinn(postern).decisions.cancel({ id: asked.id })).toMatchObject({ state: 'cancelled' })
  })

  rule('is not the held agent, which only claims to have passed the gate', async () => {
    verifies('G8.breach', 'G8.closing')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(asJustin(postern))
    const tool = await gateOf(asJustin(postern), { hook: 'tool' })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'I went on' } as const
    await asQuinn(postern).gates.passed({ ...pass, names: [gate.id] })
    expect(namesIn(await judge(postern)).strict).toEqual([gate.id])
    const { steps } = await postern.gates.show({ id: gate.id })
    expect(steps.at(-1)).toMatchObject({
      step: 'claimed',
      by: 'quinn',
      trust: { verified: true },
      evidence: 'I went on',
    })
    expect(await mailUnder(postern, 'justin', `postern:gate-claimed:${gate.id}`)).toHaveLength(1)
    // The count is one of stops, and a token does not set it to any number that it likes.
    await refused(
      asQuinn(postern).sessions.note({ id: 'ses-1', agent: 'quinn', event: 'tool.after', minContinuations: 9 }),
      'NOT_ALLOWED',
    )
    await useUpStops(asQuinn(postern))
    await asQuinn(postern).gates.passed({ ...pass, names: [gate.id, tool.id] })
    expect(await stateOfGate(postern, gate.id)).toBe('breached')
    expect(await stateOfGate(postern, tool.id)).toBe('open')
  })
})

conformance('a refused attempt', ({ rule, open }) => {
  rule('stands in the history of the gate: who tried what, by which door, and whether that was proved', async () => {
    verifies('G8.refused')
    const { postern } = await open({ agents: [...EVERYONE, { id: 'ci', kind: 'service' }] })
    const gate = await gateOf(asJustin(postern))
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const { cursor: after } = await postern.events.list()
    await refused(asQuinn(postern).gates.resolve({ id: gate.id, ...REASON }), 'NOT_ALLOWED')
    await refused(
      postern.as({ ...caller('ci', 'service'), verified: false, via: 'cli' }).gates.waive({ id: gate.id, ...REASON }),
      'NOT_ALLOWED',
    )
    await refused(postern.gates.waive({ id: gate.id, ...REASON }), 'NOT_ALLOWED')
    await refused(asAnna(postern).decisions.respond({ id: asked.id, text: 'This' }), 'NOT_ALLOWED')
    await refused(asRex(postern).decisions.cancel({ id: asked.id }), 'DECISION_NOT_FOUND')
    const refusals = async (id: string) => (await postern.gates.show({ id })).steps.slice(1)
    expect(await refusals(gate.id)).toMatchObject([
      {
        step: 'refused',
        by: 'quinn',
        trust: { kind: 'ai', verified: true },
        evidence: 'quinn (ai, verified, via sdk) tried to resolve the gate',
      },
      {
        step: 'refused',
        by: 'ci',
        trust: { kind: 'service', verified: false },
        evidence: 'ci (service, unverified, via cli) tried to waive the gate',
      },
      {
        step: 'refused',
        by: 'local',
        evidence: expect.stringMatching(/^an unnamed caller .* tried to waive the gate$/),
      },
    ])
    expect(await refusals(asked.gateId)).toMatchObject([
      {
        step: 'answer-refused',
        by: 'anna',
        evidence: expect.stringMatching(/^anna \(human, .* tried to answer the question$/),
      },
      { step: 'answer-refused', by: 'rex', evidence: 'rex (ai, verified, via sdk) tried to cancel the question' },
    ])
    const { items } = await postern.events.list({ after, types: ['gate.refused', 'decision.refused'] })
    expect(items).toMatchObject([
      { subject: gate.id, data: { refused: expect.stringContaining('quinn (ai, verified') } },
      { subject: gate.id },
      { subject: gate.id },
      { type: 'decision.refused', subject: asked.id, data: { refused: expect.stringContaining('anna (human') } },
      { subject: asked.id },
    ])
  })

  rule('is recorded at most twenty times for one caller at one gate', async () => {
    verifies('G8.refused')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await gateOf(asJustin(postern))
    for (let attempt = 0; attempt < 25; attempt++)
      await refused(asQuinn(postern).gates.resolve({ id, ...REASON }), 'NOT_ALLOWED')
    await refused(asRex(postern).gates.resolve({ id, ...REASON }), 'GATE_NOT_FOUND')
    const { steps } = await postern.gates.show({ id })
    expect(steps.filter(({ step }) => step === 'refused').map(({ by }) => by)).toEqual([
      ...Array.from({ length: 20 }, () => 'quinn'),
      'rex',
    ])
  })

  rule('that a client refused itself is recorded too, with the person whom it named', async () => {
    verifies('G8.refused')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(asJustin(postern))
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const quinn = postern.as({ ...caller('quinn'), verified: false, via: 'cli' })
    await quinn.gates.noteRefusal({ id: gate.id, attempt: 'waive', as: 'justin', sessionId: 'ses-1' })
    await quinn.gates.noteRefusal({ id: asked.id, attempt: 'respond', as: 'justin' })
    expect((await postern.gates.show({ id: gate.id })).steps.at(-1)).toMatchObject({
      sessionId: 'ses-1',
      evidence: 'quinn (ai, unverified, via cli) tried to waive the gate as justin, from session ses-1',
    })
    expect((await postern.gates.show({ id: asked.gateId })).steps.at(-1)).toMatchObject({
      step: 'answer-refused',
      evidence: 'quinn (ai, unverified, via cli) tried to answer the question as justin',
    })
    await refused(quinn.gates.noteRefusal({ id: 'gate_none', attempt: 'waive', as: 'justin' }), 'GATE_NOT_FOUND')
    await refused(quinn.gates.noteRefusal({ id: gate.id, attempt: 'waive', as: 'a\nb' }), 'AGENT_ID_INVALID')
  })
})
