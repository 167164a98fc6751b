import { join } from 'node:path'
import { createLocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import type { LedgerConnection } from '../../../src/model/ledger/connection.ts'
import type { LedgerParcel } from '../../../src/model/ledger/parcel.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Shelves } from '../../../src/store/store.ts'

const ACCOUNT = '0.0.424242'
let made = 0

/** The inbound topic of somebody who is no agent of this home. */
export async function outsidersTopic(home: string): Promise<string> {
  const store = await openAt(home)
  const ledger = createLocalLedger({ store })
  const transaction = ledger.newTransaction()
  const memo = `hcs-10:0:3600:0:${ACCOUNT}`
  const { topicId } = await ledger.createTopic({ memo, adminKey: null, submitKey: null, payer: '0.0.2', transaction })
  await ledger.close()
  await store.close()
  return topicId
}

/** What an outsider has asked quinn for. */
export async function askedOfQuinn(postern: Postern, home: string): Promise<LedgerConnection> {
  const [quinn] = (await postern.ledger.setup({ agents: ['quinn'] })).agents
  const peerInboundTopicId = await outsidersTopic(home)
  const connection: LedgerConnection = {
    id: `con_${++made}`,
    network: 'local',
    agent: 'quinn',
    isIncoming: true,
    peerAccount: ACCOUNT,
    peerInboundTopicId,
    peerOutboundTopicId: null,
    requestTopicId: quinn?.inboundTopicId ?? '',
    requestId: made,
    topicId: null,
    state: 'requested',
    reason: null,
    createdAt: Date.now(),
    closedAt: null,
  }
  await write(home, (tx) => tx.ledger.putConnection(connection))
  return connection
}

/** What waits to be published, as on a ledger that is not a part of the store. */
export async function waitingParcel(home: string): Promise<LedgerParcel> {
  const parcel: LedgerParcel = {
    id: `par_${++made}`,
    network: 'local',
    purpose: 'message',
    about: 'quinn',
    lane: '0.0.5001',
    payer: '0.0.2',
    steps: [{ kind: 'submission', topicId: '0.0.5001', text: '{}', memo: '', mayChunk: false }],
    price: 0,
    message: null,
    done: 0,
    made: {},
    sequence: null,
    transaction: null,
    attempts: 1,
    nextAt: Date.now(),
    state: 'waiting',
    error: 'nobody answers',
    createdAt: Date.now(),
    doneAt: null,
  }
  await write(home, (tx) => tx.ledger.insertParcel(parcel))
  return parcel
}

async function write(home: string, change: (tx: Shelves) => Promise<unknown>): Promise<void> {
  const store = await openAt(home)
  await store.transact(async (tx) => void (await change(tx)))
  await store.close()
}

function openAt(home: string) {
  return openSqliteStore({ path: join(home, 'postern.db'), now: Date.now, random: Math.random })
}
