import { expect } from 'vitest'
import { GATE_KINDS, type GateKind } from '../../../src/model/gate.ts'
import type { CreateGate } from '../../../src/model/gates.ts'
import { DEAD_MACHINE_MS } from '../../helpers/patience.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, refused, tell } from '../suite.ts'
import {
  asAnna,
  asJustin,
  asQuinn,
  asRex,
  EVERYONE,
  expectTold,
  gateOf,
  gateSteps,
  MINUTE_MS,
  mailOf,
  mailUnder,
  REX_HOLDS_QUINN,
  stateOfGate,
} from './people.ts'

conformance('gates', ({ rule, open }) => {
  rule('begins open, with everything that was said of it, and tells a person where one is waited for', async () => {
    const { postern, now } = await open({ agents: EVERYONE })
    const gate = await asJustin(postern).gates.create({
      agent: 'quinn',
      kind: 'human',
      reason: 'Look at the migration first',
      waiters: ['rex', 'anna', 'rex'],
    })
    expect(gate).toMatchObject({
      id: expect.stringMatching(/^gate_/),
      agent: 'quinn',
      kind: 'human',
      mode: 'strict',
      hook: 'stop',
      state: 'open',
      onUnavailable: 'block',
      waiters: ['anna', 'rex'],
      createdBy: 'justin',
      createdAt: now(),
      closedAt: null,
    })
    expect(await postern.gates.show({ id: gate.id })).toMatchObject({
      gate,
      steps: [{ step: 'created', by: 'justin' }],
    })
    expect(await postern.gates.list({ agent: 'quinn' })).toEqual([gate])
    expect(await postern.gates.list({ agent: 'rex' })).toEqual([])
    await expectTold(postern, 'justin', `postern:gate-waits:${gate.id}`, 'Look at the migration first')
    expect(await mailOf(postern, 'anna')).toEqual([])
    expect(await mailOf(postern, 'quinn')).toEqual([])
  })

  rule('takes every kind that something can fulfil, and refuses the others', async () => {
    verifies('S000.gate.kinds')
    const { postern } = await open({ agents: EVERYONE })
    const messageId = await tell(asQuinn(postern), 'justin', 'May I?')
    const decision = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const other = await gateOf(postern)
    await postern.services.create({ name: 'ci', agent: 'quinn' })
    const awaited: Readonly<Record<GateKind, Partial<CreateGate>>> = {
      human: {},
      timer: { afterMs: MINUTE_MS },
      message: { awaits: messageId },
      decision: { awaits: decision.id },
      command: { awaits: 'false' },
      gate: { awaits: other.id },
      service: { awaits: 'ci' },
      bus: { awaits: 'conductor/task-docs' },
    }
    for (const kind of GATE_KINDS) {
      expect(await gateOf(postern, { kind, ...awaited[kind] })).toMatchObject({ kind, state: 'open' })
    }
    await refused(gateOf(postern, { kind: 'moon' as never }), 'VALUE_INVALID')
  })

  rule('refuses what names nothing, or what its kind would ignore', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await refused(gateOf(postern, { agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(gateOf(postern, { waiters: ['nobody'] }), 'AGENT_NOT_FOUND')
    await refused(gateOf(postern, { escalateTo: 'nobody', escalateAfterMs: 1 }), 'AGENT_NOT_FOUND')
    await refused(gateOf(postern, { kind: 'message', awaits: 'msg_none' }), 'MESSAGE_NOT_FOUND')
    await refused(gateOf(postern, { kind: 'decision', awaits: 'dec_none' }), 'DECISION_NOT_FOUND')
    await refused(gateOf(postern, { kind: 'gate', awaits: 'gate_none' }), 'GATE_NOT_FOUND')
    await refused(gateOf(postern, { kind: 'gate', awaits: 'a\0b' }), 'TEXT_INVALID')
    const invalid: Partial<CreateGate>[] = [
      { reason: ' ' },
      { mode: 'hard' as never },
      { hook: 'start' as never },
      { onUnavailable: 'maybe' as never },
      { kind: 'command' },
      { kind: 'timer' },
      { kind: 'timer', afterMs: -1 },
      { kind: 'timer', afterMs: Number.NaN },
      { awaits: 'true' },
      { afterMs: 1 },
      { folder: '/' },
      { tool: 'Bash' },
      { escalateAfterMs: 1 },
      { escalateTo: 'anna' },
      { remindEveryMs: 1_000 },
      { waiters: Array.from({ length: 101 }, (_, i) => `agent-${i}`) },
    ]
    for (const more of invalid) await refused(gateOf(postern, more), 'VALUE_INVALID')
    await refused(gateOf(postern, { reason: 'x'.repeat(2_001) }), 'CONTENT_TOO_LARGE')
    await refused(gateOf(postern, { reason: 'a\0b' }), 'TEXT_INVALID')
    await refused(postern.gates.show({ id: 'gate_none' }), 'GATE_NOT_FOUND')
    await refused(postern.gates.show({ id: 'a\0b' }), 'GATE_NOT_FOUND')
    await refused(postern.gates.check({ id: '\ud800' }), 'GATE_NOT_FOUND')
    await refused(postern.gates.list({ limit: 0 }), 'VALUE_INVALID')
    expect(await postern.gates.list({ all: true })).toEqual([])
  })

  rule('tells its agent and its waiters once, when it is resolved', async () => {
    verifies('S000.gate.bridge')
    const { postern, now } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { waiters: ['rex', 'anna'] })
    const resolved = await asJustin(postern).gates.resolve({ id: gate.id, reason: 'Looks good' })
    expect(resolved).toMatchObject({
      state: 'resolved',
      closedBy: 'justin',
      closedReason: 'Looks good',
      closedAt: now(),
    })
    for (const agent of ['quinn', 'rex', 'anna']) {
      const told = await mailUnder(postern, agent, `gate:${gate.id}`)
      expect(told).toMatchObject([
        {
          type: 'gate',
          from: { id: 'justin', kind: 'human' },
          ref: `gate:${gate.id}`,
          content: expect.stringContaining(`Gate ${gate.id} resolved: Looks good`),
          payload: { gateId: gate.id, state: 'resolved', reason: 'Looks good' },
        },
      ])
    }
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'resolved'])
    expect(await postern.gates.list()).toEqual([])
    expect(await postern.gates.list({ all: true })).toEqual([resolved])
  })

  rule('is waived as it is resolved', async () => {
    verifies('S000.gate.moves')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern)
    expect(await asJustin(postern).gates.waive({ id: gate.id, reason: 'Not today' })).toMatchObject({ state: 'waived' })
    await expectTold(postern, 'quinn', `gate:${gate.id}`, 'waived: Not today')
  })

  rule('is closed once: whoever comes second hears who was first', async () => {
    verifies('S000.gate.moves')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern)
    await asJustin(postern).gates.resolve({ id: gate.id, reason: 'Looks good' })
    const error = await refused(asAnna(postern).gates.resolve({ id: gate.id, reason: 'Me too' }), 'GATE_CLOSED')
    expect(error.message).toBe(`The gate ${gate.id} was resolved by justin.`)
    await refused(asAnna(postern).gates.waive({ id: gate.id, reason: 'Me too' }), 'GATE_CLOSED')
    await refused(asAnna(postern).gates.resolve({ id: gate.id, reason: ' ' }), 'VALUE_INVALID')
    await refused(asAnna(postern).gates.resolve({ id: 'gate_none', reason: 'x' }), 'GATE_NOT_FOUND')
    expect(await mailUnder(postern, 'quinn', 'gate:')).toHaveLength(1)
  })

  rule('is resolved only by a person where one is meant', async () => {
    verifies('S000.gate.self')
    const { postern } = await open({ agents: [...EVERYONE, { id: 'ci', kind: 'service' }] })
    const gate = await gateOf(asQuinn(postern))
    const unverified = (['ai', 'service'] as const).map((kind) =>
      postern.as({ ...caller('rex', kind), verified: false }),
    )
    for (const who of [asQuinn(postern), postern, ...unverified]) {
      await refused(who.gates.resolve({ id: gate.id, reason: 'I may' }), 'NOT_ALLOWED')
      await refused(who.gates.waive({ id: gate.id, reason: 'I may' }), 'NOT_ALLOWED')
    }
    for (const who of [asRex(postern), postern.as(caller('ci', 'service'))]) {
      await refused(who.gates.resolve({ id: gate.id, reason: 'I may' }), 'GATE_NOT_FOUND')
      await refused(who.gates.waive({ id: gate.id, reason: 'I may' }), 'GATE_NOT_FOUND')
    }
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    expect(await asAnna(postern).gates.resolve({ id: gate.id, reason: 'You may' })).toMatchObject({ state: 'resolved' })
  })

  rule('is not opened by the agent that it holds, even if the agent set it itself', async () => {
    verifies('S000.gate.self')
    const { postern } = await open(REX_HOLDS_QUINN)
    const timer = { kind: 'timer', afterMs: MINUTE_MS, reason: 'Obey rex' } as const
    const set = await gateOf(asRex(postern), timer)
    const error = await refused(asQuinn(postern).gates.resolve({ id: set.id, reason: 'I may' }), 'NOT_ALLOWED')
    expect(error.message).toContain('by rex (ai, verified)')
    expect(`${error.message} ${error.next}`).not.toContain('Obey')
    await refused(asQuinn(postern).gates.waive({ id: set.id, reason: 'I may' }), 'NOT_ALLOWED')
    expect(await asJustin(postern).gates.waive({ id: set.id, reason: 'Go on' })).toMatchObject({ state: 'waived' })
    const own = await gateOf(asQuinn(postern), timer)
    await refused(asQuinn(postern).gates.resolve({ id: own.id, reason: 'Done' }), 'NOT_ALLOWED')
    const soft = await gateOf(asQuinn(postern), { ...timer, mode: 'soft' })
    expect(await asQuinn(postern).gates.resolve({ id: soft.id, reason: 'Done' })).toMatchObject({ state: 'resolved' })
    const person = await gateOf(asAnna(postern), { agent: 'justin' })
    await refused(asJustin(postern).gates.resolve({ id: person.id, reason: 'I may' }), 'NOT_ALLOWED')
  })

  rule('is resolved by a reply, in the transaction of the push', async () => {
    verifies('S000.gate.kinds', 'S000.gate.bridge')
    const { postern } = await open({ agents: EVERYONE })
    const id = await tell(asQuinn(postern), 'justin', 'May I?')
    const gate = await gateOf(postern, { kind: 'message', awaits: id })
    await asQuinn(postern).inbox.push({ to: ['justin'], content: 'Well?', replyTo: id })
    await asJustin(postern).inbox.push({ to: ['quinn'], content: 'By the way' })
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    const reply = { to: ['quinn'], content: 'You may', replyTo: id, dedupKey: 'reply' }
    const { id: replyId } = await asJustin(postern).inbox.push(reply)
    const { gate: resolved } = await postern.gates.show({ id: gate.id })
    expect(resolved).toMatchObject({ state: 'resolved', closedBy: 'justin' })
    expect(resolved.closedReason).toContain(replyId)
    expect((await asJustin(postern).inbox.push(reply)).duplicate).toBe(true)
    expect(await mailUnder(postern, 'quinn', 'gate:')).toHaveLength(1)
  })

  rule('is resolved by a reply to everybody, and by one that was held when that is released', async () => {
    const { postern } = await open({ agents: EVERYONE, limits: { pairBurst: 1, pairPerMinute: 1 } })
    const id = await tell(asQuinn(postern), 'rex', 'May I?')
    const [first, second] = [
      await gateOf(postern, { kind: 'message', awaits: id }),
      await gateOf(postern, { kind: 'message', awaits: await tell(asQuinn(postern), 'justin', 'Or you?') }),
    ]
    await tell(asRex(postern), 'quinn', 'wait')
    const held = await asRex(postern).inbox.push({ to: ['quinn'], content: 'yes', replyTo: id })
    expect(held.recipients).toMatchObject([{ state: 'held' }])
    expect(await stateOfGate(postern, first.id)).toBe('open')
    // A gate that is set now finds no reply either.
    const third = await gateOf(postern, { kind: 'message', awaits: id })
    expect(third.state).toBe('open')
    await asJustin(postern).inbox.releaseHeld({ id: held.id })
    expect(await stateOfGate(postern, first.id)).toBe('resolved')
    expect(await stateOfGate(postern, third.id)).toBe('resolved')
    await asJustin(postern).inbox.push({ to: ['all'], content: 'Everybody may', replyTo: second.awaits ?? '' })
    expect(await stateOfGate(postern, second.id)).toBe('resolved')
  })

  rule('keeps the message whose reply it waits for', async () => {
    const { postern, advance } = await open({ agents: EVERYONE, limits: { retentionMs: 1_000 } })
    const id = await tell(asQuinn(postern), 'justin', 'May I?')
    const gate = await gateOf(postern, { kind: 'message', awaits: id })
    expect(await read(postern, 'justin')).toContain('May I?')
    advance(10 * MINUTE_MS)
    await postern.upkeep.run()
    await asJustin(postern).inbox.push({ to: ['quinn'], content: 'You may', replyTo: id })
    expect(await stateOfGate(postern, gate.id)).toBe('resolved')
  })

  rule('expires when nobody can answer its message any more, of which people are told', async () => {
    const { postern, advance } = await open({ agents: EVERYONE })
    const { id: expired } = await asQuinn(postern).inbox.push({ to: ['rex'], content: 'Brief?', ttlMs: 1_000 })
    const cancelled = await tell(asAnna(postern), 'rex', 'Never mind?')
    const ofRemoved = await tell(asQuinn(postern), 'rex', 'Are you there?')
    const ownDoing = await tell(asQuinn(postern), 'justin', 'Let me go?')
    const anybodys = await tell(asQuinn(postern), 'justin', 'Or me?')
    const gates: string[] = []
    for (const awaits of [expired, cancelled, ofRemoved, ownDoing, anybodys]) {
      gates.push((await gateOf(asJustin(postern), { kind: 'message', awaits })).id)
    }
    await asAnna(postern).inbox.cancel({ id: cancelled })
    await asQuinn(postern).inbox.cancel({ id: ownDoing })
    await postern.inbox.cancel({ id: anybodys })
    await asJustin(postern).agents.remove({ id: 'rex' })
    advance(MINUTE_MS)
    await postern.upkeep.run()
    advance(MINUTE_MS)
    await postern.upkeep.run()
    const states: unknown[] = []
    for (const id of gates) states.push(await stateOfGate(postern, id))
    // An agent is not let go because it took back what it was to wait for, or because a caller without a name did.
    expect(states).toEqual(['expired', 'expired', 'expired', 'open', 'open'])
    expect(await mailUnder(postern, 'justin', 'postern:gate-unanswerable:')).toHaveLength(5)
  })

  rule('is resolved at once where its condition is met already', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const id = await tell(asQuinn(postern), 'justin', 'May I?')
    await asJustin(postern).inbox.push({ to: ['quinn'], content: 'Yes', replyTo: id })
    expect(await gateOf(postern, { kind: 'message', awaits: id })).toMatchObject({ state: 'resolved' })
    const other = await gateOf(postern)
    await asJustin(postern).gates.waive({ id: other.id, reason: 'x' })
    const gate = await gateOf(postern, { kind: 'gate', awaits: other.id })
    expect(gate).toMatchObject({ state: 'resolved', closedReason: `the gate ${other.id} is waived` })
    await expectTold(postern, 'quinn', `gate:${gate.id}`, 'is waived')
    const { id: dec } = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    await asJustin(postern).decisions.respond({ id: dec, text: 'This' })
    expect(await gateOf(postern, { kind: 'decision', awaits: dec })).toMatchObject({ state: 'resolved' })
  })

  rule('opens the gates that wait for it, and those that wait for them', async () => {
    verifies('S000.gate.cascade')
    const { postern } = await open({ agents: EVERYONE })
    const first = await gateOf(postern)
    const second = await gateOf(postern, { agent: 'rex', kind: 'gate', awaits: first.id })
    const third = await gateOf(postern, { kind: 'gate', awaits: second.id, waiters: ['anna'] })
    await asJustin(postern).gates.resolve({ id: first.id, reason: 'Looks good' })
    expect(await postern.gates.list()).toEqual([])
    await expectTold(postern, 'rex', `gate:${second.id}`, `the gate ${first.id} was resolved`)
    await expectTold(postern, 'quinn', `gate:${third.id}`, `the gate ${second.id} was resolved`)
    await expectTold(postern, 'anna', `gate:${third.id}`, `the gate ${second.id} was resolved`)
  })

  rule('runs its command when it is checked, and is resolved where that succeeds', async () => {
    verifies('S000.gate.kinds')
    const { postern } = await open({ agents: EVERYONE })
    const [met, unmet] = [
      await gateOf(postern, { kind: 'command', awaits: 'test "$PWD" = /', folder: '/' }),
      await gateOf(postern, { kind: 'command', awaits: 'exit 3' }),
    ]
    expect(await postern.gates.check({ id: unmet.id })).toMatchObject({ state: 'open' })
    expect(await postern.gates.check({ id: met.id })).toMatchObject({ state: 'resolved', closedBy: 'system' })
    expect(await postern.gates.check({ id: met.id })).toMatchObject({ state: 'resolved' })
    await expectTold(postern, 'quinn', `gate:${met.id}`, 'its command succeeded')
    expect(await mailUnder(postern, 'quinn', `gate:${unmet.id}`)).toEqual([])
  })

  rule('runs no command on another machine than the one on which it was set', async () => {
    verifies('S000.gate.kinds')
    const { postern, tamper } = await open({ agents: EVERYONE })
    const gate = await gateOf(postern, { kind: 'command', awaits: 'true' })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', pid: 7, pidStartedAt: 1 })
    await tamper(`UPDATE gates SET machine = 'elsewhere'`)
    await tamper(`UPDATE sessions SET machine = 'elsewhere'`)
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({ state: 'open' })
    const found = await postern.gates.judge({
      agent: 'quinn',
      sessionId: 'ses-1',
      hook: 'stop',
      timeoutMs: DEAD_MACHINE_MS,
    })
    expect(found.strict).toMatchObject([{ name: gate.id }])
    await refused(postern.gates.register({ sessionId: 'ses-1', name: 'tests', check: 'true' }), 'NOT_ALLOWED')
    expect(await postern.gates.register({ sessionId: 'ses-1', name: 'tests' })).toMatchObject({ check: null })

    await postern.sessions.begin({ id: 'ses-2', agent: 'rex' })
    await postern.gates.register({ sessionId: 'ses-2', name: 'tests', check: 'true' })
    const judge = () =>
      postern.gates.judge({ agent: 'rex', sessionId: 'ses-2', hook: 'stop', timeoutMs: DEAD_MACHINE_MS })
    expect((await judge()).strict).toEqual([])
    await tamper(`UPDATE session_gates SET machine = 'elsewhere'`)
    expect((await judge()).strict).toMatchObject([{ name: 'tests' }])
  })

  rule('bounds how many gates an agent may have', async () => {
    const { postern } = await open({ agents: EVERYONE })
    for (let i = 0; i < 200; i++) await gateOf(postern, { kind: 'timer', afterMs: MINUTE_MS })
    await refused(gateOf(postern, { kind: 'timer', afterMs: MINUTE_MS }), 'VALUE_INVALID')
    await refused(asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] }), 'VALUE_INVALID')
    expect(await gateOf(postern, { agent: 'rex' })).toMatchObject({ state: 'open' })
  })

  rule('keeps the key of its notice from everybody else', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await gateOf(postern)
    for (const dedupKey of [`gate:${id}`, 'decision:dec_1']) {
      await refused(asRex(postern).inbox.push({ to: ['quinn'], content: 'resolved', dedupKey }), 'VALUE_INVALID')
    }
    await asRex(postern).inbox.push({ to: ['quinn'], content: 'x', dedupKey: 'gate:of-the-seed' })
  })
})
