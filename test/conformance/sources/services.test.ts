import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { NewService, TriggerAgent } from '../../../src/model/sources/services.ts'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'
import { signAs } from '../../helpers/webhook.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, refused, type World } from '../suite.ts'

const HOUR_MS = 3_600_000
const EVERYONE = ['developer', 'rex', { id: 'justin', kind: 'human' }] as const

const jira = (postern: Postern, agent = 'developer') => postern.services.create({ name: 'jira-webhook', agent })

function withKey({ agent, key }: Pick<NewService, 'agent' | 'key'>, more: Partial<TriggerAgent> = {}): TriggerAgent {
  return { agent, proof: { key }, payload: { issue: 'PROJ-123', action: 'created' }, ...more }
}

/** A request as it is signed now, unless something else is said. */
function signed(
  { now }: World,
  { agent, signingSecret }: Pick<NewService, 'agent' | 'signingSecret'>,
  { webhookId = 'evt_1', at = now(), payload = { ok: true } as Json } = {},
): TriggerAgent {
  return { agent, proof: signAs(signingSecret, { body: JSON.stringify(payload), webhookId, at }), payload }
}

const inboxOf = async (postern: Postern, agent = 'developer') =>
  (await postern.inbox.list({ agent, which: 'all' })).items

/** A body that says of itself that it is another service's. */
const OF_CI = { body: '{"serviceName":"ci","payload":1}', webhookId: 'evt_1' } as const

/** Expects the very same words every time. */
async function expectRefused(postern: Postern, inputs: readonly TriggerAgent[]): Promise<void> {
  const texts = new Set<string>()
  for (const input of inputs) {
    const { message, next, details } = await refused(postern.services.trigger(input), 'TRIGGER_REFUSED')
    texts.add(JSON.stringify([message, next, details]))
  }
  expect(texts.size).toBe(1)
  for (const agent of ['developer', 'rex', 'justin']) expect(await inboxOf(postern, agent)).toEqual([])
  for (const service of await postern.services.list()) expect(service).toMatchObject({ events: 0, lastEventAt: null })
}

