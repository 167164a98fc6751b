import { expect, it, onTestFinished } from 'vitest'
import { formatId, parseId } from '../../../src/ledger/protocol/names.ts'
import { startLoopbackLedger } from '../../helpers/ledger/loopback.ts'
import { createRawClient } from '../../helpers/ledger/transactions.ts'
import { expectChain } from './contract.ts'
import { onBothEngines, type StoreWorld } from './stores.ts'

onBothEngines('a served ledger', (openStore) => {
  async function open({ store }: Pick<StoreWorld, 'store'>) {
    const ledger = await startLoopbackLedger({ store })
    const client = await createRawClient(ledger)
    onTestFinished(async () => {
      client.close()
      await ledger.close()
    })
    const submit = (topicId: string, text: string) =>
      client.carryOut('submitMessage', { submitMessage: { topic: parseId(topicId), message: Buffer.from(text) } })
    return { ledger, client, submit }
  }
  async function createTopic({ client }: Awaited<ReturnType<typeof open>>): Promise<string> {
    const { receipt } = await client.carryOut('createTopic', { createTopic: { memo: 'shared' } })
    return formatId(receipt?.topic) ?? ''
  }

  it('keeps one chain where many submit at once', async () => {
    const { store } = await openStore()
    const world = await open({ store })
    const topicId = await createTopic(world)
    const done = await Promise.all(Array.from({ length: 20 }, (_, at) => world.submit(topicId, `${at}`)))
    expect(new Set(done.map(({ receipt }) => receipt?.sequence)).size).toBe(20)
    const entries = await store.read.ledger.entriesAfter({ topicId, after: 0, limit: 100 })
    expect(entries).toHaveLength(20)
    expectChain(topicId, entries)
  })

  it('does a transaction once, and every process knows of it', async () => {
    const { store, again } = await openStore()
    const here = await open({ store })
    const topicId = await createTopic(here)
    const { name, ...body } = here.client.bodyOf({
      submitMessage: { topic: parseId(topicId), message: Buffer.from('x') },
    })
    const bytes = here.client.signed(body, here.client.operator)
    const answers = await Promise.all([1, 2, 3, 4].map(() => here.client.send('submitMessage', bytes)))
    expect(answers.filter((answer) => answer === 'OK')).toHaveLength(1)
    const other = await again()
    expect(await other.read.ledger.getTransaction({ id: name })).toMatchObject({ topicId, sequence: 1 })
    expect(await other.read.ledger.getTopic({ id: topicId })).toMatchObject({ sequence: 1 })
  })

  it('answers a mirror with what another process has written', async () => {
    const { store, again } = await openStore()
    const [here, there] = [await open({ store }), await open({ store: await again() })]
    const topicId = await createTopic(there)
    await there.submit(topicId, 'from there')
    const response = await fetch(`${here.ledger.mirror}/api/v1/topics/${topicId}/messages?encoding=utf-8`)
    expect(await response.json()).toMatchObject({ messages: [{ message: 'from there', sequence_number: 1 }] })
  })
})
