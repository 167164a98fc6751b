import { expect, it } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { checkLedger } from '../../../src/core/ledger/check.ts'
import { completeProfile } from '../../../src/core/ledger/identities/publish-profile.ts'
import { listenerLease, listenOnce } from '../../../src/core/ledger/listen.ts'
import { publishDue } from '../../../src/core/ledger/publisher.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { createLeadership } from '../../../src/loops/leadership.ts'
import { PosternError } from '../../../src/model/errors.ts'
import type { Store } from '../../../src/store/store.ts'
import { storeWith } from '../../helpers/store-with.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, refused } from '../suite.ts'
import { openScene, type Scene, waiting } from './scene.ts'
import { onBothEngines } from './stores.ts'

const UNREACHABLE = new PosternError('LEDGER_UNREACHABLE', { network: 'testnet', reason: 'nobody answers' })
const POOR = new PosternError('LEDGER_REFUSED', { network: 'testnet', status: 'INSUFFICIENT_PAYER_BALANCE' })

/** Publishes once, at a time that is so much later. */
async function publishAt({ us }: Scene, laterMs: number) {
  const store = storeWith(us.ctx.store, { now: () => us.ctx.store.now() + laterMs })
  const ctx: Context = { ...us.ctx, store }
  return publishDue(ctx, us.ledgers, { limit: 100 })
}

function send({ us }: Scene, subject: string, priority: 1 | 3 = 3) {
  return us.postern.as(caller('quinn')).messages.send({ to_agent: 'mindy', message_type: 'fyi', subject, priority })
}

async function subjects({ us }: Scene) {
  return (await waiting(us, 'mindy')).map(({ subject }) => subject)
}

/** What stands on a topic, by the subjects of the messages. */
async function published({ us, elsewhere }: Scene): Promise<string[]> {
  const texts = await elsewhere.texts((await us.identity('mindy')).inboundTopicId)
  return texts.map((text) => JSON.parse(JSON.parse(text).data).subject)
}

/** As another process sees it, which has not listened itself. */
async function troubles(scene: Scene) {
  const { postern } = await scene.again()
  return (await postern.ledger.topics({})).flatMap(({ trouble }) => trouble ?? [])
}

async function checked(scene: Scene, check: string) {
  return (await checkLedger((await scene.again()).ctx)).filter(({ name }) => name === check)
}

const stopped = (scene: Scene) => checked(scene, 'ledger.stopped')

