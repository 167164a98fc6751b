import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LoopbackLedger, startLoopbackLedger } from '../../../test/helpers/ledger/loopback.ts'
import { createRawClient, type RawClient } from '../../../test/helpers/ledger/transactions.ts'
import { createSigner } from '../hedera/signers.ts'
import { formatId, parseId, toTransactionId } from '../protocol/names.ts'
import { Transaction, TransactionBody } from '../protocol/transactions.ts'
import { type OnEntries, startLedgerServer } from './ledger-server.ts'

const text = (message: string) => Buffer.from(message)
const ED25519 = '302e020100300506032b6570042204200000000000000000000000000000000000000000000000000000000000000007'
const ECDSA = '0x0000000000000000000000000000000000000000000000000000000000000009'

describe('the node of a served ledger', () => {
  let now = Date.now()
  let follow: OnEntries = async () => undefined
  let ledger: LoopbackLedger
  let client: RawClient

  beforeAll(async () => {
    ledger = await startLoopbackLedger({ now: () => now, onEntries: (...args) => follow(...args) })
    client = await createRawClient(ledger)
  })

  afterAll(async () => {
    client.close()
    await ledger.close()
  })

  const createTopic = async (change = {}, ...signers: Parameters<RawClient['carryOut']>[2][]) => {
    const { receipt } = await client.carryOut('createTopic', { createTopic: change }, ...signers)
    return receipt?.topic ?? expect.fail('there is no topic')
  }
  const sequenceOf = async (topic: { shard: number; realm: number; number: number }) =>
    (await ledger.store.read.ledger.getTopic({ id: formatId(topic) ?? '' }))?.sequence

  test('takes a transaction and has its receipt at once', async () => {
    const topic = await createTopic()
    const done = await client.carryOut('submitMessage', { submitMessage: { topic, message: text('one') } })
    expect(done).toMatchObject({ precheck: 'OK', status: 'SUCCESS', receipt: { sequence: 1, runningHashVersion: 3 } })
  })

  test.each([
    ['another node', { node: parseId('0.0.4') }, 'INVALID_NODE_ACCOUNT'],
    ['a payer that is not there', { id: toTransactionId(`0.0.99@${nowIn(0)}`) }, 'PAYER_ACCOUNT_NOT_FOUND'],
    ['a time that is over', { id: toTransactionId(`0.0.2@${nowIn(-121)}`) }, 'TRANSACTION_EXPIRED'],
    ['a time that is to come', { id: toTransactionId(`0.0.2@${nowIn(60)}`) }, 'INVALID_TRANSACTION_START'],
    ['too long a time', { validDuration: { seconds: 181 } }, 'INVALID_TRANSACTION_DURATION'],
    ['no time', { validDuration: { seconds: 0 } }, 'INVALID_TRANSACTION_DURATION'],
    ['no name', { id: undefined }, 'INVALID_TRANSACTION_ID'],
    [
      'a name that was derived',
      { id: { ...toTransactionId(`0.0.2@${nowIn(0)}`), nonce: 1 } },
      'INVALID_TRANSACTION_ID',
    ],
    ['too long a memo', { memo: 'ä'.repeat(51) }, 'MEMO_TOO_LONG'],
    ['fees for those who write', { createTopic: { customFees: text('x') } }, 'NOT_SUPPORTED'],
    ['a key that is none', { createTopic: { adminKey: { ed25519: text('short') } } }, 'INVALID_ADMIN_KEY'],
    ['a key that nobody has', { createTopic: { submitKey: { keyList: { keys: [] } } } }, 'INVALID_SUBMIT_KEY'],
  ])('refuses %s', async (_what, change, status) => {
    const { name: _name, ...body } = client.bodyOf({ createTopic: {}, ...change })
    expect(await client.send('createTopic', client.signed(body, client.operator))).toBe(status)
  })

  test('refuses what is no transaction, what is too large, and what belongs elsewhere', async () => {
    const { name: _name, ...body } = client.bodyOf({ createTopic: {} })
    expect(await client.send('createTopic', text('\xff\xff nothing of the kind'))).toBe('INVALID_TRANSACTION')
    expect(await client.send('createTopic', Buffer.alloc(6145))).toBe('TRANSACTION_OVERSIZE')
    expect(await client.send('submitMessage', client.signed(body, client.operator))).toBe('INVALID_TRANSACTION_BODY')
  })

  test('refuses a payer who has not signed, or has signed something else', async () => {
    const { name: _name, ...body } = client.bodyOf({ createTopic: {} })
    const stranger = await createSigner(ED25519)
    const altered = {
      publicKey: client.operator.publicKey,
      sign: () => client.operator.sign(text('something else')),
    }
    expect(await client.send('createTopic', client.signed(body))).toBe('INVALID_SIGNATURE')
    expect(await client.send('createTopic', client.signed(body, stranger))).toBe('INVALID_SIGNATURE')
    expect(await client.send('createTopic', client.signed(body, altered))).toBe('INVALID_SIGNATURE')
  })

  test('knows a key by its first bytes too', async () => {
    const short = {
      publicKey: client.operator.publicKey,
      sign: (bytes: Uint8Array) => ({ ...client.operator.sign(bytes), keyPrefix: new Uint8Array() }),
    }
    const { name: _name, ...body } = client.bodyOf({ createTopic: {} })
    expect(await client.send('createTopic', client.signed(body, short))).toBe('OK')
  })

  test('does a transaction once, also where it comes at the same time or after a restart', async () => {
    const topic = await createTopic()
    const { name, ...body } = client.bodyOf({ submitMessage: { topic, message: text('once') } })
    const bytes = client.signed(body, client.operator)
    const answers = await Promise.all([1, 2, 3].map(() => client.send('submitMessage', bytes)))
    expect(answers.toSorted()).toEqual(['DUPLICATE_TRANSACTION', 'DUPLICATE_TRANSACTION', 'OK'])
    await ledger.restart()
    // What is asked while a connection breaks is lost.
    client.close()
    client = await createRawClient(ledger)
    expect(await client.send('submitMessage', bytes)).toBe('DUPLICATE_TRANSACTION')
    expect(await client.receipt(name)).toMatchObject({ header: 'OK', status: 'SUCCESS' })
    expect(await sequenceOf(topic)).toBe(1)
  })

  test('forgets a receipt after three minutes', async () => {
    const { name } = await client.carryOut('createTopic', { createTopic: {} })
    expect((await client.receipt(name)).header).toBe('OK')
    now += 180_000
    expect(await client.receipt(name)).toMatchObject({ header: 'RECEIPT_NOT_FOUND', status: 'UNKNOWN' })
    expect((await client.receipt(ledger.ledger.newTransaction())).header).toBe('RECEIPT_NOT_FOUND')
  })

  test.each([
    ['number 0', { total: 2, number: 0 }, 'INVALID_CHUNK_NUMBER'],
    ['a number behind the last', { total: 2, number: 3 }, 'INVALID_CHUNK_NUMBER'],
    ['the first one of another transaction', { total: 2, number: 1 }, 'INVALID_CHUNK_TRANSACTION_ID'],
    ['one of another payer', { total: 2, number: 2, payer: '0.0.99' }, 'INVALID_CHUNK_TRANSACTION_ID'],
    ['a later one', { total: 2, number: 2 }, 'SUCCESS'],
  ])('looks at chunks: %s', async (_what, place, status) => {
    const { payer = '0.0.2', ...at } = place as { payer?: string; total: number; number: number }
    const initialTransaction = toTransactionId(`${payer}@${nowIn(-1)}`)
    const topic = await createTopic()
    const submitMessage = { topic, message: text('part'), chunk: { ...at, initialTransaction } }
    expect(await client.carryOut('submitMessage', { submitMessage })).toMatchObject({ precheck: 'OK', status })
  })

  test('takes chunks that share the transaction of the first, in whatever order they come', async () => {
    const topic = await createTopic()
    const first = client.bodyOf({})
    const chunk = (number: number) => ({ initialTransaction: toTransactionId(first.name), total: 2, number })
    const second = { topic, message: text('later'), chunk: chunk(2) }
    await client.carryOut('submitMessage', { submitMessage: second })
    const sooner = {
      id: toTransactionId(first.name),
      submitMessage: { topic, message: text('sooner'), chunk: chunk(1) },
    }
    const { name: _name, ...body } = client.bodyOf(sooner)
    expect(await client.send('submitMessage', client.signed(body, client.operator))).toBe('OK')
    const whole = { topicId: formatId(topic) ?? '', transaction: first.name }
    const entries = await ledger.store.read.ledger.chunksOf(whole)
    expect(entries.map(({ chunk, sequence }) => [chunk?.number, sequence])).toEqual([
      [1, 2],
      [2, 1],
    ])
  })

  test.each([
    ['nothing', { message: text('') }, { precheck: 'INVALID_TOPIC_MESSAGE' }],
    ['too much', { message: Buffer.alloc(1025) }, { precheck: 'OK', status: 'MESSAGE_SIZE_TOO_LARGE' }],
    ['to nowhere', { topic: parseId('0.0.9'), message: text('x') }, { precheck: 'OK', status: 'INVALID_TOPIC_ID' }],
  ])('refuses a message that is %s', async (_what, change, refusal) => {
    const submitMessage = { topic: await createTopic(), ...change }
    expect(await client.carryOut('submitMessage', { submitMessage })).toMatchObject(refusal)
  })

  test('wants the keys that a topic names, of either kind', async () => {
    const [edwards, koblitz] = [await createSigner(ED25519), await createSigner(ECDSA)]
    const keys = { keys: [edwards.publicKey, koblitz.publicKey] }
    const both = await createTopic({ submitKey: { keyList: keys } } as never)
    const attempt = (topic: typeof both, ...signers: (typeof edwards)[]) =>
      client.carryOut('submitMessage', { submitMessage: { topic, message: text('x') } }, ...signers)
    expect((await attempt(both, edwards)).status).toBe('INVALID_SIGNATURE')
    expect((await attempt(both, koblitz)).status).toBe('INVALID_SIGNATURE')
    expect((await attempt(both, edwards, koblitz)).status).toBe('SUCCESS')
  })

  test.each([0, 63, 65])('takes %i bytes for no signature of either kind, and nothing breaks', async (length) => {
    for (const kind of ['ed25519', 'secp256k1'] as const) {
      const { publicKey } = await createSigner(kind === 'ed25519' ? ED25519 : ECDSA)
      const bad = { publicKey, sign: () => ({ keyPrefix: new Uint8Array(), [kind]: Buffer.alloc(length) }) }
      const topic = await createTopic({ submitKey: publicKey })
      const submitMessage = { topic, message: text('x') }
      expect(await client.carryOut('submitMessage', { submitMessage }, bad)).toMatchObject({
        precheck: 'OK',
        status: 'INVALID_SIGNATURE',
      })
    }
  })

  test('takes a transaction in the older way of writing it too', async () => {
    const { name, ...body } = client.bodyOf({ createTopic: {} })
    const bytes = TransactionBody.encode(body)
    const written = Transaction.encode({ body: bytes, signatures: { pairs: [client.operator.sign(bytes)] } })
    expect(await client.send('createTopic', written)).toBe('OK')
    const path = `/api/v1/transactions/${name.replace('@', '-').replace(/\.(\d{9})$/, '-$1')}`
    const { transactions } = (await (await fetch(ledger.mirror + path)).json()) as { transactions: unknown }
    const hash = createHash('sha384').update(written).digest('base64')
    expect(transactions).toMatchObject([{ result: 'SUCCESS', transaction_hash: hash }])
  })

  test('lets nobody write to what an agent of this deployment owns', async () => {
    const owned = { memo: '', adminKey: null, submitKey: 'account:0.0.1234', payer: '0.0.1234' }
    const { topicId } = await ledger.ledger.createTopic({ ...owned, transaction: ledger.ledger.newTransaction() })
    const submitMessage = { topic: parseId(topicId), message: text('as if it were mine') }
    expect(await client.carryOut('submitMessage', { submitMessage })).toMatchObject({ status: 'INVALID_SIGNATURE' })
  })

  test('gives a topic to a new owner only where both have signed, and takes keys away', async () => {
    const [old, next] = [await createSigner(ED25519), await createSigner(ECDSA)]
    const topic = await createTopic({ adminKey: old.publicKey, submitKey: old.publicKey }, old)
    const give = { updateTopic: { topic, adminKey: next.publicKey, submitKey: { keyList: { keys: [] } } } }
    expect((await client.carryOut('updateTopic', give as never, old)).status).toBe('INVALID_SIGNATURE')
    expect((await client.carryOut('updateTopic', give as never, next)).status).toBe('INVALID_SIGNATURE')
    expect((await client.carryOut('updateTopic', give as never, old, next)).status).toBe('SUCCESS')
    const submitMessage = { topic, message: text('open to all') }
    expect((await client.carryOut('submitMessage', { submitMessage })).status).toBe('SUCCESS')
    expect((await client.carryOut('deleteTopic', { deleteTopic: { topic } }, old)).status).toBe('INVALID_SIGNATURE')
    expect((await client.carryOut('deleteTopic', { deleteTopic: { topic } }, next)).status).toBe('SUCCESS')
    expect((await client.carryOut('submitMessage', { submitMessage })).status).toBe('INVALID_TOPIC_ID')
  })

  test('changes an account only for who has its key', async () => {
    const owner = await createSigner(ED25519)
    const made = await client.carryOut('createAccount', { createAccount: { key: owner.publicKey as never } })
    const account = made.receipt?.account
    const rename = { updateAccount: { account, memo: { value: 'hcs-11:hcs://1/0.0.7' } } }
    expect((await client.carryOut('updateAccount', rename)).status).toBe('INVALID_SIGNATURE')
    expect((await client.carryOut('updateAccount', rename, owner)).status).toBe('SUCCESS')
    expect(await ledger.store.read.ledger.getAccount({ id: formatId(account) ?? '' })).toMatchObject({
      memo: 'hcs-11:hcs://1/0.0.7',
    })
    expect((await client.carryOut('createAccount', { createAccount: {} })).precheck).toBe('KEY_REQUIRED')
  })

  test('is not there where it cannot have its port', async () => {
    const { store, ledger: record } = ledger
    const { key: operatorKey = '' } = (await store.read.ledger.getAccount({ id: '0.0.2' })) ?? {}
    const ports = { node: 65_536, mirror: 0, rest: 0 }
    const context = { store, ledger: record, onEntries: follow, note: () => {} }
    const refused = expect.objectContaining({ code: 'VALUE_INVALID', next: expect.stringContaining('choose another') })
    await expect(startLedgerServer({ ...context, operatorKey, ports })).rejects.toEqual(refused)
  })

  test('stores an entry and what follows from it together, or nothing at all', async () => {
    const topic = await createTopic()
    const told: string[] = []
    follow = async (_tx, { id }, [entry]) => {
      if (entry?.sequence === 1) throw new Error('the inbox is on fire')
      return () => told.push(id)
    }
    const submitMessage = { topic, message: text('x') }
    const lost = await client.carryOut('submitMessage', { submitMessage })
    expect(lost).toMatchObject({ precheck: 'BUSY', status: 'UNKNOWN' })
    expect(await sequenceOf(topic)).toBe(0)
    expect(ledger.noted.join()).toContain('the inbox is on fire')
    follow =
      async (_tx, { id }) =>
      () =>
        told.push(id)
    expect((await client.carryOut('submitMessage', { submitMessage })).status).toBe('SUCCESS')
    expect(told).toEqual([formatId(topic)])
  })
})

function nowIn(seconds: number): string {
  return `${Math.floor(Date.now() / 1000) + seconds}.000000001`
}
