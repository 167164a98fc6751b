import { expect, it, onTestFinished } from 'vitest'
import { createLocalLedger, type LocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import type { LedgerEntry } from '../../../src/model/ledger/entry.ts'
import type { Store } from '../../../src/store/store.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { expectChain, ledgerContract, makeTopic, readAll, submit } from './contract.ts'
import { onBothEngines } from './stores.ts'

const PAYER = '0.0.1001'
const OTHER = '0.0.1002'
const OWNER = { role: 'work', agent: null, entity: null } as const
const TEXT = { payer: PAYER, memo: '', mayChunk: false, message: Buffer.from('x') }
const TOPIC = { memo: '', adminKey: null, submitKey: null, payer: PAYER, owner: OWNER }

function open(store: Store): { readonly ledger: LocalLedger; readonly payer: string } {
  const ledger = createLocalLedger({ store })
  onTestFinished(() => ledger.close())
  return { ledger, payer: PAYER }
}

onBothEngines('the local ledger', (openStore) => {
  ledgerContract('kept in a store', async () => {
    verifies('S003.contract')
    const { store } = await openStore()
    const account = { id: PAYER, memo: '', key: '', createdAt: 1 }
    await store.transact((tx) => tx.ledger.putAccount(account))
    return open(store)
  })

  it('writes as a part of a transaction: all of it or nothing', async () => {
    const { store } = await openStore()
    const { ledger, payer } = open(store)
    const topicId = await makeTopic({ ledger, payer })
    const lost = store.transact(async (tx) => {
      await ledger.within(tx).submit({ ...TEXT, topicId })
      await ledger.within(tx).createTopic(TOPIC)
      throw new Error('given up')
    })
    await expect(lost).rejects.toThrow('given up')
    const [entries, topic] = await store.transact(async (tx) => {
      const made = await ledger
        .within(tx)
        .createTopic({ ...TOPIC, memo: 'made', owner: { ...OWNER, entity: 'task:A' } })
      return [await ledger.within(tx).submit({ ...TEXT, topicId }), made]
    })
    expect(entries).toMatchObject([{ topicId, sequence: 1, payer: PAYER, chunk: null }])
    expect(await store.read.ledger.getTopic({ id: topic.id })).toEqual(topic)
    expect(topic).toMatchObject({ network: 'local', role: 'work', entity: 'task:A', memo: 'made', sequence: 0 })
    expect(await readAll({ ledger, payer }, topicId, 1)).toEqual(entries)
  })

  it('splits within a transaction too, under a transaction of the payer', async () => {
    const { store } = await openStore()
    const { ledger, payer } = open(store)
    const topicId = await makeTopic({ ledger, payer })
    const message = Buffer.alloc(2_000, 'x')
    const entries = await store.transact((tx) =>
      ledger.within(tx).submit({ ...TEXT, topicId, message, mayChunk: true }),
    )
    expect(entries.map(({ chunk }) => chunk?.number)).toEqual([1, 2])
    expect(entries[0]?.chunk?.transaction).toMatch(/^0\.0\.1001@/)
    expect(await store.read.ledger.chunksOf({ topicId, transaction: entries[0]?.chunk?.transaction ?? '' })).toEqual(
      entries,
    )
    expectChain(topicId, entries)
  })

  it('lets only the accounts of its key write to a topic, any one of them', async () => {
    const { store } = await openStore()
    const { ledger } = open(store)
    const world = { ledger, payer: PAYER }
    const stranger = { ledger, payer: '0.0.100' }
    const alone = await makeTopic(world, { submitKey: `account:${PAYER}` })
    const shared = await makeTopic(world, { submitKey: `account:${PAYER}|${OTHER}` })
    await submit(world, shared, Buffer.from('one'))
    await submit({ ledger, payer: OTHER }, shared, Buffer.from('two'))
    const attempts = [
      [{ ledger, payer: OTHER }, alone],
      [stranger, shared],
    ] as const
    for (const [who, topic] of attempts) {
      await expect(submit(who, topic, Buffer.from('x'))).rejects.toMatchObject({
        code: 'LEDGER_REFUSED',
        details: { network: 'local', status: 'INVALID_SIGNATURE' },
      })
    }
    expect((await readAll(world, shared, 2)).map(({ payer }) => payer)).toEqual([PAYER, OTHER])
  })

  it('takes what others have signed for, where somebody has looked at their signatures', async () => {
    const { store } = await openStore()
    const world = open(store)
    const topicId = await makeTopic(world, { submitKey: 'key:12205a5a' })
    const entry = { topicId, payer: PAYER, message: 'eA==', chunk: null, transaction: null, now: store.now() }
    expect(await store.single((tx) => tx.ledger.addEntry({ ...entry, isSigned: false }))).toBeUndefined()
    expect(await store.single((tx) => tx.ledger.addEntry({ ...entry, isSigned: true }))).toMatchObject({ sequence: 1 })
  })

  it('refuses keys and accounts that are none', async () => {
    const { store } = await openStore()
    const world = open(store)
    for (const submitKey of ['account:', 'account:0.0.1|', 'key:', 'key:xyz', 'account:a%', 'nobody']) {
      await expect(makeTopic(world, { submitKey })).rejects.toMatchObject({ code: 'LEDGER_REFUSED' })
    }
    const topicId = await makeTopic(world)
    await expect(submit({ ...world, payer: '%' }, topicId, Buffer.from('x'))).rejects.toMatchObject({
      code: 'LEDGER_ID_INVALID',
    })
  })

  it('writes nothing more to a topic that was deleted, which can still be read', async () => {
    const { store } = await openStore()
    const world = open(store)
    const topicId = await makeTopic(world)
    await submit(world, topicId, Buffer.from('x'))
    const gone = { id: topicId, memo: '', adminKey: null, submitKey: null, deletedAt: store.now() }
    await store.transact((tx) => tx.ledger.updateTopic(gone))
    await expect(submit(world, topicId, Buffer.from('x'))).rejects.toMatchObject({ code: 'LEDGER_TOPIC_DELETED' })
    expect(await readAll(world, topicId, 1)).toHaveLength(1)
    expect(await world.ledger.topic(topicId)).toMatchObject({ isDeleted: true })
  })

  it('knows its transactions after a restart', async () => {
    const { store, again } = await openStore()
    const world = open(store)
    const topicId = await makeTopic(world)
    const transaction = world.ledger.newTransaction(PAYER)
    const first = await submit(world, topicId, Buffer.from('once'), { transaction })
    const restarted = open(await again())
    expect(await restarted.ledger.outcome(transaction)).toEqual({ state: 'done', topicId, sequence: 1 })
    expect(await submit(restarted, topicId, Buffer.from('once'), { transaction })).toEqual(first)
    expect(await store.read.ledger.getTopic({ id: topicId })).toMatchObject({ sequence: 1 })
  })

  it('keeps one chain where several processes write to one topic at once', async () => {
    const { store, again } = await openStore()
    const worlds = [open(store), open(await again()), open(await again())]
    const [first] = worlds
    const topics = await Promise.all([1, 2, 3].map(() => makeTopic(worlds[0] ?? expect.fail())))
    const writes = Array.from({ length: 90 }, (_, at) =>
      submit(worlds[at % 3] ?? expect.fail(), topics[Math.floor(at / 30)] ?? '', Buffer.from(`${at}`)),
    )
    await Promise.all(writes)
    const all: LedgerEntry[] = []
    for (const topicId of topics) {
      const entries = await readAll(first ?? expect.fail(), topicId, 30)
      expectChain(topicId, entries)
      all.push(...entries)
    }
    expect(new Set(all.map(({ consensusAt }) => consensusAt)).size).toBe(90)
    for (const { consensusAt } of all) expect(consensusAt).toMatch(/^[0-9]{10}\.[0-9]{6}000$/)
    expect(await store.read.ledger.entryAt({ consensusAt: all[7]?.consensusAt ?? '' })).toEqual(all[7])
  })

  it('writes once under one transaction where two processes try at the same time', async () => {
    const { store, again } = await openStore()
    const worlds = [open(store), open(await again())]
    const topicId = await makeTopic(worlds[0] ?? expect.fail())
    const transactions = Array.from({ length: 10 }, () => worlds[0]?.ledger.newTransaction(PAYER) ?? '')
    const answers = await Promise.all(
      transactions.flatMap((transaction) =>
        worlds.map((world) => submit(world, topicId, Buffer.from(transaction), { transaction })),
      ),
    )
    expect(new Set(answers.map(({ sequence }) => sequence)).size).toBe(10)
    expect(await store.read.ledger.getTopic({ id: topicId })).toMatchObject({ sequence: 10 })
  })

  it('tells whoever follows a topic of what another process has written', async () => {
    const { store, again } = await openStore()
    const [here, there] = [open(store), open(await again())]
    const topicId = await makeTopic(here)
    const heard = new Promise<LedgerEntry>((resolve) => {
      here.ledger.subscribe({ topicId, after: 0, onEntry: resolve, onEnd: () => {} })
    })
    await submit(there, topicId, Buffer.from('from there'))
    expect(await heard).toMatchObject({ topicId, sequence: 1 })
  })

  it('says that following has ended where its store is gone', async () => {
    const { store, again } = await openStore()
    const { ledger, payer } = open(store)
    const topicId = await makeTopic({ ledger, payer })
    const other = await again()
    const following = createLocalLedger({ store: other })
    await other.close()
    const reason = await new Promise((resolve) => {
      following.subscribe({ topicId, after: 0, onEntry: () => {}, onEnd: resolve })
    })
    expect(reason).toEqual(expect.stringMatching(/./))
  })
})