onBothEngines('what is on its way to a ledger', (open) => {
  it('is tried until the ledger has it, in the order in which it was sent', async () => {
    verifies('S003.send')
    const scene = await openScene(open)
    const { elsewhere, us } = scene
    for (const subject of ['one', 'two', 'three']) await send(scene, subject)
    elsewhere.faults.before = (call) => {
      if (call === 'submit') throw UNREACHABLE
    }
    for (const laterMs of [0, 3_000, 10_000])
      expect(await publishAt(scene, laterMs)).toMatchObject({ published: 0, refused: 0 })
    expect(await us.postern.ledger.parcels({ state: 'waiting' })).toHaveLength(3)
    elsewhere.faults.before = () => {}
    for (let round = 1; round <= 4; round++) await publishAt(scene, round * 61_000)
    expect(await published(scene)).toEqual(['one', 'two', 'three'])
    await us.listen()
    expect(await subjects(scene)).toEqual(['one', 'two', 'three'])
  })

  it('is written once though the answer is lost', async () => {
    const scene = await openScene(open)
    const { elsewhere, us } = scene
    await send(scene, 'lost')
    let lost = 3
    elsewhere.faults.after = (call) => {
      if (call === 'submit' && lost-- > 0) throw UNREACHABLE
    }
    for (let round = 0; round < 8; round++) await publishAt(scene, round * 61_000)
    expect(await published(scene)).toEqual(['lost'])
    expect(await us.postern.ledger.parcels({ state: 'waiting' })).toEqual([])
  })

  it('gets another transaction where the ledger says that the one before came too late', async () => {
    const scene = await openScene(open)
    const { elsewhere, us } = scene
    await send(scene, 'expired')
    let isLate = true
    elsewhere.faults.before = (call) => {
      if (call === 'submit' && isLate) throw UNREACHABLE
    }
    const { outcome } = elsewhere.ledger
    const ledger: Ledger = {
      ...elsewhere.ledger,
      outcome: async (transaction) =>
        isLate ? { state: 'refused', status: 'TRANSACTION_EXPIRED' } : outcome(transaction),
    }
    const late: Scene = { ...scene, us: { ...us, ledgers: { ...us.ledgers, ledger } } }
    await publishAt(late, 0)
    const first = (await us.postern.ledger.parcels({ state: 'waiting' }))[0]?.transaction
    await publishAt(late, 61_000)
    await publishAt(late, 400_000)
    const second = (await us.postern.ledger.parcels({ state: 'waiting' }))[0]?.transaction
    expect([typeof first, second === first]).toEqual(['string', false])
    isLate = false
    for (let round = 8; round < 11; round++) await publishAt(late, round * 61_000)
    expect(await published(scene)).toEqual(['expired'])
  })

  it('stops nothing else where what follows from it cannot be kept, and is tried again', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    await us.postern.ledger.createTopic({ entity: 'task:PROJ-12' })
    await send(scene, 'goes on')
    const createTopic: Ledger['createTopic'] = async (params) => {
      const made = await elsewhere.ledger.createTopic(params)
      const [known] = await us.postern.ledger.topics({})
      await us.ctx.store.single((tx) =>
        tx.ledger.insertTopic({ ...(known ?? expect.fail()), id: made.topicId, network: 'local', entity: null }),
      )
      return made
    }
    const ledger: Ledger = { ...elsewhere.ledger, createTopic }
    const strange: Scene = { ...scene, us: { ...us, ledgers: { ...us.ledgers, ledger } } }
    expect(await publishAt(strange, 0)).toMatchObject({ published: 1, putOff: 1 })
    expect(await published(scene)).toEqual(['goes on'])
    expect(await us.postern.ledger.parcels({})).toMatchObject([{ error: expect.stringContaining('store of its own') }])
  })

  it('is in the inbox after a minute in any case, and is shown once when its entry comes', async () => {
    verifies('S003.fast-path')
    const scene = await openScene(open)
    const { elsewhere, us } = scene
    elsewhere.faults.before = (call) => {
      if (call === 'submit') throw UNREACHABLE
    }
    const { messages } = await send(scene, 'late')
    await publishAt(scene, 30_000)
    expect(await subjects(scene)).toEqual([])
    await publishAt(scene, 61_000)
    await publishAt(scene, 62_000)
    expect(await waiting(us, 'mindy')).toMatchObject([
      { id: messages[0]?.message_id, subject: 'late', from: { id: 'quinn' } },
    ])
    elsewhere.faults.before = () => {}
    for (let round = 2; round < 5; round++) await publishAt(scene, round * 61_000)
    expect(await published(scene)).toEqual(['late'])
    await us.listen()
    expect(await subjects(scene)).toEqual(['late'])
  })

  it('is put aside where the ledger says no, the owner is told once, and a person tries again or gives it up', async () => {
    const scene = await openScene(open)
    const { elsewhere, us } = scene
    elsewhere.faults.before = (call) => {
      if (call === 'submit') throw POOR
    }
    await send(scene, 'refused')
    await us.postern.as(caller('mindy')).messages.send({ to_agent: 'quinn', message_type: 'fyi', subject: 'too' })
    expect(await publishAt(scene, 0)).toMatchObject({ refused: 2 })
    expect(await publishAt(scene, 60_000 * 60)).toMatchObject({ refused: 0, published: 0 })
    const told = (await waiting(us, 'justin')).filter(({ subject }) => subject?.includes('INSUFFICIENT_PAYER_BALANCE'))
    expect(told).toHaveLength(1)
    const [second, first] = await us.postern.ledger.parcels({ state: 'refused' })
    expect(first).toMatchObject({ state: 'refused', error: expect.stringContaining('INSUFFICIENT_PAYER_BALANCE') })
    elsewhere.faults.before = () => {}
    const recipient = us.postern.as(caller('mindy'))
    expect((await recipient.ledger.parcels({})).map(({ id }) => id)).toEqual([second?.id])
    await refused(recipient.ledger.drop({ id: second?.id ?? '' }), 'NOT_ALLOWED')
    await refused(recipient.ledger.retry({ id: second?.id ?? '' }), 'NOT_ALLOWED')
    await us.postern.ledger.retry({ id: first?.id ?? '' })
    await us.postern.ledger.drop({ id: second?.id ?? '' })
    await us.settle()
    expect(await published(scene)).toEqual(['refused'])
    expect(await us.postern.ledger.parcels({ state: 'refused' })).toEqual([])
    await refused(us.postern.ledger.retry({ id: first?.id ?? '' }), 'PARCEL_STATE')
    await refused(us.postern.ledger.drop({ id: second?.id ?? '' }), 'PARCEL_STATE')
    await refused(us.postern.ledger.drop({ id: 'par_nothing' }), 'PARCEL_NOT_FOUND')
    await refused(us.postern.ledger.parcels({ state: 'lost' }), 'VALUE_INVALID')
  })

  it('is in the inbox all the same where a person gives up its entry', async () => {
    const scene = await openScene(open)
    const { messages } = await send(scene, 'dropped')
    await scene.us.postern.ledger.drop({ id: messages[0]?.parcel ?? '' })
    for (const laterMs of [0, 61_000, 61_000]) await publishAt(scene, laterMs)
    expect(await published(scene)).toEqual([])
    expect(await subjects(scene)).toEqual(['dropped'])
  })

  it('is looked for in the inbox once, and a minute later where that failed', async () => {
    const scene = await openScene(open)
    const { us } = scene
    const drop = async (subject: string) => {
      const { messages } = await send(scene, subject)
      await us.postern.ledger.drop({ id: messages[0]?.parcel ?? '' })
    }
    let isBusy = true
    const transact: Store['transact'] = async (verb, options) => {
      if (isBusy) {
        isBusy = false
        throw new PosternError('STORE_BUSY', { path: 'x', waited: '1s' })
      }
      return us.ctx.store.transact(verb, options)
    }
    const busy: Scene = { ...scene, us: { ...us, ctx: { ...us.ctx, store: storeWith(us.ctx.store, { transact }) } } }
    await drop('late')
    await publishAt(busy, 61_000)
    await publishAt(scene, 62_000)
    expect(await subjects(scene)).toEqual([])
    await publishAt(scene, 122_000)
    expect(await subjects(scene)).toEqual(['late'])
    await drop('for nobody')
    await us.postern.agents.remove({ id: 'mindy' })
    await publishAt(scene, 200_000)
    const { network } = us.ledgers.ledger
    const all = { network, before: us.ctx.store.now() + 400_000, limit: 9 }
    expect(await us.ctx.store.read.ledger.lateParcels(all)).toEqual([])
  })

  it('takes nothing from a profile that is changed while an earlier one is published', async () => {
    verifies('S003.profile')
    const { us } = await openScene(open)
    const { store } = us.ctx
    // On SQLite a writing transaction has the store to itself.
    if (store.engine === 'sqlite') return
    const profiles = await store.read.ledger.listParcels({ state: 'published', limit: 99 })
    const parcel = profiles.find(({ purpose, about }) => purpose === 'profile' && about === 'quinn') ?? expect.fail()
    const held = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const changing = store.transact(async ({ ledger }) => {
      await ledger.nextNumber()
      const identity = (await ledger.identityOf({ network: 'testnet', agent: 'quinn' })) ?? expect.fail()
      held.resolve()
      await go.promise
      await ledger.putIdentity({ ...identity, bio: 'new' })
    })
    await held.promise
    const completing = store.transact(async (tx) => {
      const nextNumber = () => {
        go.resolve()
        return tx.ledger.nextNumber()
      }
      const counted = { ...tx, ledger: { ...tx.ledger, nextNumber } }
      const outcome = { ...parcel, topics: { file: '0.0.777' }, parcel: null }
      await completeProfile({ ctx: us.ctx, ledgers: us.ledgers, tx: counted }, outcome)
    })
    await completing.finally(go.resolve)
    await changing
    expect(await us.identity('quinn')).toMatchObject({ bio: 'new', profileTopicId: '0.0.777' })
  })

  it('is published once by two who publish at once, and heard once by two who listen', async () => {
    verifies('S003.publisher')
    const scene = await openScene(open)
    const other = await scene.again()
    for (const subject of ['a', 'b', 'c', 'd']) await send(scene, subject)
    for (let round = 0; round < 6; round++) await Promise.all([scene.us.publish(), other.publish()])
    expect(await published(scene)).toEqual(['a', 'b', 'c', 'd'])
    await Promise.all([scene.us.listen(), other.listen()])
    expect(await subjects(scene)).toEqual(['a', 'b', 'c', 'd'])
  })
})

