import { expect, it } from 'vitest'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import type { SendMessage } from '../../../src/model/ledger/ledgers.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, read, refused, stateOf } from '../suite.ts'
import { type Elsewhere, openElsewhere } from './elsewhere.ts'
import { onBothEngines } from './stores.ts'
import { dataIn, expectAllVerified, only, textsOn, topicsOf } from './telling.ts'

const FYI = { to_agent: 'mindy', message_type: 'fyi', subject: 'Look', payload: { text: 'at this' } } as const
const SECRET = 'AKIAIOSFODNN7EXAMPLE with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'

async function team(postern: Postern): Promise<void> {
  for (const id of ['ada', 'mindy', 'quinn']) await postern.agents.add({ id })
  await postern.agents.add({ id: 'justin', kind: 'human' })
}

async function settled(elsewhere: Elsewhere): Promise<Elsewhere> {
  await team(elsewhere.postern)
  await elsewhere.postern.ledger.setup({ agents: ['mindy', 'quinn'] })
  await elsewhere.publish()
  await elsewhere.listen()
  return elsewhere
}

const sendAs = ({ postern }: Elsewhere, agent: string, more: Partial<SendMessage> = {}) =>
  postern.as(caller(agent)).messages.send({ ...FYI, ...more })

async function untilRefused(attempt: () => Promise<unknown>): Promise<never> {
  for (let n = 0; n < 100; n++) await attempt()
  return expect.fail('nothing is ever refused')
}

