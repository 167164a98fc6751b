import { expect, onTestFinished, test } from 'vitest'
import { createGrpcChannel } from '../../../src/ledger/protocol/grpc-client.ts'
import { TopicQuery, TopicResponse } from '../../../src/ledger/protocol/mirror.ts'
import { formatId, parseId } from '../../../src/ledger/protocol/names.ts'
import { MIRROR_CALLS } from '../../../src/ledger/protocol/services.ts'
import { openFaultProxy } from '../../helpers/ledger/fault-proxy.ts'
import { startLoopbackLedger } from '../../helpers/ledger/loopback.ts'
import { createRawClient } from '../../helpers/ledger/transactions.ts'

/** Tests that rely on the proxy prove nothing where it lets everything through. */
async function openScene(count: number) {
  const ledger = await startLoopbackLedger()
  const proxy = await openFaultProxy(ledger)
  const client = await createRawClient({ ...ledger, nodes: proxy.nodes })
  onTestFinished(async () => {
    client.close()
    await proxy.close()
    await ledger.close()
  })
  const { receipt } = await client.carryOut('createTopic', { createTopic: {} })
  const topic = receipt?.topic ?? expect.fail('there is no topic')
  const submit = (message: string) =>
    client.carryOut('submitMessage', { submitMessage: { topic, message: Buffer.from(message) } })
  for (let at = 1; at <= count; at++) await submit(`${at}`)
  const path = `${proxy.mirror}/api/v1/topics/${formatId(topic)}/messages?encoding=utf-8`
  return { ledger, proxy, client, submit, topicId: formatId(topic) ?? '', page: () => fetch(path) }
}

async function texts(response: Response): Promise<string[]> {
  const { messages } = (await response.json()) as { messages: { message: string }[] }
  return messages.map(({ message }) => message)
}

test('lets everything through as it is where no fault is set', async () => {
  const { page } = await openScene(3)
  expect(await texts(await page())).toEqual(['1', '2', '3'])
})

test('leaves out, repeats, swaps, alters and holds back what pages show', async () => {
  const { proxy, page } = await openScene(5)
  const { mirrorFaults: faults } = proxy
  faults.missing.add(2)
  faults.repeated.add(3)
  expect(await texts(await page())).toEqual(['1', '3', '3', '4', '5'])
  faults.missing.clear()
  faults.repeated.clear()
  faults.isSwapped = true
  expect(await texts(await page())).toEqual(['2', '1', '4', '3', '5'])
  faults.isSwapped = false
  faults.hideAfter = 3
  faults.alter = (sequence, message) => (sequence === 1 ? 'lie' : message)
  expect(await texts(await page())).toEqual(['lie', '2', '3'])
})

test('refuses, fails and breaks off pages as often as it is told', async () => {
  const { proxy, page } = await openScene(1)
  Object.assign(proxy.mirrorFaults, { tooMany: 1, retryAfter: 7, failures: 1, cutPages: 1 })
  const refused = await page()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
  expect((await page()).status).toBe(503)
  await expect(page().then((response) => response.text())).rejects.toThrow()
  expect(await texts(await page())).toEqual(['1'])
  expect(proxy.asked.rest).toBe(4)
})

test('does the same to streams, and cuts them', async () => {
  const { proxy, topicId } = await openScene(5)
  const channel = createGrpcChannel(proxy.mirrorGrpc)
  onTestFinished(() => channel.close())
  const heard: string[] = []
  const follow = () =>
    new Promise<string | undefined>((resolve) => {
      channel.callServerStream({
        path: MIRROR_CALLS.subscribeTopic,
        request: TopicQuery,
        answer: TopicResponse,
        message: { topic: parseId(topicId), startTime: { seconds: 0, nanos: 0 }, limit: 5n },
        onMessage: ({ message }) => heard.push(Buffer.from(message).toString()),
        onEnd: (error) => resolve(error?.message),
      })
    })
  proxy.mirrorFaults.missing.add(1)
  proxy.mirrorFaults.repeated.add(2)
  proxy.mirrorFaults.cutStreamAfter = 3
  expect(await follow()).toBe('the connection was cut')
  expect(heard.splice(0)).toEqual(['2', '2', '3'])
  proxy.mirrorFaults.missing.clear()
  proxy.mirrorFaults.repeated.clear()
  proxy.mirrorFaults.hideAfter = 3
  const held = follow()
  await expect.poll(() => heard.length).toBe(3)
  proxy.mirrorFaults.isSwapped = true
  proxy.mirrorFaults.hideAfter = null
  expect(await held).toBeUndefined()
  expect(heard).toEqual(['1', '2', '3', '5', '4'])
})

test('loses transactions before and after the node has them', async () => {
  const { proxy, ledger, submit, topicId } = await openScene(0)
  const sequence = async () => (await ledger.store.read.ledger.getTopic({ id: topicId }))?.sequence
  proxy.nodeFaults.lostRequests = 1
  await expect(submit('never there')).rejects.toThrow('cut')
  expect(await sequence()).toBe(0)
  proxy.nodeFaults.lostAnswers = 1
  await expect(submit('there all the same')).rejects.toThrow('cut')
  expect(await sequence()).toBe(1)
  proxy.nodeFaults.refusals = 1
  expect((await submit('not now')).precheck).toBe('BUSY')
  proxy.nodeFaults.isDown = true
  await expect(submit('nobody is there')).rejects.toThrow('cut')
  proxy.nodeFaults.isDown = false
  expect((await submit('fine')).status).toBe('SUCCESS')
})
