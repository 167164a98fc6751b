import { expect, it } from 'vitest'
import { runningHash } from '../../../src/kit/node/running-hash.ts'
import type { LedgerConnection } from '../../../src/model/ledger/connection.ts'
import type { LedgerEntry } from '../../../src/model/ledger/entry.ts'
import type { LedgerIdentity } from '../../../src/model/ledger/identity.ts'
import type { LedgerParcel } from '../../../src/model/ledger/parcel.ts'
import { GENESIS_HASH, type LedgerTopic } from '../../../src/model/ledger/topic.ts'
import type { LedgerShelf, Store } from '../../../src/store/store.ts'
import { addAgent, messageTo } from '../../helpers/shelf-things.ts'
import { onBothEngines } from './stores.ts'

const NOW = 1_800_000_000_000
const DAY_MS = 86_400_000

const TOPIC: LedgerTopic = {
  id: '0.0.5001',
  network: 'testnet',
  role: 'inbound',
  agent: 'quinn',
  entity: null,
  memo: 'hcs-10:0:3600:0:0.0.5',
  adminKey: 'account:0.0.5',
  submitKey: null,
  sequence: 0,
  runningHash: GENESIS_HASH,
  consensusAt: null,
  takenIn: 0,
  trouble: null,
  createdAt: NOW,
  deletedAt: null,
}

const PARCEL: LedgerParcel = {
  id: 'par_01',
  network: 'testnet',
  purpose: 'message',
  about: 'quinn',
  lane: '0.0.5001',
  payer: '0.0.5',
  steps: [{ kind: 'submission', topicId: '0.0.5001', text: '{"p":"hcs-10"}', memo: 'hcs-10:op:6:1', mayChunk: false }],
  price: 800_000,
  message: null,
  done: 0,
  made: {},
  sequence: null,
  transaction: null,
  attempts: 0,
  nextAt: NOW,
  state: 'waiting',
  error: null,
  createdAt: NOW,
  doneAt: null,
}

const CONNECTION: LedgerConnection = {
  id: 'con_01',
  network: 'testnet',
  agent: 'quinn',
  isIncoming: true,
  peerAccount: '0.0.77',
  peerInboundTopicId: '0.0.78',
  peerOutboundTopicId: null,
  requestTopicId: '0.0.5001',
  requestId: 3,
  topicId: null,
  state: 'requested',
  reason: null,
  createdAt: NOW,
  closedAt: null,
}

const IDENTITY: LedgerIdentity = {
  network: 'testnet',
  agent: 'quinn',
  account: '0.0.5',
  inboundTopicId: '0.0.5001',
  outboundTopicId: '0.0.5002',
  capabilities: [4, 16],
  model: null,
  bio: 'Tests things.',
  profileTopicId: null,
  uaid: null,
  updatedAt: NOW,
}

function entriesOf(topicId: string, count: number): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (let sequence = 1; sequence <= count; sequence++) {
    const message = Buffer.from(`number ${sequence}`).toString('base64')
    const chunk = sequence > 3 ? { transaction: '0.0.5@1.000000001', number: sequence - 3, total: 2 } : null
    const content = { topicId, sequence, consensusAt: `180000000${sequence}.000000001`, payer: '0.0.5', message }
    entries.push({ ...content, chunk, runningHash: runningHash(entries.at(-1)?.runningHash ?? GENESIS_HASH, content) })
  }
  return entries
}