onBothEngines('a listener', (open) => {
  it('stops at an entry whose running hash does not fit, tells the owner, and takes nothing behind it', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    for (const subject of ['good', 'altered', 'behind']) await send(scene, subject)
    await us.publish()
    const { inboundTopicId } = await us.identity('mindy')
    const lie = Buffer.from('{}').toString('base64')
    elsewhere.faults.shown = (entries) =>
      entries.map((each) => (each.sequence === 2 ? { ...each, message: lie } : each))
    for (let times = 0; times < 3; times++) {
      expect(await listenOnce(us.ctx, us.ledgers, inboundTopicId)).toMatchObject({ state: 'broken' })
    }
    expect(await subjects(scene)).toEqual(['good'])
    expect(await troubles(scene)).toEqual(['broken at 2'])
    expect(await stopped(scene)).toMatchObject([{ detail: expect.stringContaining(`${inboundTopicId} (broken at 2)`) }])
    const told = (await waiting(us, 'justin')).filter(({ content }) => content.includes('running hash'))
    expect(told).toHaveLength(1)
    elsewhere.faults.shown = (entries) => entries
    await us.listen()
    expect(await subjects(scene)).toEqual(['good', 'altered', 'behind'])
    expect([await troubles(scene), await stopped(scene)]).toEqual([[], []])
  })

  it('waits at a gap and skips nothing', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    for (const subject of ['one', 'two', 'three']) await send(scene, subject)
    await us.publish()
    const { inboundTopicId } = await us.identity('mindy')
    elsewhere.faults.shown = (entries) => entries.filter(({ sequence }) => sequence !== 2)
    expect(await listenOnce(us.ctx, us.ledgers, inboundTopicId)).toMatchObject({ entries: 1, state: 'more' })
    expect(await listenOnce(us.ctx, us.ledgers, inboundTopicId)).toMatchObject({ entries: 0, state: 'gap' })
    expect(await troubles(scene)).toEqual(['gap at 2'])
    expect(await stopped(scene)).toMatchObject([{ detail: expect.stringContaining(`${inboundTopicId} (gap at 2)`) }])
    elsewhere.faults.shown = (entries) => entries
    await us.listen()
    expect(await subjects(scene)).toEqual(['one', 'two', 'three'])
    expect([await troubles(scene), await stopped(scene)]).toEqual([[], []])
  })

  it('is said to wait where nobody listens', async () => {
    const scene = await openScene(open)
    const { us, elsewhere } = scene
    expect(await checked(scene, 'ledger.listening')).toMatchObject([
      { ok: false, next: expect.stringContaining('listen') },
    ])
    const name = listenerLease(elsewhere.ledger.network)
    const leading = createLeadership({ store: us.ctx.store, name, holder: 'somebody' })
    await leading.check()
    expect(await checked(scene, 'ledger.listening')).toEqual([])
    await leading.leave()
    expect(await checked(scene, 'ledger.listening')).toHaveLength(1)
  })
})