conformance('services', ({ rule, open }) => {
  rule('are registered for one agent, with a key that is shown once', async () => {
    const { postern, now } = await open({ agents: EVERYONE })
    const created = await postern.as(caller('justin', 'human')).services.create({ name: 'ci', agent: 'developer' })
    expect(created).toMatchObject({
      id: expect.stringMatching(/^svc_/),
      key: expect.stringMatching(/^sk_[A-Za-z0-9_-]{43}$/),
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const { key, signingSecret, ...service } = created
    expect(service).toEqual({
      id: service.id,
      name: 'ci',
      agent: 'developer',
      createdBy: 'justin',
      createdAt: now(),
      rotatedAt: null,
      overlapUntilAt: null,
      revokedAt: null,
      lastEventAt: null,
      events: 0,
    })
    expect(await postern.services.list()).toEqual([service])
    expect(await postern.services.list({ agent: 'developer' })).toEqual([service])
    expect(await postern.services.list({ agent: 'rex' })).toEqual([])
  })

  rule('may have one name for each agent, and no name that is somebody', async () => {
    const { postern } = await open({ agents: EVERYONE })
    await jira(postern)
    const again = await refused(jira(postern), 'SERVICE_EXISTS')
    expect(again.message).toBe('The service jira-webhook of developer is registered already.')
    expect(await jira(postern, 'rex')).toMatchObject({ agent: 'rex' })
    const create = (name: string, agent = 'rex') => postern.services.create({ name, agent })
    expect((await refused(create('justin'), 'SERVICE_EXISTS')).message).toBe('The agent justin is registered already.')
    for (const name of ['just1n', 'p0stern', 'loca1']) await refused(create(name), 'AGENT_CONFUSABLE')
    const odd = ['', 'CI', 'a b', '-x', 'x'.repeat(65), 'a\0', '\ud800']
    for (const name of [...odd, 'system', 'all', 'local', 'postern', 'configuration', 'unknown']) {
      await refused(create(name), 'SERVICE_NAME_INVALID')
    }
    await refused(create('ci', 'nobody'), 'AGENT_NOT_FOUND')
    await refused(create('ci', 'No Body'), 'AGENT_ID_INVALID')
    expect(await postern.services.list()).toHaveLength(2)
  })

  rule('keep their names to themselves: nobody is registered or renamed so that they look like one', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await jira(postern)
    const add = (id: string, displayName = id) => postern.agents.add({ id, displayName })
    await refused(add('jira-webhook'), 'AGENT_CONFUSABLE')
    await refused(add('j1ra-webhook'), 'AGENT_CONFUSABLE')
    await refused(add('quinn', 'Jira Webhook'), 'AGENT_CONFUSABLE')
    await refused(postern.agents.rename({ id: 'rex', displayName: 'Jira-Webhook' }), 'AGENT_CONFUSABLE')
    await refused(postern.inbox.push({ to: ['jira-webhook'], content: 'hello', create: true }), 'AGENT_CONFUSABLE')
    await postern.services.revoke({ id })
    expect(await add('jira-webhook')).toMatchObject({ id: 'jira-webhook' })
  })

  rule('are bounded in number, and registered once by many at a time', async () => {
    const world = await open({ agents: EVERYONE })
    const others = await Promise.all([world.again(), world.again()])
    const attempts = await Promise.allSettled([world.postern, ...others].map((postern) => jira(postern)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of attempts)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'SERVICE_EXISTS' })
    for (let i = 1; i < 32; i++) await world.postern.services.create({ name: `service-${i}`, agent: 'developer' })
    await refused(world.postern.services.create({ name: 'one-more', agent: 'developer' }), 'QUOTA_REACHED')
  })

  rule('are registered, rotated and revoked by people, not by programs', async () => {
    verifies('S001.service.people')
    const { postern } = await open({ agents: EVERYONE })
    const service = await jira(postern)
    for (const program of [postern.as(caller('developer')), postern.as(caller('ci', 'service'))]) {
      await refused(jira(program, 'rex'), 'NOT_ALLOWED')
      await refused(program.services.rotate({ id: service.id }), 'NOT_ALLOWED')
      await refused(program.services.revoke({ id: service.id }), 'NOT_ALLOWED')
    }
    expect(await postern.services.trigger(withKey(service))).toMatchObject({ duplicate: false })
  })

  rule('bring an event to their agent as one message from themselves, and wake it', async () => {
    verifies('S001.service.event')
    const { postern, advance, now } = await open({ agents: EVERYONE })
    const service = await jira(postern)
    advance(5)
    const waiting = postern.inbox.wait({ agent: 'developer', timeoutMs: 20_000 })
    const { eventId, duplicate } = await postern.services.trigger(
      withKey(service, { serviceName: 'jira-webhook', priority: 1, subject: 'PROJ-123 was created' }),
    )
    expect(duplicate).toBe(false)
    expect(await waiting).toMatchObject({ pending: 1 })
    expect(await inboxOf(postern)).toMatchObject([
      {
        id: eventId,
        type: 'service',
        from: { id: 'jira-webhook', kind: 'service', verified: true, via: 'http' },
        to: ['developer'],
        subject: 'PROJ-123 was created',
        content: '{"issue":"PROJ-123","action":"created"}',
        payload: { serviceName: 'jira-webhook', payload: { issue: 'PROJ-123', action: 'created' } },
        priority: 1,
        dedupKey: null,
        createdAt: now(),
      },
    ])
    expect(await inboxOf(postern, 'rex')).toEqual([])
    expect(await postern.services.list()).toMatchObject([{ events: 1, lastEventAt: now() }])
    expect(await read(postern, 'developer')).toEqual(['{"issue":"PROJ-123","action":"created"}'])
  })

  rule('keep the trace of an event', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    await postern.services.trigger(withKey(await jira(postern), { trace }))
    expect(await inboxOf(postern)).toMatchObject([{ trace }])
  })

  rule('are refused alike, whatever is wrong with their key, and nothing is stored', async () => {
    verifies('S001.service.refused', 'G16.no-oracle')
    const { postern } = await open({ agents: EVERYONE })
    const service = await jira(postern)
    const ofRex = await postern.services.create({ name: 'ci', agent: 'rex' })
    await expectRefused(postern, [
      withKey(service, { proof: { key: `sk_${'A'.repeat(43)}` } }),
      withKey(service, { proof: { key: '' } }),
      withKey(service, { proof: { key: service.signingSecret } }),
      withKey(service, { serviceName: 'other' }),
      withKey({ ...service, agent: 'rex' }),
      withKey({ ...ofRex, agent: 'developer' }),
      ...['nobody', 'justin', '', 'No Body', '../x', 'a\0b', '\ud800', 'local', 'x'.repeat(300)].map((agent) =>
        withKey({ ...service, agent }),
      ),
    ])
  })

  rule('are refused alike, whatever is wrong with their signature, and nothing is stored', async () => {
    verifies('S001.service.refused', 'G16.no-oracle')
    const world = await open({ agents: EVERYONE })
    const { postern, now } = world
    const service = await jira(postern)
    const { signingSecret } = await postern.services.create({ name: 'ci', agent: 'rex' })
    const right = signed(world, service)
    await expectRefused(postern, [
      { ...right, serviceName: 'ci', proof: signAs(service.signingSecret, { ...OF_CI, at: now() }) },
      ...['nobody', 'rex', 'a\0b'].map((agent) => ({ ...right, agent })),
      signed(world, { ...service, signingSecret }),
      signed(world, service, { at: now() - 301_000 }),
      signed(world, service, { at: now() + 301_000 }),
      { ...right, proof: { ...signAs(service.signingSecret, { body: '1', webhookId: 'x', at: now() }), body: '2' } },
      { ...right, proof: { webhookId: '', timestamp: '', signature: '', body: '' } },
    ])
  })

  rule('take the same delivery again as the same message; without an id each is new', async () => {
    verifies('S001.service.repeat')
    const { postern, advance } = await open({ agents: EVERYONE })
    const service = await jira(postern)
    const first = await postern.services.trigger(withKey(service, { deliveryId: 'delivery-1' }))
    advance(25 * HOUR_MS)
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    expect(await postern.services.trigger(withKey(service, { deliveryId: 'delivery-1', trace }))).toEqual({
      eventId: first.eventId,
      duplicate: true,
    })
    await refused(
      postern.services.trigger(withKey(service, { deliveryId: 'delivery-1', payload: 1 })),
      'DEDUP_CONFLICT',
    )
    for (let i = 0; i < 2; i++)
      expect(await postern.services.trigger(withKey(service))).toMatchObject({ duplicate: false })
    expect(await inboxOf(postern)).toHaveLength(3)
    expect(await postern.services.list()).toMatchObject([{ events: 3 }])
  })

  rule('tell deliveries apart whatever their ids are, and for each service', async () => {
    verifies('S001.service.repeat')
    const { postern } = await open({ agents: EVERYONE })
    const service = await jira(postern)
    const other = await postern.services.create({ name: 'ci', agent: 'developer' })
    const ids = ['a', 'a'.repeat(121), 'a'.repeat(5_000), `${'a'.repeat(5_000)}b`, 'ü', 'a\0b', '\ud800']
    for (const deliveryId of ids) {
      const [one, two, three] = [service, service, other].map((each) => withKey(each, { deliveryId })) as [
        TriggerAgent,
        TriggerAgent,
        TriggerAgent,
      ]
      const { eventId } = await postern.services.trigger(one)
      expect(await postern.services.trigger(two)).toEqual({ eventId, duplicate: true })
      expect(await postern.services.trigger(three)).toMatchObject({ duplicate: false })
    }
    expect(await inboxOf(postern)).toHaveLength(2 * ids.length)
  })

  rule('store one message however often a delivery comes at once', async () => {
    verifies('S001.service.repeat')
    const world = await open({ agents: EVERYONE })
    const service = await jira(world.postern)
    const posterns = [world.postern, await world.again(), await world.again()]
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (posterns[i % 3] as Postern).services.trigger(withKey(service, { deliveryId: 'd' })),
      ),
    )
    expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(new Set(results.map(({ eventId }) => eventId)).size).toBe(1)
    expect(await world.postern.services.list()).toMatchObject([{ events: 1 }])
  })

  rule('are known by a signature, whose id is the delivery', async () => {
    verifies('S001.service.signed')
    const world = await open({ agents: EVERYONE })
    const { postern } = world
    const service = await jira(postern)
    const first = await postern.services.trigger(signed(world, service))
    expect(first).toMatchObject({ duplicate: false })
    expect(await (await world.again()).services.trigger({ ...signed(world, service), deliveryId: 'other' })).toEqual({
      eventId: first.eventId,
      duplicate: true,
    })
    world.advance(60_000)
    expect(await postern.services.trigger(signed(world, service))).toEqual({ eventId: first.eventId, duplicate: true })
    expect(await inboxOf(postern)).toMatchObject([
      { dedupKey: `svc:${service.id}:evt_1`, payload: { payload: { ok: true } } },
    ])
  })

  rule('conflict where another signed body comes under the same id', async () => {
    verifies('S001.service.signed')
    const world = await open({ agents: EVERYONE })
    const { postern } = world
    const service = await jira(postern)
    await postern.services.trigger(signed(world, service, { payload: { status: 'failed', run: 1 } }))
    const other = signed(world, service, { payload: { status: 'success', run: 1 } })
    await refused(postern.services.trigger(other), 'DEDUP_CONFLICT')
    const reordered = signed(world, service, { payload: { run: 1, status: 'failed' } })
    expect(await postern.services.trigger(reordered)).toMatchObject({ duplicate: true })
    expect(await inboxOf(postern)).toHaveLength(1)
  })

  rule('have two keys for a while after a new one was made', async () => {
    verifies('S001.service.rotate')
    const world = await open({ agents: EVERYONE })
    const { postern, now, advance } = world
    const first = await jira(postern)
    const second = await postern.services.rotate({ id: first.id, overlapMs: HOUR_MS })
    expect(second).toMatchObject({ id: first.id, rotatedAt: now(), overlapUntilAt: now() + HOUR_MS })
    expect(second.key).not.toBe(first.key)
    const trigger = (service: NewService) => postern.services.trigger(withKey(service))
    const sign = (service: NewService, webhookId: string) =>
      postern.services.trigger(signed(world, service, { webhookId }))
    for (const [at, service] of [first, second].entries()) {
      expect(await trigger(service)).toMatchObject({ duplicate: false })
      expect(await sign(service, `during-${at}`)).toMatchObject({ duplicate: false })
    }
    advance(HOUR_MS)
    await refused(trigger(first), 'TRIGGER_REFUSED')
    await refused(sign(first, 'after-1'), 'TRIGGER_REFUSED')
    expect(await trigger(second)).toMatchObject({ duplicate: false })
    expect(await sign(second, 'after-2')).toMatchObject({ duplicate: false })

    const third = await postern.services.rotate({ id: 'jira-webhook', agent: 'developer', overlapMs: 0 })
    expect(third).toMatchObject({ overlapUntilAt: null })
    await refused(trigger(second), 'TRIGGER_REFUSED')
    expect(await trigger(third)).toMatchObject({ duplicate: false })
    const { overlapUntilAt } = await postern.services.rotate({ id: 'jira-webhook' })
    expect(overlapUntilAt).toBe(now() + 24 * HOUR_MS)
  })

  rule('get no third key while two are good, so that none ends before its time', async () => {
    verifies('S001.service.rotate')
    const world = await open({ agents: EVERYONE })
    const { postern, advance, now } = world
    const first = await jira(postern)
    const second = await postern.services.rotate({ id: first.id, overlapMs: HOUR_MS })
    const until = new Date(now() + HOUR_MS).toISOString()
    for (const overlapMs of [HOUR_MS, 1, undefined]) {
      const again = postern.services.rotate({ id: first.id, ...(overlapMs !== undefined && { overlapMs }) })
      const { message, next } = await refused(again, 'SERVICE_OVERLAP')
      expect(message).toContain(`jira-webhook already has two valid keys until ${until}`)
      expect(next).toContain(`"postern service rotate ${first.id} --overlap 0s"`)
    }
    const good = [first, second]
    for (const service of good)
      expect(await postern.services.trigger(withKey(service))).toMatchObject({ duplicate: false })

    const third = await postern.services.rotate({ id: first.id, overlapMs: 0 })
    for (const service of good) await refused(postern.services.trigger(withKey(service)), 'TRIGGER_REFUSED')
    await postern.services.rotate({ id: first.id, overlapMs: HOUR_MS })
    expect(await postern.services.trigger(withKey(third))).toMatchObject({ duplicate: false })
    advance(HOUR_MS)
    expect(await postern.services.rotate({ id: first.id })).toMatchObject({ rotatedAt: now() })
  })

  rule('are named by id, or by a name that only one has', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const [one, other] = [await jira(postern), await jira(postern, 'rex')]
    expect((await refused(postern.services.rotate({ id: 'jira-webhook' }), 'VALUE_INVALID')).next).toContain('whose')
    expect(await postern.services.revoke({ id: 'jira-webhook', agent: 'rex' })).toMatchObject({ id: other.id })
    expect(await postern.services.rotate({ id: 'jira-webhook' })).toMatchObject({ id: one.id })
    for (const id of ['nothing', 'svc_nothing', '', 'a\0b', '\ud800', 'x'.repeat(300), "'; DROP TABLE services"]) {
      await refused(postern.services.rotate({ id }), 'SERVICE_NOT_FOUND')
      await refused(postern.services.revoke({ id }), 'SERVICE_NOT_FOUND')
    }
    await refused(postern.services.revoke({ id: one.id, agent: 'rex' }), 'SERVICE_NOT_FOUND')
    for (const overlapMs of [-1, 0.5, Number.NaN, 31 * 24 * HOUR_MS]) {
      await refused(postern.services.rotate({ id: one.id, overlapMs }), 'DURATION_INVALID')
    }
  })

  rule('are worth nothing once they are revoked', async () => {
    verifies('S001.service.revoked')
    const world = await open({ agents: EVERYONE })
    const { postern, now } = world
    const first = await jira(postern)
    const second = await postern.services.rotate({ id: first.id })
    const revoked = await postern.services.revoke({ id: first.id })
    expect(revoked).toMatchObject({ id: first.id, revokedAt: now() })
    world.advance(5)
    expect(await postern.services.revoke({ id: first.id })).toEqual(revoked)
    for (const service of [first, second]) {
      await refused(postern.services.trigger(withKey(service)), 'TRIGGER_REFUSED')
      await refused(postern.services.trigger(signed(world, service)), 'TRIGGER_REFUSED')
    }
    await refused(postern.services.rotate({ id: first.id }), 'SERVICE_NOT_FOUND')
    expect(await postern.services.list()).toEqual([])
    expect(await postern.services.list({ revoked: true })).toEqual([revoked])
    expect(await jira(postern)).not.toMatchObject({ id: first.id })
  })

  rule('cannot wake an agent that was removed', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const service = await jira(postern)
    await postern.agents.remove({ id: 'developer' })
    await refused(postern.services.trigger(withKey(service)), 'TRIGGER_REFUSED')
  })

  rule('are bounded like everybody who pushes, but damped by nothing', async () => {
    const { postern } = await open({ agents: EVERYONE, limits: { pendingPerAgent: 40, contentBytes: 100 } })
    const service = await jira(postern)
    const deep = Array.from({ length: 33 }).reduce<Json>((inner) => [inner], 1)
    await refused(postern.services.trigger(withKey(service, { payload: 'x'.repeat(65_536) })), 'CONTENT_TOO_LARGE')
    await refused(postern.services.trigger(withKey(service, { payload: deep })), 'VALUE_INVALID')
    await refused(postern.services.trigger(withKey(service, { payload: 'a\0b' })), 'TEXT_INVALID')
    await refused(postern.services.trigger(withKey(service, { priority: 9 as never })), 'PRIORITY_INVALID')
    await refused(postern.services.trigger(withKey(service, { subject: 'x'.repeat(2_000) })), 'CONTENT_TOO_LARGE')
    expect(await inboxOf(postern)).toEqual([])

    await postern.services.trigger(withKey(service, { payload: '🚪'.repeat(500) }))
    const [cut] = await inboxOf(postern)
    expect(cut?.content).toBe(`"${'🚪'.repeat(24)}…`)
    expect(cut?.payload).toMatchObject({ payload: '🚪'.repeat(500) })
    for (const payload of [null, 0, '', false, []]) await postern.services.trigger(withKey(service, { payload }))
    for (let i = 0; i < 34; i++) await postern.services.trigger(withKey(service))
    await refused(postern.services.trigger(withKey(service)), 'INBOX_FULL')
    expect(await inboxOf(postern)).toHaveLength(40)
  })

  rule('send an event of the maximum size, which can be replayed', async () => {
    const limits = { payloadBytes: 200 }
    const { postern } = await open({ agents: EVERYONE, limits })
    const service = await jira(postern)
    const around = JSON.stringify({ serviceName: 'jira-webhook', payload: '' }).length
    const payload = 'x'.repeat(limits.payloadBytes - around)
    await refused(postern.services.trigger(withKey(service, { payload: `${payload}x` })), 'CONTENT_TOO_LARGE')
    const { eventId } = await postern.services.trigger(withKey(service, { payload }))
    const replayed = await postern.services.replay({ id: service.id, eventId })
    const { message } = await postern.inbox.show({ id: replayed.eventId })
    expect(message).toMatchObject({ payload: { payload }, context: { replayOf: eventId } })
  })

  rule('have keys of deliveries that nobody else can take before them', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const { id } = await jira(postern)
    const push = postern.inbox.push({ to: ['developer'], content: 'x', dedupKey: `svc:${id}:evt_1` })
    await refused(push, 'VALUE_INVALID')
  })

  rule('keep their keys but not their signatures where the key file of the home is gone', async () => {
    verifies('S001.service.sealed')
    const home = makeTemporaryFolder()
    onTestFinished(() => removeFolder(home))
    const world = await open({ agents: EVERYONE, home })
    const service = await jira(world.postern)
    const secretsCheck = async (postern: Postern) =>
      (await postern.upkeep.check()).checks.find(({ name }) => name === 'services.secrets')
    expect(await secretsCheck(world.postern)).toMatchObject({ ok: true })

    rmSync(join(home, 'secret.key'))
    const later = await world.again()
    const expectUnchecked = async (why: string) =>
      expect(await secretsCheck(later)).toMatchObject({
        ok: false,
        level: 'warning',
        detail: expect.stringContaining(`jira-webhook of developer cannot be checked: ${why} ${home}`),
      })
    await refused(later.services.trigger(signed(world, service)), 'TRIGGER_REFUSED')
    await expectUnchecked('there is no key file')
    expect(await later.services.trigger(withKey(service))).toMatchObject({ duplicate: false })
    // The first message that is stored makes another key.
    await expectUnchecked('it was sealed with another key than')

    const renewed = await later.services.rotate({ id: service.id })
    expect(await secretsCheck(later)).toMatchObject({ ok: true })
    expect(await later.services.trigger(signed(world, renewed))).toMatchObject({ duplicate: false })
    await refused(later.services.trigger(signed(world, service, { webhookId: 'evt_2' })), 'TRIGGER_REFUSED')
  })
})
