import { expect, it, onTestFinished } from 'vitest'
import { takeIn } from '../../../src/core/ledger/intake/take-in.ts'
import { createLocalLedger, type LocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import { PosternError } from '../../../src/model/errors.ts'
import { formatHcs10, type Hcs10, parseHcs10 } from '../../../src/model/ledger/hcs10.ts'
import { formatInboundMemo, formatOutboundMemo } from '../../../src/model/ledger/memos.ts'
import type { Store } from '../../../src/store/store.ts'
import { createDeployment, type Deployment, type DeploymentOptions } from '../../helpers/ledger/deployment.ts'
import type { Outsider } from '../../helpers/ledger/elsewhere.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, refused } from '../suite.ts'
import { openScene, waiting } from './scene.ts'
import { onBothEngines, type StoreWorld } from './stores.ts'

/** An outsider and one of our agents on some ledger, however it works. */
interface Meeting {
  readonly us: Deployment
  readonly outsider: Outsider
  stranger(): Promise<Outsider>
  texts(topicId: string): Promise<string[]>
}

type Meet = (open: () => Promise<StoreWorld>, options?: DeploymentOptions) => Promise<Meeting>

/** On a ledger elsewhere, to which the outsider writes as we do. */
const meetElsewhere: Meet = async (open, options = {}) => {
  const { us, elsewhere } = await openScene(open, options)
  return { us, outsider: await elsewhere.outsider(), stranger: elsewhere.outsider, texts: elsewhere.texts }
}

/** On the local ledger, which the outsider reaches by its real protocol: its entries are taken in as they are written. */
const meetLocally: Meet = async (open, options = {}) => {
  const { store } = await open()
  const ledger = createLocalLedger({ store })
  onTestFinished(() => ledger.close())
  const us = createDeployment(store, ledger, options)
  for (const id of ['quinn', 'mindy']) await us.postern.agents.add({ id })
  await us.postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await us.postern.ledger.setup({})
  const stranger = () => localOutsider(us, store, ledger)
  return {
    us,
    outsider: await stranger(),
    stranger,
    async texts(topicId) {
      const entries = await ledger.readAfter({ topicId, after: 0, limit: 1_000 })
      return entries.map(({ message }) => Buffer.from(message, 'base64').toString())
    },
  }
}

async function localOutsider(us: Deployment, store: Store, ledger: LocalLedger): Promise<Outsider> {
  const account = `0.0.${await store.transact((tx) => tx.ledger.nextNumber())}`
  const topic = (memo: string) =>
    ledger.createTopic({
      memo,
      adminKey: null,
      submitKey: null,
      payer: account,
      transaction: ledger.newTransaction(account),
    })
  const { topicId: inbound } = await topic(formatInboundMemo(account))
  const { topicId: outbound } = await topic(formatOutboundMemo())
  const write = (topicId: string, text: string) =>
    store.transact(async (tx) => {
      const message = new TextEncoder().encode(text)
      const entries = await ledger.within(tx).submit({ topicId, message, payer: account, memo: '', mayChunk: true })
      const about = (await tx.ledger.getTopic({ id: topicId })) ?? expect.fail('there is no such topic')
      await takeIn(us.ctx, us.ledgers, tx, about, entries)
      return entries.at(-1)?.sequence ?? 0
    })
  const operatorId = `${inbound}@${account}`
  return { account, inbound, outbound, operatorId, write, say: (topicId, op) => write(topicId, formatHcs10(op)) }
}

async function operationsOn({ texts }: Meeting, topicId: string): Promise<(Hcs10 | undefined)[]> {
  return (await texts(topicId)).map(parseHcs10)
}

/** By then our clock and the ledger's are past what has just happened. */
function untilNextMillisecond(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}

/** The outsider asks quinn, who accepts. */
async function accepted(meeting: Meeting) {
  const { us, outsider } = meeting
  const quinn = await us.identity('quinn')
  const requestId = await outsider.say(quinn.inboundTopicId, {
    op: 'connection_request',
    operator_id: outsider.operatorId,
  })
  await us.settle()
  const [asked] = await us.postern.ledger.connections({ agent: 'quinn' })
  await us.postern.ledger.accept({ id: asked?.id ?? '' })
  await us.settle()
  const [open] = await us.postern.ledger.connections({ agent: 'quinn' })
  return { quinn, requestId, connection: open ?? expect.fail('there is no connection') }
}

for (const [where, meet] of [
  ['on a ledger elsewhere', meetElsewhere],
  ['on the local ledger', meetLocally],
] as const) {
  onBothEngines(`a connection with an outsider ${where}`, (open) => {
    it('is asked for by the outsider, accepted by our agent, used by both and closed by the outsider', async () => {
      verifies('S003.handshake')
      const meeting = await meet(open)
      const { us, outsider } = meeting
      const { quinn, requestId, connection } = await accepted(meeting)
      const topicId = connection.topicId ?? ''
      expect(connection).toMatchObject({ state: 'open', isIncoming: true, peerAccount: outsider.account, requestId })
      expect((await waiting(us, 'quinn'))[0]).toMatchObject({
        type: 'ledger.connection_request',
        from: { id: outsider.account, kind: 'service', verified: true },
        content: expect.stringContaining(`postern ledger accept ${connection.id}`),
      })
      expect((await us.ledgers.ledger.topic(topicId))?.memo).toBe(
        `hcs-10:1:3600:2:${quinn.inboundTopicId}:${requestId}`,
      )
      const us_ = `${quinn.inboundTopicId}@${quinn.account}`
      expect((await operationsOn(meeting, quinn.inboundTopicId)).at(-1)).toEqual({
        op: 'connection_created',
        connection_topic_id: topicId,
        connected_account_id: outsider.account,
        operator_id: us_,
        connection_id: requestId,
      })
      expect((await operationsOn(meeting, quinn.outboundTopicId)).at(-1)).toEqual({
        op: 'connection_created',
        connection_topic_id: topicId,
        outbound_topic_id: quinn.outboundTopicId,
        requestor_outbound_topic_id: '0.0.0',
        confirmed_request_id: requestId + 1,
        connection_request_id: requestId,
        operator_id: outsider.operatorId,
      })

      await outsider.say(topicId, { op: 'message', operator_id: outsider.operatorId, data: 'Hello quinn' })
      await us.postern.as(caller('quinn')).ledger.say({ connection: connection.id, text: 'Hello you' })
      const schedule = {
        op: 'transaction',
        operator_id: outsider.operatorId,
        schedule_id: '0.0.77',
        data: 'Pay me',
      } as const
      await outsider.say(topicId, schedule)
      await us.settle()
      const heard = (await waiting(us, 'quinn')).slice(1)
      expect(heard.map(({ content, ref, type }) => [type, content.split('\n')[0], ref])).toEqual([
        ['ledger.message', 'Hello quinn', connection.id],
        ['ledger.transaction', 'Pay me', connection.id],
      ])
      const said = (await operationsOn(meeting, topicId)).filter((each) => each?.op === 'message')
      expect(said).toContainEqual({ op: 'message', operator_id: us_, data: 'Hello you' })

      await outsider.say(topicId, { op: 'close_connection', operator_id: outsider.operatorId, reason: 'enough' })
      await us.settle()
      expect(await us.postern.ledger.connections({})).toMatchObject([{ state: 'closed', reason: 'enough' }])
      const told = (await waiting(us, 'quinn')).at(-1)
      expect(told).toMatchObject({ type: 'ledger.connection_closed', from: { id: 'system' } })
      expect(`${told?.subject} ${told?.content}`).not.toContain('enough')
      expect(told?.quotes).toMatchObject([{ what: 'reason', from: { kind: 'service' }, text: 'enough' }])
      await refused(us.postern.ledger.say({ connection: connection.id, text: 'Wait' }), 'CONNECTION_STATE')
    })

    it('is asked for by our agent, answered on the topic of the outsider, and closed by us', async () => {
      verifies('S003.handshake')
      const meeting = await meet(open)
      const { us, outsider } = meeting
      const mindy = await us.identity('mindy')
      const operator_id = `${mindy.inboundTopicId}@${mindy.account}`
      const { id } = await us.postern.as(caller('mindy')).ledger.connect({ inbound_topic_id: outsider.inbound })
      await us.settle()
      const [asked] = await us.postern.ledger.connections({})
      expect(asked).toMatchObject({ id, state: 'requested', isIncoming: false, requestId: 1 })
      expect(await operationsOn(meeting, outsider.inbound)).toEqual([{ op: 'connection_request', operator_id }])
      expect((await operationsOn(meeting, mindy.outboundTopicId)).at(-1)).toEqual({
        op: 'connection_request',
        operator_id: outsider.operatorId,
        outbound_topic_id: mindy.outboundTopicId,
        connection_request_id: 1,
      })

      const { topicId } = await us.ledgers.ledger.createTopic({
        memo: `hcs-10:1:3600:2:${outsider.inbound}:1`,
        adminKey: null,
        submitKey: null,
        payer: outsider.account,
        transaction: us.ledgers.ledger.newTransaction(outsider.account),
      })
      const created = {
        op: 'connection_created',
        connection_topic_id: topicId,
        connected_account_id: mindy.account,
        operator_id: outsider.operatorId,
        connection_id: 1,
      } as const
      const stranger = await meeting.stranger()
      await stranger.say(outsider.inbound, { ...created, connection_topic_id: mindy.inboundTopicId })
      await us.settle()
      // No topic at all, and one that is something else here.
      const wrong = us.ledgers.ledger.within ? '0.0.999999999' : outsider.inbound
      await outsider.say(outsider.inbound, { ...created, connection_topic_id: wrong })
      await us.settle()
      expect(await us.postern.ledger.connections({})).toMatchObject([{ state: 'requested' }])
      const confirmedAt = await outsider.say(outsider.inbound, created)
      await us.settle()
      expect(await us.postern.ledger.connections({})).toMatchObject([{ id, state: 'open', topicId }])
      expect(await waiting(us, 'mindy')).toMatchObject([{ type: 'ledger.connection_open', ref: id }])
      expect((await operationsOn(meeting, mindy.outboundTopicId)).at(-1)).toMatchObject({
        op: 'connection_created',
        connection_topic_id: topicId,
        confirmed_request_id: confirmedAt,
        connection_request_id: 1,
        requestor_outbound_topic_id: mindy.outboundTopicId,
      })

      await outsider.say(topicId, { op: 'message', operator_id: outsider.operatorId, data: 'Welcome' })
      const long = 'A long story. '.repeat(200)
      await us.postern.ledger.say({ connection: id, text: long })
      await us.postern.ledger.disconnect({ id, reason: 'done' })
      await us.settle()
      const operations = await operationsOn(meeting, topicId)
      expect(operations.map((each) => each?.op)).toEqual(['message', 'message', 'close_connection'])
      expect(operations[1]).toMatchObject({ data: expect.stringMatching(/^hcs:\/\/1\/0\.0\.\d+$/) })
      expect((await operationsOn(meeting, mindy.outboundTopicId)).at(-1)).toEqual({
        op: 'connection_closed',
        connection_topic_id: topicId,
        close_method: 'explicit',
        operator_id: outsider.operatorId,
        reason: 'done',
      })
      expect(await waiting(us, 'mindy')).toContainEqual(
        expect.objectContaining({
          content: 'Welcome',
          from: { id: outsider.account, kind: 'service', verified: true, via: 'ledger' },
        }),
      )
      expect(await us.postern.ledger.connections({})).toMatchObject([{ state: 'closed', reason: 'done' }])
    })

    it('is opened at once for those whom the configuration names, and for nobody who pretends to be them', async () => {
      const meeting = await meet(open, { settings: { accept: 'all' } })
      const { us, outsider } = meeting
      const { inboundTopicId } = await us.identity('quinn')
      const stranger = await meeting.stranger()
      await outsider.say(inboundTopicId, { op: 'connection_request', operator_id: outsider.operatorId })
      await stranger.say(inboundTopicId, { op: 'connection_request', operator_id: outsider.operatorId })
      await stranger.say(inboundTopicId, {
        op: 'connection_request',
        operator_id: `${outsider.inbound}@${stranger.account}`,
      })
      await us.settle()
      expect(await us.postern.ledger.connections({})).toMatchObject([{ peerAccount: outsider.account, state: 'open' }])
    })

    it('is left unanswered where it is rejected, and cannot be accepted then', async () => {
      const meeting = await meet(open)
      const { us, outsider } = meeting
      const { inboundTopicId } = await us.identity('quinn')
      await outsider.say(inboundTopicId, { op: 'connection_request', operator_id: outsider.operatorId, m: 'Let me in' })
      await us.settle()
      expect((await waiting(us, 'quinn'))[0]?.content).toContain('Let me in')
      const [asked] = await us.postern.ledger.connections({})
      const id = asked?.id ?? ''
      expect(await us.postern.ledger.reject({ id, reason: 'unknown' })).toMatchObject({
        state: 'closed',
        reason: 'unknown',
      })
      await refused(us.postern.ledger.accept({ id }), 'CONNECTION_STATE')
      await expect(us.postern.ledger.accept({ id })).rejects.toThrow('is closed, so it cannot be accepted')
      await us.settle()
      expect(await meeting.texts(inboundTopicId)).toHaveLength(1)
    })

    it('of the deployment itself is one of its people: they are asked, and read what is said on it', async () => {
      const { us, outsider } = await meet(open)
      const { inboundTopicId } = await us.identity('system')
      const operator_id = outsider.operatorId
      await outsider.say(inboundTopicId, { op: 'connection_request', operator_id })
      await us.settle()
      const [asked] = await us.postern.ledger.connections({})
      await us.postern.ledger.accept({ id: asked?.id ?? '' })
      await us.settle()
      const topicId = (await us.postern.ledger.connections({}))[0]?.topicId ?? ''
      await outsider.say(topicId, { op: 'message', operator_id, data: 'Hello all' })
      await us.settle()
      await outsider.say(topicId, { op: 'close_connection', operator_id })
      await us.settle()
      expect((await waiting(us, 'justin')).map(({ type }) => type)).toEqual([
        'ledger.connection_request',
        'ledger.message',
        'ledger.connection_closed',
      ])
    })

    it('is accepted once, however often that is said', async () => {
      const meeting = await meet(open)
      const { connection, quinn } = await accepted(meeting)
      await meeting.us.postern.ledger.accept({ id: connection.id })
      await meeting.us.settle()
      const created = (await operationsOn(meeting, quinn.inboundTopicId)).filter(
        (each) => each?.op === 'connection_created',
      )
      expect(created).toHaveLength(1)
    })
  })
}

onBothEngines('what concerns a connection', (open) => {
  it('costs no more than the day allows, however many outsiders are let in unasked', async () => {
    const { us, elsewhere } = await openScene(open, { isPublic: true })
    const { network } = us.ledgers.ledger
    const { inboundTopicId } = await us.identity('quinn')
    const spent = () => us.ctx.store.read.ledger.spentSince({ network, since: 0 })
    const tight = createDeployment(us.ctx.store, elsewhere.ledger, {
      settings: { accept: 'all', budgetPerDay: (await spent()) + 40_000_000 },
    })
    for (let asked = 0; asked < 4; asked++) {
      const outsider = await elsewhere.outsider()
      await outsider.say(inboundTopicId, { op: 'connection_request', operator_id: outsider.operatorId })
    }
    await tight.settle()
    const states = (await tight.postern.ledger.connections({ agent: 'quinn' })).map(({ state }) => state)
    expect(states).toHaveLength(4)
    expect(states).toContain('open')
    expect(states).toContain('requested')
    expect(await spent()).toBeLessThanOrEqual(tight.ledgers.settings.budgetPerDay ?? 0)
  })

  it('is open though the answer was passed before its request was known to stand there', async () => {
    const { us, elsewhere } = await openScene(open)
    const outsider = await elsewhere.outsider()
    const inbound_topic_id = outsider.inbound
    await us.postern.as(caller('quinn')).ledger.connect({ inbound_topic_id })
    await us.settle()
    const { id } = await us.postern.as(caller('mindy')).ledger.connect({ inbound_topic_id })
    let submissions = 0
    elsewhere.faults.before = (call) => {
      if (call === 'submit' && ++submissions > 1)
        throw new PosternError('LEDGER_UNREACHABLE', { network: 'testnet', reason: 'away' })
    }
    await us.publish()
    const { topicId } = await elsewhere.truth.createTopic({
      memo: `hcs-10:1:3600:2:${outsider.inbound}:2`,
      adminKey: null,
      submitKey: null,
      payer: outsider.account,
      transaction: elsewhere.truth.newTransaction(outsider.account),
    })
    await outsider.say(outsider.inbound, {
      op: 'connection_created',
      connection_topic_id: topicId,
      connected_account_id: (await us.identity('mindy')).account,
      operator_id: outsider.operatorId,
      connection_id: 2,
    })
    await us.listen()
    elsewhere.faults.before = () => {}
    for (const parcel of await us.postern.ledger.parcels({ state: 'waiting' }))
      await us.postern.ledger.retry({ id: parcel.id })
    await us.settle()
    const opened = (await us.postern.ledger.connections({ agent: 'mindy' })).find((each) => each.id === id)
    expect(opened).toMatchObject({ state: 'open', topicId })
  })

  it('is asked for by others though one outsider asks without end', async () => {
    const { us, elsewhere } = await openScene(open)
    const { inboundTopicId } = await us.identity('quinn')
    const [greedy, modest] = [await elsewhere.outsider(), await elsewhere.outsider()]
    for (const { say, operatorId } of [...Array(12).fill(greedy), modest]) {
      await say(inboundTopicId, { op: 'connection_request', operator_id: operatorId })
    }
    await us.settle()
    const asking = (await us.postern.ledger.connections({})).map(({ peerAccount }) => peerAccount)
    expect([asking.length, asking.includes(modest.account)]).toEqual([11, true])
    expect(us.notes.join('\n')).toContain('"too many requests":2')
  })

  it('hears what was said before the ledger had our goodbye, and nothing after it, whatever our clock says', async () => {
    const meeting = await meetElsewhere(open)
    const { us, outsider } = meeting
    const { connection } = await accepted(meeting)
    const { id, topicId } = connection
    const say = (data: string) => outsider.say(topicId ?? '', { op: 'message', operator_id: outsider.operatorId, data })
    expect(await us.postern.ledger.disconnect({ id })).toMatchObject({ state: 'closed', closedAt: null })
    await say('Just in time')
    await us.settle()
    await say('Too late')
    await us.settle()
    const heard = (await waiting(us, 'quinn')).filter(({ type }) => type === 'ledger.message')
    expect(heard.map(({ content }) => content)).toEqual(['Just in time'])
    expect(await us.postern.ledger.connections({})).toMatchObject([{ state: 'closed', closedAt: expect.any(Number) }])
  })

  it('is over where our goodbye is given up, but what was said before is heard', async () => {
    const meeting = await meetElsewhere(open)
    const { us, outsider } = meeting
    const { connection } = await accepted(meeting)
    const say = (data: string) =>
      outsider.say(connection.topicId ?? '', { op: 'message', operator_id: outsider.operatorId, data })
    await say('Before')
    await untilNextMillisecond()
    await us.postern.ledger.disconnect({ id: connection.id })
    const [goodbye] = await us.postern.ledger.parcels({})
    await us.postern.ledger.drop({ id: goodbye?.id ?? '' })
    await untilNextMillisecond()
    await say('After')
    await us.settle()
    const heard = (await waiting(us, 'quinn')).filter(({ type }) => type === 'ledger.message')
    expect(heard.map(({ content }) => content)).toEqual(['Before'])
  })

  it('is over where the ledger refuses our goodbye', async () => {
    const { us, elsewhere } = await openScene(open)
    const outsider = await elsewhere.outsider()
    const { connection } = await accepted({ us, outsider, stranger: elsewhere.outsider, texts: elsewhere.texts })
    await us.postern.ledger.disconnect({ id: connection.id })
    elsewhere.faults.before = (call) => {
      if (call === 'submit') throw new PosternError('LEDGER_REFUSED', { network: 'testnet', status: 'NO_BALANCE' })
    }
    await us.publish()
    expect(await us.postern.ledger.connections({})).toMatchObject([{ state: 'closed', closedAt: expect.any(Number) }])
  })

  it('is over where the other side closes it before the ledger has our goodbye', async () => {
    const meeting = await meetElsewhere(open)
    const { us, outsider } = meeting
    const { connection } = await accepted(meeting)
    await us.postern.ledger.disconnect({ id: connection.id })
    await outsider.say(connection.topicId ?? '', { op: 'close_connection', operator_id: outsider.operatorId })
    await us.listen()
    expect(await us.postern.ledger.connections({})).toMatchObject([{ state: 'closed', closedAt: expect.any(Number) }])
  })

  it('is not closed while its acceptance is on its way, but then', async () => {
    const { us, outsider } = await meetElsewhere(open)
    const { inboundTopicId } = await us.identity('quinn')
    await outsider.say(inboundTopicId, { op: 'connection_request', operator_id: outsider.operatorId })
    await us.settle()
    const id = (await us.postern.ledger.connections({}))[0]?.id ?? ''
    await us.postern.ledger.accept({ id })
    await refused(us.postern.ledger.reject({ id }), 'CONNECTION_STATE')
    await refused(us.postern.ledger.disconnect({ id }), 'CONNECTION_STATE')
    await us.settle()
    expect(await us.postern.ledger.disconnect({ id })).toMatchObject({ state: 'closed' })
  })

  it('is for its own agent alone, and refused under its code', async () => {
    const { us, outsider } = await meetElsewhere(open)
    const { id } = await us.postern.as(caller('mindy')).ledger.connect({ inbound_topic_id: outsider.inbound })
    const quinn = us.postern.as(caller('quinn'))
    expect(await quinn.ledger.connections({})).toEqual([])
    await refused(quinn.ledger.disconnect({ id }), 'CONNECTION_NOT_FOUND')
    await refused(us.postern.ledger.say({ connection: id, text: 'x' }), 'CONNECTION_STATE')
    await refused(us.postern.ledger.accept({ id }), 'CONNECTION_STATE')
    await refused(us.postern.ledger.accept({ id: 'con_nothing' }), 'CONNECTION_NOT_FOUND')
    await refused(us.postern.ledger.connect({ inbound_topic_id: '0.0.999999' }), 'LEDGER_TOPIC_NOT_FOUND')
    await refused(us.postern.ledger.connect({ inbound_topic_id: 'here' }), 'LEDGER_ID_INVALID')
    const { inboundTopicId, outboundTopicId } = await us.identity('quinn')
    for (const inbound_topic_id of [inboundTopicId, outboundTopicId]) {
      await refused(us.postern.ledger.connect({ inbound_topic_id }), 'LEDGER_ENTRY_INVALID')
    }
  })
})
