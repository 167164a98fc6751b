import { expect } from 'vitest'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import { parseFileLink } from '../../../src/model/ledger/memos.ts'
import { canonicalBody } from '../../../src/model/ledger/message-data.ts'
import { failing } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, read, refused, stateOf } from '../suite.ts'
import { dataIn, expectAllVerified, hcs10Message, ledgerConfig, only, textsOn, topicsOf } from './telling.ts'

const TEAM = ['ada', 'mindy', 'quinn', { id: 'justin', kind: 'human' }] as const
const BLOCKED = { message_type: 'task.blocked', subject: 'Blocked', priority: 1 } as const

conformance('sending a message on the record', ({ rule, open }) => {
  rule('puts it into the inbox and onto the topic at once, and shows it once', async () => {
    verifies('S003.send', 'S003.fast-path')
    const { postern } = await open({ agents: TEAM })
    const quinn = postern.as(caller('quinn'))
    const sent = await quinn.messages.send({ to_agent: 'justin', ...BLOCKED, payload: { text: 'The disk is full.' } })
    expect(sent.ledger).toEqual({ kind: 'local', network: 'local', public_consensus: false })
    const message = only(sent)
    expect(message).toMatchObject({
      to_agent: 'justin',
      duplicate: false,
      in_inbox: true,
      publish: 'full',
      parcel: null,
    })
    expect(message.topic_id).toBe((await topicsOf(postern, 'justin')).inbound)
    expect(message.sequence).toBe(1)
    expect(await read(postern, 'justin')).toEqual(['The disk is full.'])
    expect(await read(postern, 'justin')).toEqual([])
    expect(await stateOf(postern, message.message_id)).toBe('seen')
    await expectAllVerified(postern)
  })

  rule('keeps what the seed names, in the inbox as on the topic', async () => {
    verifies('S003.send')
    const { postern, now } = await open({ agents: TEAM })
    const said = {
      to_agent: 'mindy',
      message_type: 'review.request',
      subject: 'Please look',
      payload: { pull: 12, files: ['a.ts'] },
      context: { branch: 'main' },
      ref_id: '0.0.4711',
      ref_type: 'task',
      priority: 2,
    } as const
    const { message_id, topic_id } = only(await postern.as(caller('quinn')).messages.send(said))
    const { message } = await postern.inbox.show({ id: message_id })
    expect(message).toMatchObject({
      type: 'review.request',
      from: { id: 'quinn', kind: 'ai' },
      to: ['mindy'],
      subject: 'Please look',
      content: 'Please look',
      payload: said.payload,
      context: said.context,
      priority: 1,
      ref: 'task:0.0.4711',
    })
    const [text] = await textsOn(postern, topic_id)
    const { to_agent, ...rest } = said
    expect(dataIn(text)).toEqual({ mode: 'full', ...rest, message_id, ts: new Date(now()).toISOString() })
  })

  rule('says who sends by the operator id and by the payer, and tells it on the outbound topic', async () => {
    verifies('S003.send', 'S003.topics')
    const { postern } = await open({ agents: TEAM })
    const { message_id, topic_id } = only(
      await postern.as(caller('quinn')).messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'Done' }),
    )
    const { identity } = await postern.ledger.profile({ agent: 'quinn' })
    const { entries } = await postern.ledger.read({ topic: topic_id ?? '' })
    expect(entries[0]?.payer).toBe(identity.account)
    const { operator_id, data } = hcs10Message(entries[0]?.text ?? '')
    expect(operator_id).toBe(`${identity.inboundTopicId}@${identity.account}`)
    const [record] = await textsOn(postern, identity.outboundTopicId)
    const sha256 = createLedgerCodec().sha256(data)
    expect(JSON.parse(record ?? '')).toEqual({ type: 'sent', message_id, topic_id, sha256 })
  })

  rule('sends for whoever is no agent as the deployment itself', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    const { topic_id, message_id } = only(
      await postern.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'From a terminal' }),
    )
    const [text] = await textsOn(postern, topic_id)
    const system = (await postern.ledger.topics({ role: 'inbound' })).find(({ agent }) => agent === 'system')
    expect(hcs10Message(text).operator_id.startsWith(`${system?.id}@`)).toBe(true)
    expect((await postern.inbox.show({ id: message_id })).message.from.id).not.toBe('mindy')
  })

  rule('publishes what is too long as an HCS-1 file that reads back as it was said', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    const payload = { text: `Ünïcode 😀 ${'lorem ipsum '.repeat(600)}` }
    const sent = await postern.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'Long', payload })
    const { topic_id, sequence, message_id } = only(sent)
    expect(sequence).toBe(1)
    const [text] = await textsOn(postern, topic_id)
    const file = parseFileLink(hcs10Message(text).data) ?? expect.fail('it is no link to a file')
    const { topic } = await postern.ledger.read({ topic: file })
    expect(topic).toMatchObject({ role: 'file', adminKey: null, submitKey: expect.stringMatching(/^account:/) })
    const entries = await textsOn(postern, file)
    const { mime, content } = createLedgerCodec().decodeFile({ memo: topic.memo, entries })
    expect(mime).toBe('application/json')
    expect(JSON.parse(content)).toMatchObject({ subject: 'Long', payload, message_id })
    expect(await read(postern, 'mindy')).toEqual([payload.text])
    await expectAllVerified(postern)
  })

  rule('never replaces what only looks like a name of ours in what somebody says', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    for (const words of ['{file} {work} {definitions} {inbound} {task:A}', `{file} ${'x'.repeat(3_000)}`]) {
      await postern.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: '{file}', payload: words })
      expect(await read(postern, 'mindy')).toEqual([words])
    }
    const [first] = await textsOn(postern, (await topicsOf(postern, 'mindy')).inbound)
    expect(dataIn(first)).toMatchObject({ payload: '{file} {work} {definitions} {inbound} {task:A}' })
  })

  rule('is the same message again under the same key, with one entry', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    const quinn = postern.as(caller('quinn'))
    const said = { to_agent: 'mindy', message_type: 'fyi', subject: 'Once', dedup_key: 'once-1' } as const
    const first = only(await quinn.messages.send(said))
    const second = only(await quinn.messages.send(said))
    expect(second).toEqual({ ...first, duplicate: true })
    expect(await textsOn(postern, first.topic_id)).toHaveLength(1)
    expect(await textsOn(postern, (await topicsOf(postern, 'quinn')).outbound)).toHaveLength(1)
    expect(await read(postern, 'mindy')).toEqual(['Once'])
    await refused(quinn.messages.send({ ...said, subject: 'Otherwise' }), 'DEDUP_CONFLICT')
    expect(await textsOn(postern, first.topic_id)).toHaveLength(1)
  })

  rule('knows where it stands however much was written since, and that an inbox alone is no ledger', async () => {
    verifies('S003.send')
    const { postern, advance } = await open({ agents: TEAM, limits: { pairBurst: 1_000, pairPerMinute: 1_000 } })
    const quinn = postern.as(caller('quinn'))
    const fyi = { to_agent: 'mindy', message_type: 'fyi', subject: 'Once' } as const
    const short = { ...fyi, dedup_key: 'short' }
    const long = { ...fyi, dedup_key: 'long', payload: Array.from({ length: 300 }, (_, n) => Math.sin(n)) }
    const first = [only(await quinn.messages.send(short)), only(await quinn.messages.send(long))]
    for (let n = 0; n < 101; n++) await postern.messages.send(fyi)
    advance(400 * 86_400_000)
    await postern.upkeep.run()
    const second = [only(await quinn.messages.send(short)), only(await quinn.messages.send(long))]
    expect(second).toEqual(first.map((sent) => ({ ...sent, duplicate: true })))
    expect(second.map(({ sequence }) => sequence)).toEqual([1, 2])
    const inboxOnly = { ...fyi, dedup_key: 'inbox' }
    await quinn.messages.sendInbox(inboxOnly)
    const unwritten = { duplicate: true, publish: 'off', topic_id: null, sequence: null, parcel: null }
    expect(only(await quinn.messages.send(inboxOnly))).toMatchObject(unwritten)
  })

  rule('leaves a published parcel on the local ledger for a message with a key, and none for any other', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    const quinn = postern.as(caller('quinn'))
    const long = {
      to_agent: 'mindy',
      message_type: 'fyi',
      subject: 'Long',
      payload: 'one two three '.repeat(300),
    } as const
    await quinn.messages.send(long)
    const sent = only(await quinn.messages.send({ ...long, dedup_key: 'long' }))
    const parcels = await postern.ledger.parcels({ state: 'published' })
    // A client over HTTP gives every message a key.
    expect(parcels.filter(({ message }) => message?.dedupKey === null)).toEqual([])
    const parcel = parcels.find(({ message }) => message?.id === sent.message_id)
    const { steps = [], made = {} } = parcel ?? {}
    const [name = '', fileTopicId = ''] = Object.entries(made)[0] ?? []
    expect(parcel).toMatchObject({ purpose: 'message', about: 'mindy', price: 0, done: steps.length, error: null })
    expect(parcel).toMatchObject({ lane: sent.topic_id, sequence: sent.sequence, message: { id: sent.message_id } })
    expect(steps.map(({ kind }) => kind)).toEqual(['topic', ...steps.slice(1).map(() => 'submission')])
    expect(steps.at(-2)).toMatchObject({ topicId: sent.topic_id, text: expect.stringContaining(`hcs://1/{${name}}`) })
    const texts = await textsOn(postern, sent.topic_id)
    expect(texts.at(-1)).toContain(`hcs://1/${fileTopicId}`)
  })

  rule('is one message though many send it at once under one key', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    const said = { to_agent: 'mindy', message_type: 'fyi', subject: 'Once', dedup_key: 'race' } as const
    const all = await Promise.all(Array.from({ length: 5 }, () => postern.messages.send(said)))
    expect(new Set(all.map((sent) => only(sent).message_id)).size).toBe(1)
    expect(all.filter((sent) => !only(sent).duplicate)).toHaveLength(1)
    expect(await textsOn(postern, only(all[0] ?? expect.fail()).topic_id)).toHaveLength(1)
    await expectAllVerified(postern)
  })

  rule('gives every agent one account and two topics, however many send for the first time at once', async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    const names = ['ada', 'mindy', 'justin'] as const
    await Promise.all(
      names.flatMap((to_agent) =>
        [1, 2].map((n) =>
          postern.as(caller('quinn')).messages.send({ to_agent, message_type: 'fyi', subject: `${n}` }),
        ),
      ),
    )
    const topics = await postern.ledger.topics({ agent: 'quinn' })
    expect(topics.map(({ role }) => role).sort()).toEqual(['file', 'inbound', 'outbound'])
    expect(await textsOn(postern, (await topicsOf(postern, 'quinn')).outbound)).toHaveLength(6)
    for (const name of names) expect(await textsOn(postern, (await topicsOf(postern, name)).inbound)).toHaveLength(2)
    await expectAllVerified(postern)
  })

  rule('writes to everybody but the sender, each with a message of its own', async () => {
    verifies('S003.send.all')
    const { postern } = await open({ agents: [...TEAM, { id: 'builder', kind: 'service' }] })
    const { messages } = await postern
      .as(caller('quinn'))
      .messages.send({ to_agent: 'ALL', message_type: 'fyi', subject: 'Hello all' })
    expect(messages.map(({ to_agent }) => to_agent)).toEqual(['ada', 'justin', 'mindy'])
    expect(new Set(messages.map(({ message_id }) => message_id)).size).toBe(3)
    for (const { to_agent, topic_id } of messages) {
      expect(await read(postern, to_agent)).toEqual(['Hello all'])
      expect(await textsOn(postern, topic_id)).toHaveLength(1)
    }
    expect(await read(postern, 'quinn')).toEqual([])
    await expectAllVerified(postern)
  })

  rule('refuses to write to more than may get a message of their own', async () => {
    verifies('S003.send.all')
    const { postern } = await open({ agents: TEAM, limits: { recipientsPerPush: 2 } })
    const all = { to_agent: 'ALL', message_type: 'fyi', subject: 'Hello all' } as const
    await refused(postern.as(caller('quinn')).messages.send(all), 'VALUE_INVALID')
    expect(await postern.ledger.topics({})).toEqual([])
  })

  rule('leaves neither entry nor message where the store fails in the middle', async () => {
    verifies('S003.send')
    const { postern, again } = await open({ agents: TEAM })
    const broken = await again({ through: failing })
    const attempt = broken.messages.send({ to_agent: 'mindy', ...BLOCKED })
    await expect(attempt).rejects.toThrow()
    expect(await postern.ledger.topics({})).toEqual([])
    expect(await read(postern, 'mindy')).toEqual([])
    const sent = only(await postern.messages.send({ to_agent: 'mindy', ...BLOCKED }))
    expect(sent.sequence).toBe(1)
    await expectAllVerified(postern)
  })

  rule('holds what agents say too often, and it stands on the record all the same', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM, limits: { pairBurst: 1, pairPerMinute: 1 } })
    const ada = postern.as(caller('ada'))
    const say = (subject: string) => ada.messages.send({ to_agent: 'quinn', message_type: 'fyi', subject })
    expect(only(await say('one'))).toMatchObject({ in_inbox: true, held: false })
    const { message_id, topic_id, ...sent } = only(await say('two'))
    expect(sent).toMatchObject({ in_inbox: false, held: true })
    expect(await stateOf(postern, message_id)).toBe('held')
    expect(await textsOn(postern, topic_id)).toHaveLength(2)
  })

  rule('refuses what is no message, and publishes nothing then', async () => {
    verifies('S003.bad-input')
    const { postern } = await open({ agents: TEAM })
    const wrong = (more: object) =>
      postern.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'x', ...more } as never)
    await refused(wrong({ to_agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(wrong({ to_agent: 'No body' }), 'AGENT_ID_INVALID')
    await refused(wrong({ to_agent: 'mindy\0' }), 'AGENT_ID_INVALID')
    await refused(wrong({ to_agent: 'system' }), 'AGENT_ID_RESERVED')
    await refused(wrong({ payload: { text: '\ud800' } }), 'TEXT_INVALID')
    await refused(wrong({ subject: '' }), 'VALUE_INVALID')
    await refused(wrong({ subject: ' ' }), 'VALUE_INVALID')
    await refused(wrong({ message_type: 'Not A Type' }), 'TYPE_INVALID')
    await refused(wrong({ priority: 0 }), 'SEED_PRIORITY_INVALID')
    await refused(wrong({ priority: 6 }), 'SEED_PRIORITY_INVALID')
    await refused(wrong({ ref_type: 'epic', ref_id: 'x' }), 'VALUE_INVALID')
    await refused(wrong({ ref_type: 'task' }), 'VALUE_INVALID')
    await refused(wrong({ subject: 'x'.repeat(2_000) }), 'CONTENT_TOO_LARGE')
    await refused(wrong({ payload: 'x'.repeat(70_000) }), 'CONTENT_TOO_LARGE')
    await refused(wrong({ dedup_key: 'ledger:0.0.5:1' }), 'VALUE_INVALID')
    await refused(wrong({ dedup_key: 'note:msg_01' }), 'VALUE_INVALID')
    expect(await postern.ledger.topics({})).toEqual([])
    expect(await read(postern, 'mindy')).toEqual([])
  })

  rule('refuses a caller that claims to be an agent that is not registered', async () => {
    verifies('S003.send')
    const { postern } = await open({ agents: TEAM })
    const ghost = postern.as({ id: 'ghost', kind: 'ai', verified: false, via: 'sdk' })
    const attempt = ghost.messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'x' })
    await refused(attempt, 'AGENT_NOT_FOUND')
    expect(await read(postern, 'mindy')).toEqual([])
    expect(await postern.ledger.topics({})).toEqual([])
  })

  rule('names the agent that was probably meant', async () => {
    verifies('S003.bad-input')
    const { postern } = await open({ agents: TEAM })
    const attempt = postern.messages.send({ to_agent: 'mindi', message_type: 'fyi', subject: 'x' })
    expect((await refused(attempt, 'AGENT_NOT_FOUND')).message).toContain('mindy')
  })

  rule('publishes a hash only, or nothing, where that is set', async () => {
    verifies('S003.privacy')
    const publish = { default: 'full', types: { 'review.request': 'hash' }, agents: { ada: 'off' } }
    const { postern } = await open({ agents: TEAM, ...ledgerConfig({ publish }) })
    const quinn = postern.as(caller('quinn'))
    const payload = { text: 'between us' }
    const hashed = only(
      await quinn.messages.send({ to_agent: 'mindy', message_type: 'review.request', subject: 'Look', payload }),
    )
    expect(hashed).toMatchObject({ publish: 'hash', sequence: 1 })
    const [text = ''] = await textsOn(postern, hashed.topic_id)
    expect(text).not.toContain('between us')
    const body = canonicalBody({ payload, context: null, ref_id: null, ref_type: null })
    expect(dataIn(text)).toMatchObject({ mode: 'hash', sha256: createLedgerCodec().sha256(body), subject: 'Look' })
    const unpublished = only(
      await postern.as(caller('ada')).messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'Quiet' }),
    )
    expect(unpublished).toMatchObject({ publish: 'off', topic_id: null, sequence: null, in_inbox: true })
    expect(await textsOn(postern, hashed.topic_id)).toHaveLength(1)
    expect(await read(postern, 'mindy')).toEqual(['between us', 'Quiet'])
    await expectAllVerified(postern)
  })

  rule('sends into the inbox alone what need not be on the record', async () => {
    verifies('S003.send-inbox')
    const { postern } = await open({ agents: TEAM })
    const sent = await postern
      .as(caller('quinn'))
      .messages.sendInbox({ to_agent: 'justin', ...BLOCKED, dedup_key: 'k' })
    expect(only(sent)).toMatchObject({ in_inbox: true, publish: 'off', topic_id: null, sequence: null, parcel: null })
    const repeated = await postern
      .as(caller('quinn'))
      .messages.sendInbox({ to_agent: 'justin', ...BLOCKED, dedup_key: 'k' })
    expect(only(repeated)).toMatchObject({ message_id: only(sent).message_id, duplicate: true })
    expect(await read(postern, 'justin')).toEqual(['Blocked'])
    expect(await postern.ledger.topics({})).toEqual([])
  })
})
