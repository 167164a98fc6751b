import { expect } from 'vitest'
import type { SessionGateRule } from '../../../src/model/gate.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused, stateOf, tell } from '../suite.ts'
import {
  asJustin,
  asQuinn,
  asRex,
  EVERYONE,
  gateOf,
  judge,
  MINUTE_MS,
  mailUnder,
  namesIn,
  REX_HOLDS_QUINN,
  stateOfGate,
  useUpStops,
} from './people.ts'

const RULE: SessionGateRule = { name: 'notes', hook: 'stop', mode: 'strict', check: null, reason: 'Write notes' }
const DECISION: SessionGateRule = { ...RULE, name: 'decision', reason: 'Offer a decision' }
const TIMER = { kind: 'timer', afterMs: MINUTE_MS } as const

const begin = (postern: Postern) => postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
const register = (postern: Postern, name: string, mode: 'strict' | 'soft' = 'soft') =>
  postern.gates.register({ sessionId: 'ses-1', name, mode, reason: 'x' })

/** Whatever an agent may do besides what its gates ask for, none of them opens by it. */
conformance('an agent that wants to open its own gates', ({ rule, open }) => {
  rule('does not find another program to do it', async () => {
    verifies('S000.gate.self')
    const { postern } = await open({ ...REX_HOLDS_QUINN, agents: [...EVERYONE, { id: 'ci', kind: 'service' }] })
    const set = await gateOf(asJustin(postern), TIMER)
    for (const who of [asRex(postern), postern.as(caller('ci', 'service'))]) {
      await refused(who.gates.resolve({ id: set.id, reason: 'You may' }), 'GATE_NOT_FOUND')
      await refused(who.gates.waive({ id: set.id, reason: 'You may' }), 'GATE_NOT_FOUND')
    }
    // A program without a credential sees the gate, as it could read the store, and cannot open it either.
    const unverified = postern.as({ ...caller('rex'), verified: false })
    await refused(unverified.gates.resolve({ id: set.id, reason: 'You may' }), 'NOT_ALLOWED')
    await refused(unverified.gates.waive({ id: set.id, reason: 'You may' }), 'NOT_ALLOWED')
    expect(await stateOfGate(postern, set.id)).toBe('open')
    const byRex = await gateOf(asRex(postern), TIMER)
    expect(await asRex(postern).gates.waive({ id: byRex.id, reason: 'Go on' })).toMatchObject({ state: 'waived' })
    expect(await asJustin(postern).gates.waive({ id: set.id, reason: 'Go on' })).toMatchObject({ state: 'waived' })
  })

  rule('gets no reply from a program that was not asked, nor from somebody unnamed', async () => {
    verifies('S000.gate.self', 'S000.gate.kinds')
    const { postern } = await open({ agents: EVERYONE })
    const toJustin = await tell(asQuinn(postern), 'justin', 'May I?')
    const first = await gateOf(postern, { kind: 'message', awaits: toJustin })
    const reply = { to: ['quinn'], content: 'You may' }
    await refused(asRex(postern).inbox.push({ ...reply, replyTo: toJustin }), 'MESSAGE_NOT_FOUND')
    await postern.as({ ...caller('rex'), verified: false }).inbox.push({ ...reply, replyTo: toJustin })
    expect(await stateOfGate(postern, first.id)).toBe('open')
    expect(await gateOf(postern, { kind: 'message', awaits: toJustin })).toMatchObject({ state: 'open' })
    const toRex = await tell(asQuinn(postern), 'rex', 'May I?')
    const second = await gateOf(postern, { kind: 'message', awaits: toRex })
    await asRex(postern).inbox.push({ ...reply, replyTo: toRex })
    expect(await stateOfGate(postern, second.id)).toBe('resolved')
    expect(await gateOf(postern, { kind: 'message', awaits: toRex })).toMatchObject({ state: 'resolved' })
    const { id: toAll } = await asQuinn(postern).inbox.push({ to: ['all'], content: 'May I?' })
    const third = await gateOf(postern, { kind: 'message', awaits: toAll })
    await asRex(postern).inbox.push({ ...reply, replyTo: toAll })
    expect(await stateOfGate(postern, third.id)).toBe('resolved')
    await postern.inbox.push({ ...reply, replyTo: toJustin })
    expect(await stateOfGate(postern, first.id)).toBe('open')
    await asJustin(postern).inbox.push({ ...reply, replyTo: toJustin })
    expect(await stateOfGate(postern, first.id)).toBe('resolved')
  })

  rule('makes no gate of its session weaker than others have set it', async () => {
    verifies('S000.gate.self', 'S000.gate.session')
    const { postern, again } = await open({ agents: EVERYONE, sessionGates: [RULE] })
    await begin(postern)
    await register(asJustin(postern), 'tests', 'strict')
    for (const who of [asQuinn(postern), asRex(postern), postern]) {
      for (const name of ['tests', 'notes']) await refused(register(who, name), 'NOT_ALLOWED')
    }
    // Where the configuration is another it does not know the gate; where the session is judged it counts for nothing.
    await register(asQuinn(await again({ sessionGates: [] })), 'notes')
    expect(namesIn(await judge(postern)).strict.toSorted()).toEqual(['notes', 'tests'])
    await register(asQuinn(postern), 'own', 'strict')
    await register(asJustin(postern), 'own', 'strict')
    await refused(register(asQuinn(postern), 'own'), 'NOT_ALLOWED')
    expect(namesIn(await judge(postern)).strict.toSorted()).toEqual(['notes', 'own', 'tests'])
  })

  rule('changes no gate of the configuration by being called like it', async () => {
    verifies('S000.gate.self', 'S000.gate.session')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [RULE] })
    await begin(postern)
    // An agent that an older version registered under such an id keeps it.
    for (const id of ['configuration', 'unknown']) {
      for (const verified of [true, false]) {
        await refused(register(postern.as({ ...caller(id), verified }), 'notes'), 'NOT_ALLOWED')
      }
    }
    expect(namesIn(await judge(postern)).strict).toEqual(['notes'])
    for (const id of ['configuration', 'unknown']) await refused(postern.agents.add({ id }), 'AGENT_ID_RESERVED')
    await refused(postern.agents.add({ id: 'unkn0wn' }), 'AGENT_CONFUSABLE')
  })

  rule('asks its person, and does not take the question back, where it must ask', async () => {
    verifies('S000.gate.self', 'S000.gate.session')
    const { postern } = await open({ agents: EVERYONE, sessionGates: [DECISION] })
    await begin(postern)
    const error = await refused(asQuinn(postern).gates.mark({ sessionId: 'ses-1', name: 'decision' }), 'VALUE_INVALID')
    expect(error.next).toContain('postern decision create')
    const ask = () => asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const first = await ask()
    expect(namesIn(await judge(postern)).strict).toEqual([first.gateId])
    await asQuinn(postern).decisions.cancel({ id: first.id })
    expect(namesIn(await judge(postern)).strict).toEqual(['decision'])
    // A person who takes it back has been asked.
    await asJustin(postern).decisions.cancel({ id: (await ask()).id })
    expect(namesIn(await judge(postern)).strict).toEqual([])
  })

  rule('takes back no question that others ask for it, and none for which others let it wait', async () => {
    verifies('S000.gate.self')
    const { postern } = await open(REX_HOLDS_QUINN)
    const forIt = await asRex(postern).decisions.create({ agent: 'quinn', question: 'Which?', ask: ['justin'] })
    await refused(asQuinn(postern).decisions.cancel({ id: forIt.id }), 'NOT_ALLOWED')
    expect(await asRex(postern).decisions.cancel({ id: forIt.id })).toMatchObject({ state: 'cancelled' })
    const own = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    const gate = await gateOf(asJustin(postern), { kind: 'decision', awaits: own.id })
    await refused(asQuinn(postern).decisions.cancel({ id: own.id }), 'NOT_ALLOWED')
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    expect(await asJustin(postern).decisions.cancel({ id: own.id })).toMatchObject({ state: 'cancelled' })
    expect(await stateOfGate(postern, gate.id)).toBe('waived')
  })

  rule('neither retires and comes back, nor sends away the people who would be told', async () => {
    verifies('S000.gate.self', 'G8.recorded')
    const { postern } = await open({ agents: ['quinn', 'rex', { id: 'justin', kind: 'human' }] })
    const gate = await gateOf(postern)
    for (const who of [asQuinn(postern), asRex(postern)]) {
      await refused(who.agents.remove({ id: 'quinn' }), 'NOT_ALLOWED')
      await refused(who.agents.remove({ id: 'justin' }), 'NOT_ALLOWED')
      await refused(who.agents.add({ id: 'nobody', kind: 'human' }), 'NOT_ALLOWED')
      await refused(who.agents.rename({ id: 'justin', displayName: 'Nobody' }), 'NOT_ALLOWED')
      // Owners are told instead of everybody else.
      await refused(who.agents.add({ id: 'nobody', kind: 'human', isOwner: true }), 'NOT_ALLOWED')
      await refused(who.agents.add({ id: 'justin', kind: 'human', isOwner: true }), 'NOT_ALLOWED')
    }
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    await refused(asQuinn(postern).agents.remove({ id: 'rex' }), 'NOT_ALLOWED')
    expect(await postern.agents.remove({ id: 'rex' })).toMatchObject({ id: 'rex' })
    await refused(postern.agents.remove({ id: 'quinn' }), 'NOT_ALLOWED')
    expect(await asJustin(postern).agents.remove({ id: 'quinn' })).toMatchObject({ id: 'quinn' })
  })

  rule('takes back nothing that others have told a person', async () => {
    verifies('G8.recorded')
    const { postern } = await open({ agents: EVERYONE })
    const gate = await gateOf(asJustin(postern))
    const pass = { agent: 'quinn', sessionId: 'ses-1', outcome: 'breached', evidence: 'x' } as const
    await useUpStops(postern)
    await postern.gates.passed({ ...pass, names: [gate.id] })
    const [told] = await mailUnder(postern, 'justin', 'postern:gate-breached')
    const id = told?.id ?? expect.fail('nobody was told')
    // To a program that has shown who it is there is no such message; one that only says who it is is refused.
    for (const who of [asQuinn(postern), asRex(postern)]) {
      await refused(who.inbox.cancel({ id }), 'MESSAGE_NOT_FOUND')
      await refused(who.as({ ...who.caller, verified: false }).inbox.cancel({ id }), 'NOT_ALLOWED')
    }
    expect(await stateOf(postern, id)).toBe('pending')
    const own = await tell(asQuinn(postern), 'justin', 'hello')
    expect(await asQuinn(postern).inbox.cancel({ id: own })).toEqual({ cancelled: 1 })
    expect(await asJustin(postern).inbox.cancel({ id })).toEqual({ cancelled: 1 })
  })
})
