import { expect } from 'vitest'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, refused } from '../suite.ts'

const AGENTS = ['developer', 'rex', { id: 'justin', kind: 'human' }] as const

conformance('events of services', ({ rule, open }) => {
  rule('are listed newest first, with what became of them', async () => {
    verifies('page.services')
    const { postern } = await open({ agents: AGENTS })
    const ci = await postern.services.create({ name: 'ci', agent: 'developer' })
    const other = await postern.services.create({ name: 'jira', agent: 'developer' })
    expect(await postern.services.events({ id: ci.id })).toEqual([])
    for (const build of [1, 2]) {
      await postern.services.trigger({ agent: 'developer', proof: { key: ci.key }, payload: { build } })
    }
    await postern.services.trigger({ agent: 'developer', proof: { key: other.key }, payload: 1 })
    await postern.inbox.push({ to: ['developer'], content: 'posing', type: 'service' })
    await read(postern, { agent: 'developer', maxMessages: 1 })
    const events = await postern.services.events({ id: 'ci', agent: 'developer' })
    expect(events).toMatchObject([
      { state: 'pending', payload: { serviceName: 'ci', payload: { build: 2 } } },
      { state: 'seen', payload: { payload: { build: 1 } } },
    ])
    expect(await postern.services.events({ id: 'ci', limit: 1 })).toHaveLength(1)
    await refused(postern.services.events({ id: 'ci', limit: 0 }), 'VALUE_INVALID')
    await refused(postern.services.events({ id: 'svc_nothing' }), 'SERVICE_NOT_FOUND')
  })

  rule('come once more where a person wants it, as messages of their own', async () => {
    verifies('page.services')
    const { postern } = await open({ agents: AGENTS })
    const { key, id } = await postern.services.create({ name: 'ci', agent: 'developer' })
    const payload = { build: 7, state: 'green' }
    const trigger = { agent: 'developer', proof: { key }, payload, deliveryId: 'evt_1', subject: 'build 7' } as const
    const { eventId } = await postern.services.trigger(trigger)
    const gate = await postern.gates.create({
      agent: 'developer',
      kind: 'service',
      awaits: 'ci?state=green',
      reason: 'CI first',
    })
    const justin = postern.as(caller('justin', 'human'))
    const replayed = await justin.services.replay({ id, eventId })
    expect(replayed).toEqual({ eventId: expect.stringMatching(/^msg_/), duplicate: false })
    const { message } = await postern.inbox.show({ id: replayed.eventId })
    expect(message).toMatchObject({
      from: { id: 'ci', kind: 'service', verified: true, via: 'replay' },
      subject: 'build 7',
      payload: { serviceName: 'ci', payload },
      context: { replayOf: eventId, replayedBy: 'justin' },
    })
    expect(await postern.services.list()).toMatchObject([{ events: 2 }])
    expect((await postern.gates.show({ id: gate.id })).gate.state).toBe('resolved')
  })

  rule('are brought again by no program, and only those of the service', async () => {
    const { postern } = await open({ agents: AGENTS })
    const ci = await postern.services.create({ name: 'ci', agent: 'developer' })
    const jira = await postern.services.create({ name: 'jira', agent: 'developer' })
    const { eventId } = await postern.services.trigger({ agent: 'developer', proof: { key: ci.key }, payload: 1 })
    const posing = await postern.inbox.push({ to: ['developer'], content: 'posing', type: 'service' })
    const developer = postern.as(caller('developer'))
    await refused(developer.services.replay({ id: ci.id, eventId }), 'NOT_ALLOWED')
    await refused(postern.services.replay({ id: jira.id, eventId }), 'MESSAGE_NOT_FOUND')
    await refused(postern.services.replay({ id: ci.id, eventId: posing.id }), 'MESSAGE_NOT_FOUND')
    await postern.services.revoke({ id: ci.id })
    await refused(postern.services.replay({ id: ci.id, eventId }), 'SERVICE_NOT_FOUND')
  })
})