onBothEngines('the ledger shelf', (open) => {
  const opened = async () => {
    const { store } = await open()
    const write = <T>(call: (shelf: LedgerShelf) => Promise<T>) => store.transact((tx) => call(tx.ledger))
    return { store, read: store.read.ledger, write }
  }

  it('counts numbers of topics and accounts up, for many at once', async () => {
    const { write } = await opened()
    const numbers = await Promise.all(Array.from({ length: 20 }, () => write((shelf) => shelf.nextNumber())))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => 1001 + at))
  })

  it('gives topics back as they were put there, by their numbers and as they are asked for', async () => {
    const { read, write } = await opened()
    const topics = [
      { ...TOPIC, id: '0.0.10000', role: 'outbound' as const, submitKey: 'account:0.0.5' },
      TOPIC,
      { ...TOPIC, id: '0.0.5002', role: 'work' as const, agent: null, entity: 'task:PROJ-12' },
      { ...TOPIC, id: '0.0.1', network: 'local' },
    ]
    for (const topic of topics) await write((shelf) => shelf.insertTopic(topic))
    const [outbound, inbound, work, local] = topics
    expect(await read.listTopics({ network: 'testnet' })).toEqual([inbound, work, outbound])
    expect(await read.listTopics({ network: 'local' })).toEqual([local])
    expect(await read.listTopics({ network: 'testnet', agent: 'quinn', role: 'outbound' })).toEqual([outbound])
    expect(await read.listTopics({ network: 'testnet', entity: 'task:PROJ-12' })).toEqual([work])
    expect(await read.getTopic({ id: '0.0.2' })).toBeUndefined()
    await write(async (shelf) => {
      expect(await shelf.lockTopic({ id: TOPIC.id })).toEqual(TOPIC)
      await shelf.updateTopic({ id: TOPIC.id, memo: 'new', adminKey: null, submitKey: 'key:ab', deletedAt: NOW })
      await shelf.setTakenIn({ topicId: TOPIC.id, sequence: 7 })
      await shelf.setTrouble({ topicId: TOPIC.id, trouble: 'gap at 8' })
    })
    const changed = {
      memo: 'new',
      adminKey: null,
      submitKey: 'key:ab',
      deletedAt: NOW,
      takenIn: 7,
      trouble: 'gap at 8',
    }
    expect(await read.getTopic({ id: TOPIC.id })).toEqual({ ...TOPIC, ...changed })
  })

  it('takes no topic whose number another ledger has given in the same store', async () => {
    const { read, write } = await opened()
    await write((shelf) => shelf.insertTopic(TOPIC))
    const strange = write((shelf) => shelf.insertTopic({ ...TOPIC, network: 'local' }))
    await expect(strange).rejects.toMatchObject({ code: 'LEDGER_CONFIG_INVALID', details: { network: 'local' } })
    expect(await read.getTopic({ id: TOPIC.id })).toEqual(TOPIC)
  })

  it('adds entries of others once, and moves the head only forward', async () => {
    const { read, write } = await opened()
    const entries = entriesOf(TOPIC.id, 5)
    await write((shelf) => shelf.insertTopic(TOPIC))
    await write((shelf) => shelf.append({ topicId: TOPIC.id, entries: entries.slice(0, 3) }))
    await write((shelf) => shelf.append({ topicId: TOPIC.id, entries: entries.slice(1) }))
    await write((shelf) => shelf.append({ topicId: TOPIC.id, entries: entries.slice(0, 2) }))
    await write((shelf) => shelf.append({ topicId: TOPIC.id, entries: [] }))
    expect(await read.entriesAfter({ topicId: TOPIC.id, after: 0, limit: 10 })).toEqual(entries)
    expect(await read.entriesAfter({ topicId: TOPIC.id, after: 2, limit: 2 })).toEqual(entries.slice(2, 4))
    expect(await read.getEntry({ topicId: TOPIC.id, sequence: 2 })).toEqual(entries[1])
    expect(await read.entryAt({ consensusAt: '1800000003.000000001' })).toEqual(entries[2])
    const chunks = { topicId: TOPIC.id, transaction: '0.0.5@1.000000001' }
    expect(await read.chunksOf(chunks)).toEqual(entries.slice(3))
    expect(await read.chunksOf({ ...chunks, transaction: '0.0.5@1.000000002' })).toEqual([])
    const { sequence, runningHash: hash, consensusAt } = (await read.getTopic({ id: TOPIC.id })) ?? TOPIC
    expect([sequence, hash, consensusAt]).toEqual([5, entries[4]?.runningHash, entries[4]?.consensusAt])
  })

  it('keeps who is who, on each network apart', async () => {
    const { read, write } = await opened()
    await write((shelf) => shelf.putIdentity(IDENTITY))
    await write((shelf) => shelf.putIdentity({ ...IDENTITY, network: 'local', account: '0.0.1001' }))
    const changed = { ...IDENTITY, capabilities: [0], model: 'm', profileTopicId: '0.0.9', uaid: 'uaid:aid:x' }
    await write((shelf) => shelf.putIdentity(changed))
    expect(await read.identityOf({ network: 'testnet', agent: 'quinn' })).toEqual(changed)
    expect(await read.identityOf({ network: 'testnet', agent: 'olga' })).toBeUndefined()
    expect(await read.identities({ network: 'local' })).toMatchObject([{ account: '0.0.1001' }])
    const account = { id: '0.0.2000', memo: '', key: '1220ab', createdAt: NOW }
    await write((shelf) => shelf.putAccount(account))
    await write((shelf) => shelf.putAccount({ ...account, memo: 'm', createdAt: NOW + 1 }))
    expect(await read.getAccount({ id: '0.0.2000' })).toEqual({ ...account, memo: 'm' })
  })

  it('finds connections by their topic and by their request', async () => {
    const { read, write } = await opened()
    const outgoing = { ...CONNECTION, id: 'con_02', agent: 'olga', isIncoming: false, requestId: null }
    await write((shelf) => shelf.putConnection(CONNECTION))
    await write((shelf) => shelf.putConnection(outgoing))
    const accepted = { ...CONNECTION, topicId: '0.0.90', state: 'open' as const, peerOutboundTopicId: '0.0.79' }
    await write((shelf) => shelf.putConnection(accepted))
    expect(await read.getConnection({ id: 'con_01' })).toEqual(accepted)
    expect(await read.connectionOn({ network: 'testnet', topicId: '0.0.90' })).toEqual(accepted)
    expect(await read.connectionOn({ network: 'local', topicId: '0.0.90' })).toBeUndefined()
    const request = { network: 'testnet', inboundTopicId: '0.0.5001', requestId: 3 }
    expect(await read.connectionOf(request)).toEqual(accepted)
    expect(await read.connections({ network: 'testnet' })).toEqual([accepted, outgoing])
    expect(await read.connections({ network: 'testnet', agent: 'olga' })).toEqual([outgoing])
  })

  it('finds parcels whose message was not looked for yet, though their entry was given up', async () => {
    const { read, write } = await opened()
    const carrying = (id: string) => ({ ...PARCEL, id, message: messageTo(['quinn']) })
    const waiting = carrying('par_02')
    const published = { ...carrying('par_03'), state: 'published' as const }
    const dropped = { ...carrying('par_04'), state: 'dropped' as const }
    const atOnce = { ...carrying('par_05'), state: 'published' as const, doneAt: NOW }
    for (const parcel of [PARCEL, waiting, published, dropped, atOnce])
      await write((shelf) => shelf.insertParcel(parcel))
    const late = { network: PARCEL.network, before: NOW, limit: 10 }
    expect(await read.lateParcels(late)).toEqual([waiting, published, dropped])
    expect(await read.lateParcels({ ...late, limit: 1 })).toEqual([waiting])
    expect(await read.lateParcels({ ...late, network: 'mainnet' })).toEqual([])
    expect(await read.lateParcels({ ...late, before: NOW - 1 })).toEqual([])
    await write((shelf) => shelf.setAwaited({ id: waiting.id, since: null }))
    await write((shelf) => shelf.setAwaited({ id: published.id, since: NOW + 1 }))
    await write((shelf) => shelf.updateParcel({ ...waiting, attempts: 1 }))
    expect(await read.lateParcels(late)).toEqual([dropped])
    expect(await read.lateParcels({ ...late, before: NOW + 1 })).toEqual([dropped, published])
  })

  it('has parcels due in the order of their lanes: none before an earlier one of its lane', async () => {
    const { read, write } = await opened()
    const second = { ...PARCEL, id: 'par_02' }
    const elsewhere = { ...PARCEL, id: 'par_03', lane: '0.0.6' }
    const later = { ...PARCEL, id: 'par_04', lane: '0.0.7', nextAt: NOW + 1 }
    for (const parcel of [PARCEL, second, elsewhere, later]) await write((shelf) => shelf.insertParcel(parcel))
    const due = { network: PARCEL.network, now: NOW, limit: 10 }
    expect(await read.dueParcels(due)).toEqual([PARCEL, elsewhere])
    expect(await read.dueParcels({ ...due, network: 'mainnet' })).toEqual([])
    expect(await read.dueParcels({ ...due, limit: 1 })).toEqual([PARCEL])
    expect(await read.openParcels({ lane: PARCEL.lane })).toEqual([PARCEL, second])
    const sent = { ...PARCEL, transaction: '0.0.5@1.000000001', attempts: 1, nextAt: NOW + 60_000 }
    await write(async (shelf) => {
      expect(await shelf.lockParcel({ id: PARCEL.id })).toEqual(PARCEL)
      await shelf.updateParcel(sent)
    })
    expect(await read.dueParcels(due)).toEqual([elsewhere])
    const refused = { ...sent, state: 'refused' as const, error: 'INVALID_TOPIC_ID' }
    await write((shelf) => shelf.updateParcel(refused))
    expect(await read.dueParcels(due)).toEqual([second, elsewhere])
    expect(await read.openParcels({ lane: PARCEL.lane })).toEqual([refused, second])
    expect(await read.countParcels({ state: 'refused' })).toBe(1)
    expect(await read.listParcels({ limit: 3 })).toEqual([later, elsewhere, second])
    expect(await read.listParcels({ state: 'refused', limit: 3 })).toEqual([refused])
  })

  it('finds a parcel by the message that it carries, whole', async () => {
    const { read, write } = await opened()
    const message = messageTo(['quinn'])
    const parcel = { ...PARCEL, message, made: { file: '0.0.9' } }
    await write((shelf) => shelf.insertParcel(parcel))
    expect(await read.parcelOfMessage({ messageId: message.id })).toEqual(parcel)
    expect(await read.parcelOfMessage({ messageId: 'msg_none' })).toBeUndefined()
  })

  it('keeps a text by its hash, once', async () => {
    const { read, write } = await opened()
    const sha256 = 'ab'.repeat(32)
    expect(await read.bodyOf({ sha256 })).toBeUndefined()
    for (const createdAt of [NOW, NOW + 1])
      await write((shelf) => shelf.putBody({ sha256, text: 'wörds\n', createdAt }))
    expect(await read.bodyOf({ sha256 })).toBe('wörds\n')
  })

  it('keeps a parcel as long as the message that it carries', async () => {
    const { store, read, write } = await opened()
    const done = { state: 'published', doneAt: NOW - DAY_MS } as const
    const [first, second] = ['par_01', 'par_02'].map((id) => ({
      ...PARCEL,
      id,
      ...done,
      message: messageTo(['quinn']),
    }))
    for (const parcel of [first, second]) await write((shelf) => shelf.insertParcel(parcel ?? expect.fail()))
    await store.transact(async (tx) => {
      await addAgent(tx, 'quinn')
      await tx.messages.push({ items: [{ message: first?.message ?? expect.fail(), held: [] }], pendingLimit: 10 })
    })
    expect(await write((shelf) => shelf.reapParcels({ before: NOW, limit: 10 }))).toBe(1)
    expect((await read.listParcels({ limit: 9 })).map(({ id }) => id)).toEqual(['par_01'])
  })

  it('adds up what was spent, and what is on its way', async () => {
    const { read, write } = await opened()
    const parcels: LedgerParcel[] = [
      { ...PARCEL, id: 'par_01', price: 1 },
      { ...PARCEL, id: 'par_02', price: 10, state: 'published', doneAt: NOW },
      { ...PARCEL, id: 'par_03', price: 100, state: 'dropped', doneAt: NOW },
      { ...PARCEL, id: 'par_04', price: 1_000, state: 'dropped', done: 1, doneAt: NOW },
      { ...PARCEL, id: 'par_05', price: 10_000, createdAt: NOW - 1 },
      { ...PARCEL, id: 'par_06', price: 100_000, network: 'mainnet' },
    ]
    for (const parcel of parcels) await write((shelf) => shelf.insertParcel(parcel))
    expect(await read.spentSince({ network: 'testnet', since: NOW })).toBe(1_011)
    expect(await read.spentSince({ network: 'previewnet', since: NOW })).toBe(0)
  })

  it('forgets parcels that are done with, and transactions, after a while', async () => {
    const { read, write } = await opened()
    const old = { state: 'published', doneAt: NOW - DAY_MS } as const
    const parcels: LedgerParcel[] = [
      { ...PARCEL, id: 'par_01', createdAt: NOW - DAY_MS },
      { ...PARCEL, id: 'par_02', ...old },
      { ...PARCEL, id: 'par_03', ...old },
      { ...PARCEL, id: 'par_04', ...old, doneAt: NOW },
    ]
    for (const parcel of parcels) await write((shelf) => shelf.insertParcel(parcel))
    expect(await write((shelf) => shelf.reapParcels({ before: NOW, limit: 1 }))).toBe(1)
    expect(await write((shelf) => shelf.reapParcels({ before: NOW, limit: 10 }))).toBe(1)
    expect((await read.listParcels({ limit: 9 })).map(({ id }) => id)).toEqual(['par_04', 'par_01'])
    await transactionsAreForgotten(read, write)
  })
})

type Write = <T>(call: (shelf: LedgerShelf) => Promise<T>) => Promise<T>

async function transactionsAreForgotten(read: Store['read']['ledger'], write: Write): Promise<void> {
  const made = { topicId: '0.0.1', account: null, sequence: null, runningHash: null, receipt: null }
  const [first, second] = [
    { ...made, id: '0.0.2@1.000000001', createdAt: NOW - 1 },
    { ...made, id: '0.0.2@1.000000002', createdAt: NOW },
  ]
  for (const one of [first, second]) await write((shelf) => shelf.putTransaction(one))
  expect(await read.getTransaction({ id: first.id })).toEqual(first)
  expect(await write((shelf) => shelf.reapTransactions({ before: NOW, limit: 10 }))).toBe(1)
  expect(await read.getTransaction({ id: first.id })).toBeUndefined()
  expect(await read.getTransaction({ id: second.id })).toEqual(second)
}