onBothEngines('a ledger that is not a part of the store', (openStore) => {
  it('sets agents up by parcels, one of each though it is asked again while they wait', async () => {
    verifies('S003.topics', 'S003.profile')
    const { postern, publish, listen } = await openElsewhere((await openStore()).store)
    await team(postern)
    const first = await postern.ledger.setup({})
    expect(first.ledger).toEqual({ kind: 'local', network: 'elsewhere', public_consensus: true })
    expect(first.waiting).toEqual(['system', 'ada', 'justin', 'mindy', 'quinn'])
    expect(first.agents).toEqual([])
    expect(first.price).toBeGreaterThan(0.1)
    const { waiting } = await postern.ledger.status()
    expect(waiting).toBe(6)
    expect(await postern.ledger.setup({})).toMatchObject({ waiting: first.waiting, price: 0 })
    expect((await postern.ledger.status()).waiting).toBe(waiting)

    await publish()
    await listen()
    const after = await postern.ledger.setup({})
    expect(after).toMatchObject({ waiting: [], price: 0 })
    // What was said before is what it has cost, to a cent.
    expect((await postern.ledger.status()).spentToday).toBeCloseTo(first.price, 2)
    expect(after.agents.map(({ agent, isNew }) => [agent, isNew])).toEqual(first.waiting.map((name) => [name, false]))
    for (const { profileTopicId, uaid } of after.agents) {
      expect(profileTopicId).toMatch(/^0\.0\./)
      expect(uaid).toMatch(/^uaid:aid:/)
    }
    const definitions = await postern.ledger.topics({ role: 'definitions' })
    expect(definitions).toHaveLength(1)
    expect(definitions[0]?.sequence).toBe(5)
    expect(await postern.ledger.status()).toMatchObject({ waiting: 0, refused: 0 })
    await expectAllVerified(postern)
  })

  it('takes nothing for an account that every object has by birth, nor an agent for a topic', async () => {
    verifies('S003.topics')
    const { postern, publish } = await openElsewhere((await openStore()).store)
    for (const id of ['constructor', 'definitions']) await postern.agents.add({ id })
    await postern.ledger.setup({ agents: ['constructor', 'definitions'] })
    await publish()
    const { agents } = await postern.ledger.setup({ agents: ['constructor', 'definitions'] })
    expect(agents.map(({ account }) => account)).toEqual(['0.0.2', '0.0.2'])
    expect(await postern.ledger.topics({ role: 'definitions' })).toHaveLength(1)
  })

  it('writes down one parcel of each though many ask at once', async () => {
    verifies('S003.topics', 'S003.note')
    const { store } = await openStore()
    const { postern, publish } = await openElsewhere(store)
    await team(postern)
    await Promise.all([1, 2, 3].map(() => postern.ledger.setup({ agents: ['mindy', 'quinn'] })))
    expect((await postern.ledger.parcels({})).map(({ about }) => about).sort()).toEqual([
      'mindy',
      'postern:definitions',
      'quinn',
    ])
    await publish()
    const quinn = postern.as(caller('quinn'))
    await Promise.all(
      ['a', 'b', 'c'].map((note) => quinn.notes.post({ entity_id: 'A', entity_type: 'task', note, priority: 1 })),
    )
    const parcels = await postern.ledger.parcels({ state: 'waiting' })
    expect(parcels.map(({ purpose }) => purpose).sort()).toEqual(['note', 'note', 'note', 'work'])
    expect(await publish()).toBe(4)
    expect(await postern.ledger.topics({ role: 'work' })).toHaveLength(1)
  })

  it('refuses to send before there are topics, and stores nothing then', async () => {
    verifies('S003.send')
    const elsewhere = await openElsewhere((await openStore()).store)
    await team(elsewhere.postern)
    await refused(sendAs(elsewhere, 'quinn', { priority: 1 }), 'LEDGER_NOT_SET_UP')
    await refused(sendAs(elsewhere, 'quinn', { to_agent: 'nobody' }), 'AGENT_NOT_FOUND')
    expect(await read(elsewhere.postern, 'mindy')).toEqual([])
    expect(await elsewhere.postern.ledger.parcels({})).toEqual([])
  })

  it('puts what is urgent into the inbox at once, and its entry brings no second one', async () => {
    verifies('S003.fast-path')
    const elsewhere = await settled(await openElsewhere((await openStore()).store))
    const { postern, publish, listen } = elsewhere
    const sent = only(await sendAs(elsewhere, 'quinn', { priority: 2 }))
    expect(sent).toMatchObject({
      in_inbox: true,
      sequence: null,
      publish: 'full',
      parcel: expect.stringMatching(/^par_/),
    })
    expect(await read(postern, 'mindy')).toEqual(['at this'])
    expect(await publish()).toBe(1)
    await listen()
    expect(await read(postern, 'mindy')).toEqual([])
    const texts = await textsOn(postern, sent.topic_id)
    expect(texts.map((text) => dataIn(text).message_id)).toEqual([sent.message_id])
    expect(await textsOn(postern, (await topicsOf(postern, 'quinn')).outbound)).toHaveLength(1)
    await expectAllVerified(postern)
  })

  it('leaves the rest to its entry, under the same id', async () => {
    verifies('S003.fast-path')
    const elsewhere = await settled(await openElsewhere((await openStore()).store))
    const { postern, publish, listen } = elsewhere
    const sent = only(await sendAs(elsewhere, 'quinn'))
    expect(sent).toMatchObject({ in_inbox: false, duplicate: false })
    expect(await read(postern, 'mindy')).toEqual([])
    await publish()
    await listen()
    const { message } = await postern.inbox.show({ id: sent.message_id })
    expect(message).toMatchObject({ from: { id: 'quinn' }, to: ['mindy'], priority: 2, payload: FYI.payload })
    expect(await read(postern, 'mindy')).toEqual(['at this'])
    await listen()
    expect(await read(postern, 'mindy')).toEqual([])
  })

  it('is the same message again under the same key, with one parcel', async () => {
    verifies('S003.fast-path')
    const elsewhere = await settled(await openElsewhere((await openStore()).store))
    const { postern, publish, listen } = elsewhere
    const first = only(await sendAs(elsewhere, 'quinn', { dedup_key: 'once' }))
    expect(first).toMatchObject({ in_inbox: true, duplicate: false })
    const second = only(await sendAs(elsewhere, 'quinn', { dedup_key: 'once' }))
    expect(second).toEqual({ ...first, duplicate: true })
    expect(await publish()).toBe(1)
    await listen()
    const third = only(await sendAs(elsewhere, 'quinn', { dedup_key: 'once' }))
    expect(third).toMatchObject({ message_id: first.message_id, duplicate: true, sequence: 1, parcel: null })
    expect(await read(postern, 'mindy')).toEqual(['at this'])
    expect(await textsOn(postern, first.topic_id)).toHaveLength(1)
  })

  it('publishes only a hash where that is set, and the whole message arrives all the same', async () => {
    verifies('S003.privacy', 'S003.fast-path')
    const publishing = { publish: { default: 'hash', types: {}, agents: {} } } as const
    const elsewhere = await settled(await openElsewhere((await openStore()).store, publishing))
    const { postern, publish, listen } = elsewhere
    const payload = { text: `between us: ${SECRET}` }
    const sent = only(await sendAs(elsewhere, 'quinn', { payload }))
    expect(sent).toMatchObject({ publish: 'hash', in_inbox: false })
    await publish()
    await listen()
    const [text = ''] = await textsOn(postern, sent.topic_id)
    expect(text).not.toContain('between us')
    expect(dataIn(text).mode).toBe('hash')
    expect(await read(postern, 'mindy')).toEqual([payload.text])
  })

  it('refuses to publish a secret, and neither stores nor publishes anything then', async () => {
    verifies('S003.privacy')
    const publishing = { publish: { default: 'full', types: { 'review.request': 'hash' }, agents: {} } } as const
    const elsewhere = await settled(await openElsewhere((await openStore()).store, publishing))
    const { postern } = elsewhere
    const before = await postern.ledger.parcels({})
    const attempts = [
      () => sendAs(elsewhere, 'quinn', { payload: { text: SECRET }, priority: 1 }),
      () => sendAs(elsewhere, 'quinn', { subject: SECRET, message_type: 'review.request', priority: 1 }),
      () =>
        postern
          .as(caller('quinn'))
          .notes.post({ entity_id: 'A', entity_type: 'task', note: SECRET, notify: ['mindy'] }),
      () => postern.ledger.setProfile({ agent: 'quinn', bio: SECRET }),
    ]
    for (const attempt of attempts) {
      const { message } = await refused(attempt(), 'LEDGER_SECRET_FOUND')
      expect(message).not.toContain('AKIA')
    }
    expect(await read(postern, 'mindy')).toEqual([])
    expect(await postern.ledger.parcels({})).toEqual(before)
    expect((await postern.ledger.profile({ agent: 'quinn' })).identity.bio).toBe(null)
    expect(await postern.ledger.topics({ role: 'work' })).toEqual([])
  })

  it('refuses what the day can no longer pay for, and stores nothing then', async () => {
    verifies('S003.privacy')
    const elsewhere = await settled(await openElsewhere((await openStore()).store, { budgetPerDay: 300_000_000 }))
    const { postern } = elsewhere
    const long = { priority: 1, payload: Array.from({ length: 500 }, (_, n) => Math.sin(n)) } as const
    const error = await refused(
      untilRefused(() => sendAs(elsewhere, 'quinn', long)),
      'LEDGER_BUDGET_SPENT',
    )
    expect(error.message).toContain('$0.30')
    const { spentToday, budgetPerDay } = await postern.ledger.status()
    expect(budgetPerDay).toBe(0.3)
    expect(spentToday).toBeGreaterThan(0.2)
    expect(spentToday).toBeLessThanOrEqual(0.3)
    const parcels = await postern.ledger.parcels({})
    const sent = parcels.filter(({ purpose }) => purpose === 'message')
    expect((await postern.inbox.list({ agent: 'mindy' })).items).toHaveLength(sent.length)
    await refused(
      postern.ledger.createTopic({ entity: 'task:A' }).then(() => sendAs(elsewhere, 'quinn', long)),
      'LEDGER_BUDGET_SPENT',
    )
  })

  it('never spends more than the day allows, however many write at once', async () => {
    verifies('S003.privacy')
    const elsewhere = await settled(await openElsewhere((await openStore()).store, { budgetPerDay: 400_000_000 }))
    const { postern, publish } = elsewhere
    await postern.ledger.createTopic({ entity: 'task:A' })
    await publish()
    const quinn = postern.as(caller('quinn'))
    const note = 'x'.repeat(19_000)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, () => quinn.notes.post({ entity_id: 'A', entity_type: 'task', note })),
    )
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(new Set(refusals)).toEqual(new Set(['LEDGER_BUDGET_SPENT']))
    expect(refusals.length).toBeLessThan(40)
    expect((await postern.ledger.status()).spentToday).toBeLessThanOrEqual(0.4)
  })

  it('writes notes in their order though the topic of the item is still on its way', async () => {
    verifies('S003.note')
    const elsewhere = await settled(await openElsewhere((await openStore()).store))
    const { postern, publish, listen } = elsewhere
    const quinn = postern.as(caller('quinn'))
    const post = (note: string, priority: 1 | 4) =>
      quinn.notes.post({ entity_id: 'PROJ-12', entity_type: 'task', note, notify: ['mindy', 'justin'], priority })
    const first = await post('first', 4)
    expect(first).toMatchObject({ topic_id: null, sequence: null, notified: ['justin', 'mindy'] })
    await post('second', 1)
    expect(await read(postern, 'mindy')).toEqual(['second'])
    const created = await postern.ledger.createTopic({ entity: 'task:PROJ-12' })
    expect(created).toMatchObject({ topic: null, isNew: false })

    expect(await publish()).toBe(3)
    await listen()
    const { notes } = await postern.notes.list({ entity_id: 'PROJ-12', entity_type: 'task' })
    expect(notes.map(({ note, verified }) => [note, verified])).toEqual([
      ['first', true],
      ['second', true],
    ])
    expect(await read(postern, 'mindy')).toEqual(['first'])
    expect(await read(postern, 'justin')).toEqual(['second', 'first'])
    const third = await post('third', 1)
    expect(third.topic_id).toBe((await postern.ledger.createTopic({ entity: 'task:PROJ-12' })).topic?.id)
    await expectAllVerified(postern)
  })

  it('tells those of the routing table once, however their event comes', async () => {
    verifies('S003.routing', 'S003.fast-path')
    const elsewhere = await settled(await openElsewhere((await openStore()).store))
    const { postern, publish, listen } = elsewhere
    const blocked = await postern
      .as(caller('quinn'))
      .ledger.emit({ topic: 'task:A', type: 'task.blocked', subject: 'No disk' })
    expect(blocked).toMatchObject({ notified: ['justin', 'mindy'], skipped: [] })
    expect(await read(postern, 'justin')).toEqual(['No disk'])
    await publish()
    await listen()
    expect(await read(postern, 'justin')).toEqual([])
    expect(await read(postern, 'mindy')).toEqual(['No disk'])
  })

  it('tells whoever is registered meanwhile all that an event says, though only its hash is published', async () => {
    verifies('S003.privacy', 'S003.routing')
    const publishing = { publish: { default: 'hash', types: {}, agents: {} } } as const
    const elsewhere = await settled(await openElsewhere((await openStore()).store, publishing))
    const { postern, publish, listen } = elsewhere
    const payload = { text: 'between us', n: 1 }
    const event = { topic: 'task:A', type: 'task.complete', subject: 'Done', payload }
    expect(await postern.as(caller('quinn')).ledger.emit(event)).toMatchObject({ notified: [], skipped: ['engine'] })
    await postern.agents.add({ id: 'engine' })
    const forged = { sha256: createLedgerCodec().sha256('a note'), body: 'not published' }
    await postern.as(caller('quinn')).notes.post({ entity_id: 'A', entity_type: 'task', note: 'a note' })
    await publish()
    await listen()
    const { messages } = await postern.inbox.drain({ agent: 'engine' })
    expect(messages).toMatchObject([{ subject: 'Done', content: 'between us', payload }])
    expect((await textsOn(postern, 'task:A')).join('')).not.toContain('between us')
    const named = { ...event, type: 'task.blocked', payload: forged }
    expect(await postern.as(caller('quinn')).ledger.emit(named)).toMatchObject({ notified: ['justin', 'mindy'] })
    await publish()
    await listen()
    expect(await read(postern, 'mindy')).toEqual(['not published'])
  })

  it('holds what agents say too often when they say it, not when it comes back', async () => {
    verifies('S003.fast-path')
    const limits = { pairBurst: 1, pairPerMinute: 1 }
    const elsewhere = await settled(await openElsewhere((await openStore()).store, {}, limits))
    const { postern, publish, listen } = elsewhere
    const first = only(await sendAs(elsewhere, 'quinn', { subject: 'one' }))
    const second = only(await sendAs(elsewhere, 'quinn', { subject: 'two' }))
    expect(await stateOf(postern, second.message_id)).toBe('held')
    await publish()
    await listen()
    expect(await stateOf(postern, first.message_id)).toBe('pending')
    expect(await stateOf(postern, second.message_id)).toBe('held')
  })
})
