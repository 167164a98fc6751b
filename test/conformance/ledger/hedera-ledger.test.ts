import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LEDGER } from '../../../src/host/config/ledger.ts'
import { type HederaOptions, openHederaLedger } from '../../../src/ledger/hedera/hedera-ledger.ts'
import { createSigner } from '../../../src/ledger/hedera/signers.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { Key } from '../../../src/ledger/protocol/basics.ts'
import { formatAccountKey } from '../../../src/model/ledger/topic-key.ts'
import { configWith } from '../../helpers/config-with.ts'
import { type LoopbackLedger, startLoopbackLedger } from '../../helpers/ledger/loopback.ts'
import { createSignal } from '../../helpers/signal.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { ledgerContract, makeTopic, readAll, submit } from './contract.ts'

const ECDSA_KEY = `0x${'46'.repeat(32)}`
const ECDSA_ACCOUNT = '0.0.77'
const SHORT = { callMs: 2_000, patienceMs: 2_000, minWaitMs: 5, maxWaitMs: 50 }

interface HederaWorld {
  readonly network: LoopbackLedger
  readonly ledger: Ledger
  readonly payer: string
}

/** A network of the test's own, and a ledger that was set as a configuration sets it. */
async function openWorld(more: Partial<HederaOptions> = {}): Promise<HederaWorld> {
  const network = await startLoopbackLedger()
  const { account, keyFile } = network.operator
  const keyOfQuinn = join(temporaryFolder(), 'quinn.key')
  writeFileSync(keyOfQuinn, ECDSA_KEY, { mode: 0o600 })
  const { hedera } = configWith({
    ledger: {
      network: 'loopback',
      operator: account,
      keyFile,
      nodes: network.nodes,
      mirror: network.mirror,
      mirrorGrpc: network.mirrorGrpc,
      accounts: { quinn: { id: ECDSA_ACCOUNT, keyFile: keyOfQuinn } },
    },
  }).get(LEDGER)
  if (!hedera) throw new Error('a network that is not local was asked for')
  const ledger = openHederaLedger({ ...hedera, ...more })
  onTestFinished(async () => {
    await ledger.close()
    await network.close()
  })
  return { network, ledger, payer: account }
}

async function addEcdsaAccount({ network }: HederaWorld): Promise<void> {
  const { publicKey } = await createSigner(ECDSA_KEY)
  const key = Buffer.from(Key.encode(publicKey)).toString('hex')
  await network.store.transact((tx) => tx.ledger.putAccount({ id: ECDSA_ACCOUNT, memo: '', key, createdAt: 1 }))
}

describe('the ledger of Hedera', () => {
  ledgerContract('over the real protocol', () => {
    verifies('S003.contract')
    return openWorld()
  })

  it('says that nobody else agrees on a network of this machine', async () => {
    const { ledger } = await openWorld()
    expect(ledger).toMatchObject({ kind: 'hedera', network: 'loopback', isPublic: false, within: undefined })
  })

  it('signs with an ECDSA key too', async () => {
    const world = await openWorld()
    await addEcdsaAccount(world)
    const asQuinn = { ledger: world.ledger, payer: ECDSA_ACCOUNT }
    const key = formatAccountKey(ECDSA_ACCOUNT)
    const topicId = await makeTopic(asQuinn, { adminKey: key, submitKey: key })
    expect(await submit(asQuinn, topicId, Buffer.from('hello'))).toMatchObject({ sequence: 1 })
    expect(await world.ledger.topic(topicId)).toMatchObject({ adminKey: key, submitKey: key })
    await expect(submit(world, topicId, Buffer.from('hello'))).rejects.toMatchObject({ code: 'LEDGER_REFUSED' })
  })

  it('lets any one of several accounts write, of which some are not ours', async () => {
    const world = await openWorld()
    await addEcdsaAccount(world)
    const topicId = await makeTopic(world, { submitKey: formatAccountKey(world.payer, ECDSA_ACCOUNT) })
    expect(await submit(world, topicId, Buffer.from('ours'))).toMatchObject({ sequence: 1 })
    const asQuinn = { ledger: world.ledger, payer: ECDSA_ACCOUNT }
    expect(await submit(asQuinn, topicId, Buffer.from('theirs'))).toMatchObject({ sequence: 2 })
  })

  it('refuses keys that are none, and accounts that nobody has', async () => {
    const world = await openWorld()
    for (const submitKey of ['key:zz', 'key:ff', 'account:0.0.x', 'account:0.0.99999']) {
      await expect(makeTopic(world, { submitKey })).rejects.toMatchObject({ code: 'LEDGER_REFUSED' })
    }
  })

  it('cannot write as an account whose key is not here', async () => {
    const { ledger } = await openWorld()
    const attempt = makeTopic({ ledger, payer: '0.0.4711' })
    await expect(attempt).rejects.toMatchObject({ code: 'LEDGER_KEY_INVALID' })
  })

  it('goes on after the network was away', async () => {
    const world = await openWorld()
    const topicId = await makeTopic(world)
    await submit(world, topicId, Buffer.from('before'))
    await world.network.restart()
    await submit(world, topicId, Buffer.from('after'))
    expect(await readAll(world, topicId, 2)).toHaveLength(2)
  })

  it('says so when it follows a topic no longer', async () => {
    const world = await openWorld({ times: SHORT })
    const topicId = await makeTopic(world)
    await submit(world, topicId, Buffer.from('x'))
    const [heard, ended] = [createSignal<unknown>(), createSignal<string>()]
    world.ledger.subscribe({ topicId, after: 0, onEntry: heard.fire, onEnd: ended.fire })
    await heard.fired
    await world.network.restart()
    expect(await ended.fired).not.toBe('')
  })

  it('says at once that nobody tells of new messages where no mirror is set for it', async () => {
    const { ledger } = await openWorld({ mirrorGrpc: null })
    const ended = createSignal<string>()
    ledger.subscribe({ topicId: '0.0.1005', after: 0, onEntry: () => {}, onEnd: ended.fire })
    expect(await ended.fired).toMatch(/no mirror/)
  })

  it('follows more topics than one connection carries', async () => {
    const world = await openWorld()
    const topics: string[] = []
    for (let count = 0; count < 7; count++) topics.push(await makeTopic(world))
    const heard = createSignal<string>()
    for (const topicId of topics) {
      const onEntry = () => heard.fire(topicId)
      const following = world.ledger.subscribe({ topicId, after: 0, onEntry, onEnd: () => {} })
      onTestFinished(() => following.close())
    }
    for (const topicId of topics) await submit(world, topicId, Buffer.from('x'))
    expect((await heard.times(7)).toSorted()).toEqual(topics.toSorted())
  })
})
