import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runningHash } from '../../src/kit/node/running-hash.ts'
import { GENESIS_HASH } from '../../src/model/ledger/topic.ts'
import { posternJson } from '../helpers/command.ts'
import { type LedgerServeProcess, startLedgerServe } from '../helpers/ledger/serve-process.ts'
import { makeTemporaryFolder, removeFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/verifies.ts'
import { carryOut, connectSdk, loadSdk, NEEDS_SDK, operatorKey, refusalOf, type Sdk } from './sdk.ts'

describe('the unmodified SDK of Hedera at "postern ledger serve"', NEEDS_SDK, () => {
  let home: string
  let served: LedgerServeProcess
  let sdk: Sdk
  let client: Sdk

  beforeAll(async () => {
    home = makeTemporaryFolder()
    sdk = await loadSdk()
    served = await startLedgerServe(home)
    client = connectSdk(sdk, served)
  })

  afterAll(async () => {
    client?.close()
    await served?.stop()
    removeFolder(home)
  })

  const createTopic = async (change: (transaction: Sdk) => void = () => {}, ...signers: Sdk[]) => {
    const transaction = new sdk.TopicCreateTransaction()
    change(transaction)
    return (await carryOut(client, transaction, ...signers)).topicId
  }
  const submit = (topicId: Sdk, message: string, ...signers: Sdk[]) =>
    carryOut(client, new sdk.TopicMessageSubmitTransaction({ topicId, message }), ...signers)
  const ask = async (path: string): Promise<Sdk> => (await fetch(served.mirror + path)).json()
  const messagesOf = async (topicId: Sdk) => (await ask(`/api/v1/topics/${topicId}/messages?limit=100`)).messages

  test('says that there is no public consensus', () => {
    expect(served.ledger).toEqual({ kind: 'local', network: 'local', public_consensus: false })
  })

  test('creates a topic that is open to everybody, and shows it', async () => {
    verifies('S003.sdk')
    const topicId = await createTopic((transaction) => transaction.setTopicMemo('for all'))
    const info = await new sdk.TopicInfoQuery().setTopicId(topicId).execute(client)
    expect(info).toMatchObject({ topicMemo: 'for all', adminKey: null, submitKey: null })
    expect(info.sequenceNumber.toNumber()).toBe(0)
  })

  test('creates a topic with keys, and shows them', async () => {
    const [admin, writer] = [sdk.PrivateKey.generateED25519(), sdk.PrivateKey.generateECDSA()]
    const keys = (transaction: Sdk) => transaction.setAdminKey(admin.publicKey).setSubmitKey(writer.publicKey)
    const topicId = await createTopic(keys, admin)
    const info = await new sdk.TopicInfoQuery().setTopicId(topicId).execute(client)
    expect(info.adminKey.toString()).toBe(admin.publicKey.toString())
    expect(info.submitKey.toString()).toBe(writer.publicKey.toString())
  })

  test('refuses a topic whose owner has not signed', async () => {
    const keyed = createTopic((transaction) => transaction.setAdminKey(sdk.PrivateKey.generateED25519().publicKey))
    expect(await refusalOf(keyed)).toBe('INVALID_SIGNATURE')
  })

  test('submits messages whose receipts name their places and running hashes', async () => {
    const topicId = await createTopic()
    const receipts = [await submit(topicId, 'one'), await submit(topicId, 'two')]
    expect(receipts.map((receipt) => receipt.topicSequenceNumber.toNumber())).toEqual([1, 2])
    let hash = GENESIS_HASH
    for (const [at, entry] of (await messagesOf(topicId)).entries()) {
      const { sequence_number: sequence, consensus_timestamp: consensusAt, message, payer_account_id: payer } = entry
      hash = runningHash(hash, { topicId: String(topicId), sequence, consensusAt, payer, message })
      expect(Buffer.from(receipts[at].topicRunningHash).toString('hex')).toBe(hash)
    }
  })

  test('shows a record of what was submitted', async () => {
    const message = new sdk.TopicMessageSubmitTransaction({ topicId: await createTopic(), message: 'noted' })
    const record = await (await message.setTransactionMemo('hcs-10:op:6:3').execute(client)).getRecord(client)
    expect(record.transactionMemo).toBe('hcs-10:op:6:3')
    expect(record.receipt.topicSequenceNumber.toNumber()).toBe(1)
  })

  test('submits a long message as chunks, which a subscription puts together', async () => {
    verifies('S003.sdk')
    const topicId = await createTopic()
    const long = 'ä long message '.repeat(200)
    await submit(topicId, long)
    const [message] = await received(topicId, 1)
    expect(Buffer.from(message.contents).toString()).toBe(long)
    const chunks = (await messagesOf(topicId)).map((entry: Sdk) => entry.chunk_info)
    expect(chunks).toHaveLength(Math.ceil(Buffer.byteLength(long) / 1024))
    expect(new Set(chunks.map((chunk: Sdk) => JSON.stringify(chunk.initial_transaction_id))).size).toBe(1)
  })

  test('subscribes to what there is and to what comes', async () => {
    verifies('S003.sdk')
    const topicId = await createTopic()
    await submit(topicId, 'before')
    const all = received(topicId, 3)
    await submit(topicId, 'after')
    await submit(topicId, 'at last')
    expect((await all).map((message) => Buffer.from(message.contents).toString())).toEqual([
      'before',
      'after',
      'at last',
    ])
  })

  test('hears what another process writes to the same ledger', async () => {
    await posternJson({ home }, 'agent', 'add', 'quinn', '--kind', 'ai')
    const send = (subject: string) => posternJson({ home }, 'message', 'send', 'quinn', '--subject', subject, 'text')
    await send('first')
    const topics = await posternJson<Sdk>({ home }, 'ledger', 'topics', '--of', 'quinn', '--role', 'inbound')
    const heard = received(sdk.TopicId.fromString(topics.items[0].id), 2)
    await send('second')
    const messages = (await heard).map(({ contents }) => JSON.parse(Buffer.from(contents).toString()))
    expect(messages.map(({ data }) => JSON.parse(data).subject)).toEqual(['first', 'second'])
  })

  test('refuses a payer with the wrong key', async () => {
    verifies('S003.sdk')
    const topicId = await createTopic()
    const wrong = connectSdk(sdk, served).setOperator(served.operator.account, sdk.PrivateKey.generateED25519())
    const message = new sdk.TopicMessageSubmitTransaction({ topicId, message: 'mine?' })
    expect(await refusalOf(message.execute(wrong))).toBe('INVALID_SIGNATURE')
    wrong.close()
    expect(await messagesOf(topicId)).toEqual([])
  })

  test('refuses a message without the key that may submit, and takes it from one of two who may', async () => {
    const [one, other] = [sdk.PrivateKey.generateED25519(), sdk.PrivateKey.generateECDSA()]
    const either = new sdk.KeyList([one.publicKey, other.publicKey], 1)
    const topicId = await createTopic((transaction) => transaction.setSubmitKey(either))
    expect(await refusalOf(submit(topicId, 'neither'))).toBe('INVALID_SIGNATURE')
    await submit(topicId, 'one', one)
    await submit(topicId, 'other', other)
    expect(await messagesOf(topicId)).toHaveLength(2)
  })

  test('does nothing for a transaction that comes again', async () => {
    const topicId = await createTopic()
    const message = new sdk.TopicMessageSubmitTransaction({ topicId, message: 'once' }).freezeWith(client)
    await (await message.execute(client)).getReceipt(client)
    const again = sdk.Transaction.fromBytes(message.toBytes())
    expect(await refusalOf(again.execute(client))).toBe('DUPLICATE_TRANSACTION')
    expect(await messagesOf(topicId)).toHaveLength(1)
  })

  test('refuses what is too long', async () => {
    const topicId = await createTopic()
    const large = new sdk.TopicMessageSubmitTransaction({ topicId, message: 'x'.repeat(1025) }).setChunkSize(2000)
    expect(await refusalOf(carryOut(client, large))).toBe('MESSAGE_SIZE_TOO_LARGE')
    expect(await refusalOf(createTopic((transaction) => transaction.setTopicMemo('m'.repeat(101))))).toBe(
      'MEMO_TOO_LONG',
    )
  })

  test('changes and deletes a topic for its owner alone', async () => {
    const admin = sdk.PrivateKey.generateED25519()
    const topicId = await createTopic((transaction) => transaction.setAdminKey(admin.publicKey), admin)
    const rename = () => new sdk.TopicUpdateTransaction().setTopicId(topicId).setTopicMemo('renamed')
    expect(await refusalOf(carryOut(client, rename()))).toBe('INVALID_SIGNATURE')
    await carryOut(client, rename(), admin)
    const info = await new sdk.TopicInfoQuery().setTopicId(topicId).execute(client)
    expect(info.topicMemo).toBe('renamed')
    await carryOut(client, new sdk.TopicDeleteTransaction().setTopicId(topicId), admin)
    expect(await refusalOf(submit(topicId, 'too late'))).toBe('INVALID_TOPIC_ID')
    const ownerless = new sdk.TopicDeleteTransaction().setTopicId(await createTopic())
    expect(await refusalOf(carryOut(client, ownerless))).toBe('UNAUTHORIZED')
  })

  test('makes an account that pays for itself', async () => {
    const key = sdk.PrivateKey.generateECDSA()
    const created = new sdk.AccountCreateTransaction().setKeyWithoutAlias(key.publicKey).setAccountMemo('hcs-11:…')
    const { accountId } = await carryOut(client, created)
    const theirs = connectSdk(sdk, served).setOperator(accountId, key)
    const topicId = (await carryOut(theirs, new sdk.TopicCreateTransaction())).topicId
    await carryOut(theirs, new sdk.TopicMessageSubmitTransaction({ topicId, message: 'mine' }))
    expect((await messagesOf(topicId))[0].payer_account_id).toBe(String(accountId))
    expect((await new sdk.AccountInfoQuery().setAccountId(accountId).execute(theirs)).accountMemo).toBe('hcs-11:…')
    const balance = await new sdk.AccountBalanceQuery().setAccountId(accountId).execute(theirs)
    expect(balance.hbars.toTinybars().toNumber()).toBeGreaterThan(0)
    theirs.close()
  })

  test('serves a client that was made for a node on this machine', async () => {
    const local = sdk.Client.forLocalNode({ scheduleNetworkUpdate: false })
    local.setNetwork(served.nodes)
    local.setMirrorNetwork([served.mirrorGrpc])
    local.setOperator(served.operator.account, operatorKey(sdk, served))
    const { topicId } = await carryOut(local, new sdk.TopicCreateTransaction())
    await carryOut(local, new sdk.TopicMessageSubmitTransaction({ topicId, message: 'here' }))
    expect(await messagesOf(topicId)).toHaveLength(1)
    local.close()
  })

  test('brings what an outsider asks of an agent into its inbox at once', async () => {
    await posternJson({ home }, 'agent', 'add', 'mindy', '--kind', 'ai')
    await posternJson({ home }, 'message', 'send', 'mindy', '--subject', 'so that there are topics', 'text')
    const topics = await posternJson<Sdk>({ home }, 'ledger', 'topics', '--of', 'mindy', '--role', 'inbound')
    const request = { p: 'hcs-10', op: 'connection_request', operator_id: `0.0.9@${served.operator.account}`, m: 'Hi' }
    await submit(sdk.TopicId.fromString(topics.items[0].id), JSON.stringify(request))
    const inbox = await posternJson<Sdk>({ home }, 'inbox', 'list', '--agent', 'mindy')
    expect(inbox.items.map((item: Sdk) => item.type)).toContain('ledger.connection_request')
  })

  test('finds the node through the address book of the mirror', async () => {
    const book = await new sdk.AddressBookQuery().setFileId(sdk.FileId.ADDRESS_BOOK).execute(client)
    const [node] = book.nodeAddresses
    expect(String(node.accountId)).toBe('0.0.3')
    const [address] = Object.keys(served.nodes)
    expect(node.addresses.map(String)).toEqual([address])
  })

  /** The first so many messages of a topic, from its beginning on. */
  function received(topicId: Sdk, count: number): Promise<Sdk[]> {
    return new Promise((resolve, reject) => {
      const messages: Sdk[] = []
      const subscription = new sdk.TopicMessageQuery()
        .setTopicId(topicId)
        .setStartTime(0)
        .subscribe(
          client,
          (_message: Sdk, error: Error) => reject(error),
          (message: Sdk) => {
            messages.push(message)
            if (messages.length < count) return
            subscription.unsubscribe()
            resolve(messages)
          },
        )
    })
  }
})
