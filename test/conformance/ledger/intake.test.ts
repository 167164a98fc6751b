import { expect, it } from 'vitest'
import { formatHcs10 } from '../../../src/model/ledger/hcs10.ts'
import { formatOperatorId } from '../../../src/model/ledger/operator.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller } from '../suite.ts'
import { openScene, type Scene, waiting } from './scene.ts'
import { onBothEngines } from './stores.ts'

const DATA = { message_type: 'fyi', subject: 'Done', payload: { text: 'It is done.' }, priority: 1 }

/** Somebody with the keys of one of our accounts writes past Postern, as an SDK does. */
async function writeAs({ us, elsewhere }: Scene, agent: string, topicId: string, text: string): Promise<void> {
  const { account: payer } = await us.identity(agent)
  const transaction = elsewhere.truth.newTransaction(payer)
  const message = new TextEncoder().encode(text)
  await elsewhere.truth.submit({ topicId, message, payer, memo: '', mayChunk: true, transaction })
}

async function operatorOf({ us }: Scene, agent: string): Promise<string> {
  return formatOperatorId(await us.identity(agent))
}

onBothEngines('what comes in by a ledger', (open) => {
  it('is from one of ours where the operator id is theirs and their account has paid', async () => {
    const scene = await openScene(open)
    const { us } = scene
    const { inboundTopicId } = await us.identity('justin')
    const operator_id = await operatorOf(scene, 'quinn')
    await writeAs(
      scene,
      'quinn',
      inboundTopicId,
      formatHcs10({ op: 'message', operator_id, data: JSON.stringify(DATA) }),
    )
    await us.settle()
    expect(await waiting(us, 'justin')).toMatchObject([
      {
        type: 'fyi',
        from: { id: 'quinn', kind: 'ai', verified: true, via: 'ledger' },
        subject: 'Done',
        content: 'It is done.',
        priority: 0,
        context: { ledger: { network: 'testnet', topic_id: inboundTopicId, sequence: 1 } },
      },
    ])
  })

  it('is understood in the form of the seed, with an object as data and the time beside it', async () => {
    const scene = await openScene(open)
    const { us } = scene
    const operator_id = await operatorOf(scene, 'mindy')
    const seeds = {
      p: 'hcs-10',
      op: 'message',
      operator_id,
      data: { ...DATA, ref_id: '0.0.7', ref_type: 'task' },
      ts: 'now',
    }
    await writeAs(scene, 'mindy', (await us.identity('quinn')).inboundTopicId, JSON.stringify(seeds))
    await us.settle()
    expect(await waiting(us, 'quinn')).toMatchObject([{ from: { id: 'mindy' }, subject: 'Done', ref: 'task:0.0.7' }])
  })

  it('is never from the one whose operator id a stranger writes, and never urgent', async () => {
    verifies('S003.spoofed')
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    const stranger = await elsewhere.outsider()
    const { inboundTopicId } = await us.identity('mindy')
    const claimed = await operatorOf(scene, 'quinn')
    const renamed = `${(await us.identity('quinn')).inboundTopicId}@${stranger.account}`
    for (const operator_id of [claimed, renamed, stranger.operatorId]) {
      await stranger.say(inboundTopicId, { op: 'message', operator_id, data: JSON.stringify(DATA) })
    }
    await us.settle()
    const messages = await waiting(us, 'mindy')
    expect(messages.map(({ from, priority }) => ({ from, priority }))).toEqual([
      { from: { id: stranger.account, kind: 'service', verified: false, via: 'ledger' }, priority: 2 },
      { from: { id: stranger.account, kind: 'service', verified: false, via: 'ledger' }, priority: 2 },
      { from: { id: stranger.account, kind: 'service', verified: true, via: 'ledger' }, priority: 2 },
    ])
    expect(messages[0]?.context).toMatchObject({ ledger: { claims: claimed, payer: stranger.account } })
  })

  it('is skipped and counted where nobody understands it, and stops nothing', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    const stranger = await elsewhere.outsider()
    const { inboundTopicId } = await us.identity('mindy')
    const foreign = [
      'hello',
      '{"p":"hcs-10"}',
      '{"p":"hcs-20","op":"mint"}',
      '{"p":"hcs-10","op":"message","operator_id":"nobody","data":"x"}',
      formatHcs10({ op: 'register', account_id: '0.0.5' }),
      '\u0000',
      '{"p":"hcs-10","op":"__proto__"}',
    ]
    for (const text of foreign) await stranger.write(inboundTopicId, text)
    await stranger.say(inboundTopicId, { op: 'message', operator_id: stranger.operatorId, data: 'the last' })
    await us.settle()
    expect(await waiting(us, 'mindy')).toMatchObject([{ content: 'the last', type: 'ledger.message' }])
    expect(us.notes.join('\n')).toContain(`"foreign":${foreign.length}`)
    expect(await us.ctx.store.read.ledger.getTopic({ id: inboundTopicId })).toMatchObject({ sequence: 8, takenIn: 8 })
  })

  it('is shown once though it was put into the inbox before, in every mode', async () => {
    verifies('S003.fast-path')
    for (const mode of ['full', 'hash'] as const) {
      const { us, elsewhere } = await openScene(open, {
        settings: { publish: { default: mode, types: {}, agents: {} } },
      })
      const quinn = us.postern.as(caller('quinn'))
      for (const priority of [1, 3] as const) {
        await quinn.messages.send({
          to_agent: 'mindy',
          message_type: 'fyi',
          subject: `P${priority}`,
          payload: { a: 1 },
          priority,
        })
      }
      expect((await waiting(us, 'mindy')).map(({ subject }) => subject)).toEqual(['P1'])
      await us.settle()
      const found = await waiting(us, 'mindy')
      expect(found.map(({ subject, payload, from }) => [subject, payload, from.id])).toEqual([
        ['P1', { a: 1 }, 'quinn'],
        ['P3', { a: 1 }, 'quinn'],
      ])
      const [, text = ''] = await elsewhere.texts((await us.identity('mindy')).inboundTopicId)
      expect(text.includes('not published')).toBe(mode === 'hash')
    }
  })

  it('is not believed where the hash is not that of the message it names', async () => {
    const scene = await openScene(open, { settings: { publish: { default: 'hash', types: {}, agents: {} } } })
    const { us } = scene
    const sent = await us.postern
      .as(caller('quinn'))
      .messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'True', payload: { a: 1 }, priority: 4 })
    const message_id = sent.messages[0]?.message_id
    const operator_id = await operatorOf(scene, 'quinn')
    const forged = {
      message_type: 'fyi',
      subject: 'True',
      priority: 4,
      message_id,
      sha256: 'a'.repeat(64),
      body: 'not published',
    }
    const { inboundTopicId } = await us.identity('mindy')
    await writeAs(
      scene,
      'quinn',
      inboundTopicId,
      formatHcs10({ op: 'message', operator_id, data: JSON.stringify(forged) }),
    )
    await us.listen()
    expect(await waiting(us, 'mindy')).toEqual([])
    expect(us.notes.join('\n')).toContain('"altered":1')
    await us.settle()
    expect(await waiting(us, 'mindy')).toMatchObject([{ id: message_id, payload: { a: 1 } }])
  })

  it('says what it can of a message whose content is not here, and gives its hash', async () => {
    const scene = await openScene(open)
    const operator_id = await operatorOf(scene, 'quinn')
    const data = { message_type: 'fyi', subject: 'Elsewhere', sha256: 'b'.repeat(64), body: 'not published' }
    const { inboundTopicId } = await scene.us.identity('mindy')
    await writeAs(
      scene,
      'quinn',
      inboundTopicId,
      formatHcs10({ op: 'message', operator_id, data: JSON.stringify(data) }),
    )
    await scene.us.settle()
    const [message] = await waiting(scene.us, 'mindy')
    expect(message).toMatchObject({ subject: 'Elsewhere', from: { id: 'quinn' } })
    expect(message?.content).toContain('b'.repeat(64))
  })

  it('neither suppresses nor replaces a message that a stranger, or another of ours, names', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    const stranger = await elsewhere.outsider()
    const sent = await us.postern
      .as(caller('quinn'))
      .messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'True', priority: 3 })
    const message_id = sent.messages[0]?.message_id
    const { inboundTopicId } = await us.identity('mindy')
    const data = JSON.stringify({ message_type: 'fyi', subject: 'False', message_id })
    await stranger.say(inboundTopicId, { op: 'message', operator_id: stranger.operatorId, data })
    const operator_id = await operatorOf(scene, 'justin')
    await writeAs(scene, 'justin', inboundTopicId, formatHcs10({ op: 'message', operator_id, data }))
    await us.listen()
    await us.settle()
    const found = await waiting(us, 'mindy')
    expect(found.map(({ subject, from }) => [subject, from.id]).sort()).toEqual([
      ['False', stranger.account],
      ['False', 'justin'],
      ['True', 'quinn'],
    ])
    expect(found.filter(({ id }) => id === message_id)).toMatchObject([{ subject: 'True' }])
  })

  it('leaves what outsiders write on the ledger where an inbox is full, and tells the owner once', async () => {
    const { us, elsewhere } = await openScene(open, { limits: { pendingPerAgent: 2 } })
    const stranger = await elsewhere.outsider()
    const { inboundTopicId } = await us.identity('mindy')
    for (const data of ['one', 'two', 'three', 'four']) {
      await stranger.say(inboundTopicId, { op: 'message', operator_id: stranger.operatorId, data })
    }
    await us.settle()
    expect((await waiting(us, 'mindy')).map(({ content }) => content)).toEqual(['one', 'two'])
    expect((await waiting(us, 'justin')).filter(({ subject }) => subject?.includes('does not fit'))).toHaveLength(1)
    expect(us.notes.join('\n')).toContain('"inbox full":2')
  })

  it('is never published again', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    await us.postern.as(caller('quinn')).messages.send({ to_agent: 'mindy', message_type: 'fyi', subject: 'Once' })
    await us.settle()
    const topics = await us.postern.ledger.topics({})
    const count = async () => (await Promise.all(topics.map(({ id }) => elsewhere.texts(id)))).flat().length
    const before = await count()
    await us.settle()
    await us.settle()
    expect(await count()).toBe(before)
    expect(await us.postern.ledger.parcels({ state: 'waiting' })).toEqual([])
  })
})
