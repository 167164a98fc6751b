import { expect } from 'vitest'
import { type Caller, LOCAL_CALLER, SYSTEM_CALLER } from '../../../src/model/caller.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { presentOf, toldSince } from '../events/telling.ts'
import { caller, conformance, placeOf, refused } from '../suite.ts'
import {
  asAnna,
  asJustin,
  asQuinn,
  asRex,
  EVERYONE,
  gateOf,
  gateSteps,
  judge,
  MINUTE_MS,
  mailUnder,
  namesIn,
  REX_HOLDS_QUINN,
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
    const { postern } = await open(REX_HOLDS_QUINN)
    for (const creator of [postern, asJustin(postern), asRex(postern)]) {
      const { id } = await gateOf(creator, TIMER)
      for (const who of UNNAMED) {
        await refused(postern.as(who).gates.resolve({ id, ...REASON }), 'NOT_ALLOWED')
        await refused(postern.as(who).gates.waive({ id, ...REASON }), 'NOT_ALLOWED')
      }
      expect(await stateOfGate(postern, id)).toBe('open')
    }
    // Postern closes gates itself, and never by a verb: a caller that calls itself so is not on the list either.
    const { id } = await gateOf(postern, TIMER)
    await refused(postern.as(SYSTEM_CALLER).gates.waive({ id, ...REASON }), 'NOT_ALLOWED')
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
    const { postern } = await open(REX_HOLDS_QUINN)
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
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    await useUpStops(postern)
    await asQuinn(postern).gates.passed({ ...pass, names: [gate.id, tool.id] })
    expect(await stateOfGate(postern, gate.id)).toBe('breached')
    expect(await stateOfGate(postern, tool.id)).toBe('open')
  })
})

conformance('the stops of a session', ({ rule, open }) => {
  rule('are reported by a local hook alone: a token neither counts nor grants one, nor names its firing', async () => {
    verifies('G8.breach')
    const { postern } = await open({ agents: EVERYONE })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    for (const who of [asQuinn(postern), asJustin(postern)]) {
      const note = { id: 'ses-1', agent: 'quinn', event: 'turn.stop' } as const
      await refused(who.sessions.note({ ...note, minContinuations: 9 }), 'NOT_ALLOWED')
      await refused(who.sessions.note({ ...note, firing: 'stop-1' }), 'NOT_ALLOWED')
      for (const outcome of ['continued', 'granted', 'released'] as const)
        await refused(who.sessions.setStop({ id: 'ses-1', outcome }), 'NOT_ALLOWED')
    }
    const [session] = await postern.sessions.list({ id: 'ses-1' })
    expect(session).toMatchObject({ continuations: 0, stoppedAt: null })
    expect(
      await postern.sessions.note({ id: 'ses-1', agent: 'quinn', event: 'turn.stop', firing: 'stop-1' }),
    ).toMatchObject({ isRepeated: false })
  })

  rule('are not forgotten because a token reports a prompt or a new session', async () => {
    verifies('S000.event.stops')
    const { postern } = await open({ agents: EVERYONE, limits: { sessionsPerAgent: 2 } })
    await useUpStops(postern)
    const { sessions } = asQuinn(postern)
    for (const event of ['prompt.submit', 'session.start'])
      expect((await sessions.note({ id: 'ses-1', agent: 'quinn', event })).session).toMatchObject({ continuations: 5 })
    await sessions.end({ id: 'ses-1' })
    for (const id of ['ses-2', 'ses-3', 'ses-1']) await sessions.begin({ id, agent: 'quinn' })
    const [session] = await postern.sessions.list({ id: 'ses-1' })
    expect(session).toMatchObject({ continuations: 5 })
    const event = { id: 'ses-1', agent: 'quinn', event: 'prompt.submit' }
    expect((await postern.sessions.note(event)).session).toMatchObject({ continuations: 0 })
  })

  rule('breach no gate that was created after them, and none once their session is over', async () => {
    verifies('G8.breach')
    const { postern, advance } = await open({ agents: EVERYONE })
    const older = await gateOf(asJustin(postern))
    advance(1)
    await useUpStops(postern)
    advance(1)
    const newer = await gateOf(asJustin(postern))
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'I went on' } as const
    await postern.sessions.end({ id: 'ses-1' })
    await asQuinn(postern).gates.passed({ ...pass, names: [older.id, newer.id] })
    expect(await stateOfGate(postern, older.id)).toBe('open')
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    await asQuinn(postern).gates.passed({ ...pass, names: [older.id, newer.id] })
    expect(await stateOfGate(postern, older.id)).toBe('breached')
    expect(await gateSteps(postern, newer.id)).toEqual(['created', 'claimed', 'claimed'])
    expect(await mailUnder(postern, 'justin', `postern:gate-claimed:${newer.id}`)).toHaveLength(2)
  })
})

