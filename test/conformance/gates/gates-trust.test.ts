import { expect } from 'vitest'
import { LOCAL_CALLER } from '../../../src/model/caller.ts'
import { configWith } from '../../helpers/config-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused } from '../suite.ts'
import { asAnna, asJustin, asQuinn, asRex, EVERYONE, gateOf, judge, REX_HOLDS_QUINN } from './people.ts'

conformance('the trust of a gate', ({ rule, open }) => {
  rule('keeps with a gate, each of its steps and a question who acted and how far they were trusted', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const person = { kind: 'human', verified: true, via: 'sdk' }
    const unnamed = await gateOf(postern)
    expect(unnamed).toMatchObject({ createdBy: 'local', createdTrust: { kind: 'local', verified: false } })
    const named = await gateOf(asJustin(postern))
    expect(named).toMatchObject({ createdBy: 'justin', createdTrust: person })

    const claimed = postern.as({ id: 'anna', kind: 'human', verified: false, via: 'cli' })
    await claimed.gates.resolve({ id: named.id, reason: 'fine' })
    expect((await postern.gates.show({ id: named.id })).steps).toMatchObject([
      { step: 'created', by: 'justin', trust: person },
      { step: 'resolved', by: 'anna', trust: { kind: 'human', verified: false, via: 'cli' } },
    ])
    const decision = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    expect(await postern.decisions.show({ id: decision.id })).toMatchObject({
      createdBy: 'quinn',
      createdTrust: { kind: 'ai', verified: true, via: 'sdk' },
    })
  })

  rule('never records a caller without a name as verified, whatever credential it came with', async () => {
    verifies('G15.unverified')
    const { postern } = await open({ agents: EVERYONE })
    // Requests over the socket and with an administrator's token come so.
    const owner = postern.as({ ...LOCAL_CALLER, verified: true, via: 'http' })
    const { id } = await owner.inbox.push({ to: ['quinn'], content: 'Go on.' })
    const { message } = await postern.inbox.show({ id })
    expect(message.from).toEqual({ id: 'local', kind: 'local', verified: false, via: 'http' })
    const gate = await gateOf(owner, { kind: 'timer', afterMs: 60_000, mode: 'soft', hook: 'tool' })
    await owner.gates.resolve({ id: gate.id, reason: 'fine' })
    const strict = await gateOf(owner)
    await refused(owner.gates.resolve({ id: strict.id, reason: 'fine' }), 'NOT_ALLOWED')
    const trust = { kind: 'local', verified: false, via: 'http' }
    expect(await postern.gates.show({ id: gate.id })).toMatchObject({
      gate: { createdTrust: trust },
      steps: [{ trust }, { step: 'resolved', trust }],
    })
    const { steps } = await postern.gates.show({ id: strict.id })
    expect(steps.at(-1)).toMatchObject({ step: 'refused', trust })
    expect(steps.at(-1)?.evidence).toMatch(/^an unnamed caller \(unverified, via http/)
  })

  rule('lets a program hold only itself, and people and unnamed callers any agent', async () => {
    verifies('G8.holding')
    const { postern } = await open({ agents: [...EVERYONE, { id: 'ci', kind: 'service' }] })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const rexUnverified = postern.as({ ...caller('rex'), verified: false })
    for (const program of [asRex(postern), rexUnverified, postern.as(caller('ci', 'service'))]) {
      await refused(gateOf(program), 'NOT_ALLOWED')
      await refused(gateOf(program, { kind: 'timer', afterMs: 1, mode: 'soft', hook: 'tool' }), 'NOT_ALLOWED')
      await refused(program.decisions.create({ agent: 'quinn', question: 'x', ask: ['justin'] }), 'NOT_ALLOWED')
      await refused(program.gates.register({ sessionId: 'ses-1', name: 'own' }), 'NOT_ALLOWED')
    }
    expect(await postern.gates.list({ agent: 'quinn' })).toEqual([])
    for (const allowed of [postern, asJustin(postern), asAnna(postern), asQuinn(postern)]) await gateOf(allowed)
    expect(await gateOf(asRex(postern), { agent: 'rex' })).toMatchObject({ createdBy: 'rex', agent: 'rex' })
  })

  rule('lets a program hold the agents that the configuration names for it', async () => {
    verifies('G8.holding')
    const { postern, again } = await open(REX_HOLDS_QUINN)
    await gateOf(asRex(postern))
    await refused(gateOf(asRex(postern), { agent: 'anna' }), 'NOT_ALLOWED')
    const everybody = await again({ config: configWith({ allow: { gates: { rex: ['all'] } } }) })
    expect(await gateOf(asRex(everybody), { agent: 'anna' })).toMatchObject({ createdBy: 'rex' })
  })

  rule('tells a hook who wrote the words of each gate', async () => {
    verifies('G8.holding')
    const { postern } = await open({ agents: EVERYONE })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    await gateOf(asJustin(postern))
    await gateOf(postern)
    await asQuinn(postern).gates.register({ sessionId: 'ses-1', name: 'own' })
    const { strict } = await judge(postern)
    expect(strict.toSorted((a, b) => (a.createdBy < b.createdBy ? -1 : 1))).toMatchObject([
      { createdBy: 'justin', createdTrust: { kind: 'human', verified: true } },
      { createdBy: 'local', createdTrust: { kind: 'local', verified: false } },
      { name: 'own', createdBy: 'quinn', createdTrust: { kind: 'ai', verified: true } },
    ])
  })

  rule('keeps who registered a gate for a session', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'generic' })
    const gate = await asJustin(postern).gates.register({ sessionId: 'ses-1', name: 'tests-pass' })
    expect(gate).toMatchObject({
      registeredBy: 'justin',
      registeredTrust: { kind: 'human', verified: true },
    })
  })
})
