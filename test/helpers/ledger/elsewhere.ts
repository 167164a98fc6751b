import { join } from 'node:path'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { createLocalLedger, type LocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import type { EntryChunk, LedgerEntry } from '../../../src/model/ledger/entry.ts'
import { formatHcs10, type Hcs10 } from '../../../src/model/ledger/hcs10.ts'
import { formatInboundMemo, formatOutboundMemo } from '../../../src/model/ledger/memos.ts'
import { formatOperatorId } from '../../../src/model/ledger/operator.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { makeFastFolder, removeFolder } from '../temp.ts'

/** A ledger that is not a part of anybody's store, in this process: the contract without a network in between. */
export interface Elsewhere {
  /** As a deployment sees it. */
  readonly ledger: Ledger
  /** What stands behind it, for a test that looks past all faults. */
  readonly truth: LocalLedger
  /** What goes wrong; a test sets it. */
  readonly faults: ElsewhereFaults
  outsider(): Promise<Outsider>
  texts(topicId: string): Promise<string[]>
  /** Adds one entry as it is: a part of a message, in whatever order, at whatever time. */
  add(entry: RawEntry): Promise<void>
  close(): Promise<void>
}

export interface RawEntry {
  readonly topicId: string
  readonly payer: string
  readonly bytes: Uint8Array
  readonly chunk: EntryChunk | null
  readonly at?: number
}

export interface ElsewhereFaults {
  /** Called before each call, by its name. What it throws the caller gets, and nothing is done. */
  before: (call: string) => void | Promise<void>
  /** Called once it is done. What it throws the caller gets in place of the answer. */
  after: (call: string) => void | Promise<void>
  /** What a mirror makes of the entries that it shows. */
  shown: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[]
}

/** Somebody who is nobody's agent here and speaks plain HCS-10. */
export interface Outsider {
  readonly account: string
  readonly inbound: string
  readonly outbound: string
  readonly operatorId: string
  /** Writes any text to a topic, and returns its place there. */
  write(topicId: string, text: string): Promise<number>
  say(topicId: string, operation: Hcs10): Promise<number>
}

const OPERATOR = '0.0.2'
const decoder = new TextDecoder()

export interface ElsewhereOptions {
  readonly isPublic?: boolean
  /** Where it is kept, in a folder that the caller removes; a folder of its own where it is absent. */
  readonly path?: string
  readonly now?: () => number
}

export async function openElsewhere(options: ElsewhereOptions = {}): Promise<Elsewhere> {
  const folder = options.path === undefined ? makeFastFolder() : undefined
  const path = options.path ?? join(folder ?? '', 'network.db')
  const { now = Date.now } = options
  const store = await openSqliteStore({ path, now, random: Math.random })
  const truth = createLocalLedger({ store })
  const faults: ElsewhereFaults = { before: () => {}, after: () => {}, shown: (entries) => entries }
  return {
    ledger: createFaulty(truth, faults, options.isPublic ?? false),
    truth,
    faults,
    outsider: () => createOutsider(truth),
    async texts(topicId) {
      const entries = await truth.readAfter({ topicId, after: 0, limit: 1_000 })
      return entries.map(({ message }) => decoder.decode(Buffer.from(message, 'base64')))
    },
    async add({ topicId, payer, bytes, chunk, at = now() }) {
      const message = Buffer.from(bytes).toString('base64')
      await store.single((tx) =>
        tx.ledger.addEntry({ topicId, payer, message, chunk, transaction: null, isSigned: true, now: at }),
      )
    },
    async close() {
      await truth.close()
      await store.close()
      if (folder !== undefined) removeFolder(folder)
    },
  }
}

function createFaulty(truth: LocalLedger, faults: ElsewhereFaults, isPublic: boolean): Ledger {
  async function through<T>(call: string, run: () => Promise<T>): Promise<T> {
    await faults.before(call)
    const answer = await run()
    await faults.after(call)
    return answer
  }
  return {
    kind: 'hedera',
    network: 'testnet',
    isPublic,
    operator: OPERATOR,
    within: undefined,
    newTransaction: (account = OPERATOR) => truth.newTransaction(account),
    createTopic: (params) => through('createTopic', () => truth.createTopic(params)),
    submit: (params) => through('submit', () => truth.submit(params)),
    setAccountMemo: (params) => through('setAccountMemo', () => truth.setAccountMemo(params)),
    outcome: (transaction) => through('outcome', () => truth.outcome(transaction)),
    topic: (id) => through('topic', () => truth.topic(id)),
    account: (id) => through('account', () => truth.account(id)),
    readAfter: (params) => through('readAfter', async () => faults.shown(await truth.readAfter(params))),
    subscribe: (params) => truth.subscribe(params),
    close: async () => {},
  }
}

let outsiders = 500_000

async function createOutsider(truth: LocalLedger): Promise<Outsider> {
  const account = `0.0.${++outsiders}`
  const topic = (memo: string, submitKey: string | null) =>
    truth.createTopic({
      memo,
      adminKey: null,
      submitKey,
      payer: account,
      transaction: truth.newTransaction(account),
    })
  const { topicId: inbound } = await topic(formatInboundMemo(account), null)
  const { topicId: outbound } = await topic(formatOutboundMemo(), `account:${account}`)
  async function write(topicId: string, text: string): Promise<number> {
    const message = new TextEncoder().encode(text)
    const transaction = truth.newTransaction(account)
    return (await truth.submit({ topicId, message, payer: account, memo: '', mayChunk: true, transaction })).sequence
  }
  return {
    account,
    inbound,
    outbound,
    operatorId: formatOperatorId({ inboundTopicId: inbound, account }),
    write,
    say: (topicId, operation) => write(topicId, formatHcs10(operation)),
  }
}