conformance('a refused attempt', ({ rule, open }) => {
  rule('stands in the history of the gate: who tried what, by which door, and whether that was proved', async () => {
    verifies('G8.refused')
    const { postern, hooks } = await open({ agents: [...EVERYONE, { id: 'ci', kind: 'service' }] })
    const place = placeOf({ hooks })
    const gate = await gateOf(asJustin(postern))
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const after = await presentOf(postern)
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
        evidence: `quinn (ai, verified, via sdk${place}) tried to resolve the gate`,
      },
      {
        step: 'refused',
        by: 'ci',
        trust: { kind: 'service', verified: false },
        evidence: `ci (service, unverified, via cli${place}) tried to waive the gate`,
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
      {
        step: 'answer-refused',
        by: 'rex',
        evidence: `rex (ai, verified, via sdk${place}) tried to cancel the question`,
      },
    ])
    const { events } = await toldSince(postern, after)
    expect(events.filter(({ type }) => type.endsWith('.refused'))).toMatchObject([
      { subject: gate.id, data: { refused: expect.stringContaining('quinn (ai, verified') } },
      { subject: gate.id },
      { subject: gate.id },
      { type: 'decision.refused', subject: asked.id, data: { refused: expect.stringContaining('anna (human') } },
      { subject: asked.id },
    ])
  })

  rule('is recorded twenty times for one caller at one gate, and counted from then on', async () => {
    verifies('G8.refused')
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await gateOf(asJustin(postern))
    for (let attempt = 0; attempt < 24; attempt++)
      await refused(asQuinn(postern).gates.resolve({ id, ...REASON }), 'NOT_ALLOWED')
    await refused(asRex(postern).gates.resolve({ id, ...REASON }), 'GATE_NOT_FOUND')
    await refused(asQuinn(postern).gates.waive({ id, ...REASON }), 'NOT_ALLOWED')
    const { steps } = await postern.gates.show({ id })
    const refusals = steps.filter(({ step }) => step === 'refused')
    expect(refusals.map(({ by, times }) => [by, times])).toEqual([
      ...Array.from({ length: 20 }, () => ['quinn', undefined]),
      ['quinn', 5],
      ['rex', undefined],
    ])
    expect(refusals.at(-2)?.evidence).toMatch(/^quinn .* tried to waive the gate$/)
  })

  rule('of one unnamed caller does not hide those of another at the same gate', async () => {
    verifies('G8.refused')
    const { postern, hooks } = await open({ agents: EVERYONE })
    // Over HTTP the server knows the peer, and both callers have the same one.
    if (!hooks) return
    const { id } = await gateOf(asJustin(postern))
    const attempt = (pid: number) =>
      refused(postern.as({ ...LOCAL_CALLER, peer: `pid ${pid}` }).gates.resolve({ id, ...REASON }), 'NOT_ALLOWED')
    for (let at = 0; at < 30; at++) await attempt(100)
    await attempt(200)
    for (let pid = 300; pid < 600; pid++) await attempt(pid)
    const refusals = (await postern.gates.show({ id })).steps.filter(({ step }) => step === 'refused')
    expect(refusals.filter(({ evidence }) => evidence.includes('pid 200'))).toHaveLength(1)
    expect(refusals.filter(({ evidence }) => evidence.includes('pid 100'))).toHaveLength(20)
    expect(refusals).toHaveLength(201)
    expect(refusals.find(({ times }) => times !== undefined)).toMatchObject({
      times: 331 - 200,
      evidence: expect.stringContaining('pid 599'),
    })
  })

  rule('and a stop that a gate blocks or a reminder are counted too, beyond the first ones', async () => {
    verifies('G8.refused')
    const { postern, advance } = await open({ agents: EVERYONE })
    const { id } = await gateOf(asJustin(postern), { remindEveryMs: MINUTE_MS })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    for (let at = 0; at < 25; at++) {
      const evidence = `stop ${at}`
      await postern.gates.passed({ agent: 'quinn', sessionId: 'ses-1', outcome: 'blocked', names: [id], evidence })
      advance(2 * MINUTE_MS)
      await postern.upkeep.run()
    }
    const { steps } = await postern.gates.show({ id })
    for (const kind of ['blocked', 'reminded']) {
      const alike = steps.filter(({ step }) => step === kind)
      expect(alike).toHaveLength(21)
      expect(alike.at(-1)).toMatchObject({ times: 5 })
    }
    expect(steps.filter(({ step }) => step === 'blocked').at(-1)).toMatchObject({ evidence: 'stop 24' })
  })

  rule('that a client refused itself is recorded too, with the person whom it named', async () => {
    verifies('G8.refused')
    const { postern, hooks } = await open({ agents: EVERYONE })
    const place = placeOf({ hooks })
    const gate = await gateOf(asJustin(postern))
    const asked = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const quinn = postern.as({ ...caller('quinn'), verified: false, via: 'cli' })
    await quinn.gates.noteRefusal({ id: gate.id, attempt: 'waive', as: 'justin', sessionId: 'ses-1' })
    await quinn.gates.noteRefusal({ id: asked.id, attempt: 'respond', as: 'justin' })
    expect((await postern.gates.show({ id: gate.id })).steps.at(-1)).toMatchObject({
      sessionId: 'ses-1',
      evidence: `quinn (ai, unverified, via cli${place}) tried to waive the gate as justin, from session ses-1`,
    })
    expect((await postern.gates.show({ id: asked.gateId })).steps.at(-1)).toMatchObject({
      step: 'answer-refused',
      evidence: `quinn (ai, unverified, via cli${place}) tried to answer the question as justin`,
    })
    await refused(quinn.gates.noteRefusal({ id: 'gate_none', attempt: 'waive', as: 'justin' }), 'GATE_NOT_FOUND')
    await refused(quinn.gates.noteRefusal({ id: gate.id, attempt: 'waive', as: 'a\nb' }), 'AGENT_ID_INVALID')
  })
})
