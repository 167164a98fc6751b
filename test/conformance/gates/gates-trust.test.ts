import { expect } from 'vitest'
import { conformance } from '../suite.ts'
import { asJustin, asQuinn, EVERYONE, gateOf } from './people.ts'

const VERIFIED = { verified: true, via: 'sdk' }

conformance('the trust of a gate', ({ rule, open }) => {
  rule('keeps with a gate, each of its steps and a question who acted and how far they were trusted', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const unnamed = await gateOf(postern)
    expect(unnamed).toMatchObject({ createdBy: 'local', createdTrust: { kind: 'local', verified: false } })
    const named = await gateOf(asJustin(postern))
    expect(named).toMatchObject({ createdBy: 'justin', createdTrust: { kind: 'human', ...VERIFIED } })

    const claimed = postern.as({ id: 'anna', kind: 'human', verified: false, via: 'cli' })
    await claimed.gates.resolve({ id: named.id, reason: 'fine' })
    expect((await postern.gates.show({ id: named.id })).steps).toMatchObject([
      { step: 'created', by: 'justin', trust: { kind: 'human', ...VERIFIED } },
      { step: 'resolved', by: 'anna', trust: { kind: 'human', verified: false, via: 'cli' } },
    ])
    const decision = await asQuinn(postern).decisions.create({ question: 'Which?', ask: ['justin'] })
    expect(await postern.decisions.show({ id: decision.id })).toMatchObject({
      createdBy: 'quinn',
      createdTrust: { kind: 'ai', ...VERIFIED },
    })
  })

  rule('keeps who registered a gate for a session', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'generic' })
    const gate = await asJustin(postern).gates.register({ sessionId: 'ses-1', name: 'tests-pass' })
    expect(gate).toMatchObject({ registeredBy: 'justin', registeredTrust: { kind: 'human', ...VERIFIED } })
  })
})
