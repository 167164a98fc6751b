import { expect } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import { asQuinn, EVERYONE, expectTold, gateOf, gateSteps, judge, mailUnder, namesIn, stateOfGate } from './people.ts'

const ci = (postern: Postern, agent = 'quinn') => postern.services.create({ name: 'ci', agent })
const gateOn = (postern: Postern, awaits: string) => gateOf(postern, { kind: 'service', awaits })

function sender(postern: Postern, { agent, key }: { readonly agent: string; readonly key: string }) {
  return (payload: Json, deliveryId?: string) =>
    postern.services.trigger({ agent, proof: { key }, payload, ...(deliveryId !== undefined && { deliveryId }) })
}

conformance('gates that wait for a service', ({ rule, open }) => {
  rule('open with its next event, in the same transaction, and say so', async () => {
    verifies('S000.gate.kinds', 'S001.service.gate')
    const { postern } = await open({ agents: EVERYONE })
    const send = sender(postern, await ci(postern))
    await send({ status: 'success' })
    const gate = await gateOf(postern, { kind: 'service', awaits: 'ci', waiters: ['rex'] })
    expect(gate).toMatchObject({ kind: 'service', awaits: 'ci', state: 'open' })
    expect(namesIn(await judge(postern)).strict).toEqual([gate.id])
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({ state: 'open' })
    const { eventId } = await send({ status: 'failed' })
    expect(await postern.gates.show({ id: gate.id })).toMatchObject({
      gate: { state: 'resolved', closedBy: 'ci', closedReason: `ci sent ${eventId}` },
    })
    for (const agent of ['quinn', 'rex']) await expectTold(postern, agent, `gate:${gate.id}`, `ci sent ${eventId}`)
    expect(await mailUnder(postern, 'quinn', 'gate:')).toMatchObject([{ from: { id: 'ci', kind: 'service' } }])
    expect(namesIn(await judge(postern)).strict).toEqual([])
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'resolved'])
  })

  rule('may ask for certain values of the payload', async () => {
    verifies('S001.service.gate')
    const { postern } = await open({ agents: EVERYONE })
    const send = sender(postern, await ci(postern))
    const gates = {
      any: await gateOn(postern, 'ci'),
      green: await gateOn(postern, 'ci?status=success'),
      main: await gateOn(postern, 'ci?status=success&build.branch=feature%2Fx'),
    }
    const states = () => Promise.all(Object.values(gates).map(({ id }) => stateOfGate(postern, id)))
    await send({ status: 'failed', build: { branch: 'feature/x' } })
    expect(await states()).toEqual(['resolved', 'open', 'open'])
    await send({ status: 'success', build: { branch: 'feature/y' } })
    expect(await states()).toEqual(['resolved', 'resolved', 'open'])
    await send('success')
    expect(await states()).toEqual(['resolved', 'resolved', 'open'])
    await send({ status: 'success', build: { branch: 'feature/x' } })
    expect(await states()).toEqual(['resolved', 'resolved', 'resolved'])
  })

  rule('go by the name of the service, whoever it wakes, and by no name that only begins so', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const ofRex = sender(postern, await ci(postern, 'rex'))
    const other = sender(postern, await postern.services.create({ name: 'ci-nightly', agent: 'quinn' }))
    const gate = await gateOn(postern, 'ci')
    await other({ status: 'success' })
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    await ofRex({ status: 'success' })
    expect(await stateOfGate(postern, gate.id)).toBe('resolved')
  })

  rule('stay closed for an event that was there before, is refused or finds no room', async () => {
    const { postern } = await open({ agents: EVERYONE, limits: { pendingPerAgent: 2 } })
    const service = await ci(postern, 'rex')
    const send = sender(postern, service)
    await send({ status: 'success' }, 'run-1')
    const gate = await gateOn(postern, 'ci?status=success')
    expect(await send({ status: 'success' }, 'run-1')).toMatchObject({ duplicate: true })
    await refused(sender(postern, { ...service, key: 'sk_wrong' })({ status: 'success' }), 'TRIGGER_REFUSED')
    await send({ status: 'failed' })
    await refused(send({ status: 'success' }, 'run-2'), 'INBOX_FULL')
    expect(await stateOfGate(postern, gate.id)).toBe('open')
    expect(await mailUnder(postern, 'quinn', 'gate:')).toEqual([])
  })

  rule('are refused for a service that nobody has registered, or a condition that says nothing', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await refused(gateOn(postern, 'ci'), 'SERVICE_NOT_FOUND')
    const { id } = await ci(postern)
    await refused(gateOf(postern, { kind: 'service' }), 'VALUE_INVALID')
    await refused(gateOn(postern, 'ci?status'), 'VALUE_INVALID')
    await refused(gateOn(postern, 'ci?status=%'), 'VALUE_INVALID')
    await refused(gateOn(postern, 'CI'), 'SERVICE_NAME_INVALID')
    await refused(gateOn(postern, `ci?status=${'x'.repeat(4_000)}`), 'CONTENT_TOO_LARGE')
    await postern.services.revoke({ id })
    await refused(gateOn(postern, 'ci'), 'SERVICE_NOT_FOUND')
    expect(await postern.gates.list({ all: true })).toEqual([])
  })

  rule('cannot be opened by the agent they hold with a service of its own', async () => {
    verifies('S000.gate.self')
    const { postern } = await open({ agents: EVERYONE })
    await ci(postern, 'rex')
    const gate = await gateOn(postern, 'ci')
    await refused(ci(asQuinn(postern)), 'NOT_ALLOWED')
    await refused(asQuinn(postern).services.rotate({ id: 'ci' }), 'NOT_ALLOWED')
    expect(await stateOfGate(postern, gate.id)).toBe('open')
  })

  rule('are opened once by many events at a time', async () => {
    const world = await open({ agents: EVERYONE })
    const service = await ci(world.postern)
    const gate = await gateOn(world.postern, 'ci')
    const posterns = [world.postern, await world.again(), await world.again()]
    await Promise.all(Array.from({ length: 9 }, (_, i) => sender(posterns[i % 3] as Postern, service)({ run: i })))
    expect(await gateSteps(world.postern, gate.id)).toEqual(['created', 'resolved'])
    expect(await mailUnder(world.postern, 'quinn', 'gate:')).toHaveLength(1)
    expect(await world.postern.services.list()).toMatchObject([{ events: 9 }])
  })
})
