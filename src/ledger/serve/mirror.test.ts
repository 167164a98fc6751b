import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LoopbackLedger, startLoopbackLedger } from '../../../test/helpers/ledger/loopback.ts'
import { createRawClient, type RawClient } from '../../../test/helpers/ledger/transactions.ts'
import { createGrpcChannel, type GrpcChannel } from '../protocol/grpc-client.ts'
import { GRPC, type GrpcError } from '../protocol/grpc-frames.ts'
import { AddressBookQuery, NodeAddress, TopicQuery, TopicResponse } from '../protocol/mirror.ts'
import { formatId, parseId, parseTime } from '../protocol/names.ts'
import { MIRROR_CALLS } from '../protocol/services.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a mirror answers has many shapes
type Answer = any

describe('the mirror of a served ledger', () => {
  let ledger: LoopbackLedger
  let client: RawClient
  let channel: GrpcChannel
  let topicId: string

  beforeAll(async () => {
    ledger = await startLoopbackLedger()
    client = await createRawClient(ledger)
    channel = createGrpcChannel(ledger.mirrorGrpc)
    topicId = await createTopic('seven entries')
    for (let at = 1; at <= 7; at++) await submit(topicId, `number ${at}`)
  })

  afterAll(async () => {
    client.close()
    channel.close()
    await ledger.close()
  })

  async function createTopic(memo = ''): Promise<string> {
    const { receipt } = await client.carryOut('createTopic', { createTopic: { memo } })
    return formatId(receipt?.topic) ?? ''
  }
  const submit = (topic: string, message: string) =>
    client.carryOut('submitMessage', {
      submitMessage: { topic: parseId(topic), message: Buffer.from(message) },
      memo: 'of it',
    })
  const ask = async (path: string): Promise<Answer> => (await fetch(ledger.mirror + path)).json()
  const messages = (query = '') => ask(`/api/v1/topics/${topicId}/messages${query}`)
  const places = (answer: Answer) => answer.messages.map((message: Answer) => message.sequence_number)

  describe('over HTTP', () => {
    test('shows messages as the ledger has them', async () => {
      const [entry] = await ledger.store.read.ledger.entriesAfter({ topicId, after: 0, limit: 1 })
      expect((await messages('?limit=1')).messages).toEqual([
        {
          chunk_info: null,
          consensus_timestamp: entry?.consensusAt,
          message: Buffer.from('number 1').toString('base64'),
          payer_account_id: '0.0.2',
          running_hash: Buffer.from(entry?.runningHash ?? '', 'hex').toString('base64'),
          running_hash_version: 3,
          sequence_number: 1,
          topic_id: topicId,
        },
      ])
      expect((await messages('?encoding=utf-8')).messages[6].message).toBe('number 7')
    })

    test('leads through all of them, page by page, in both directions', async () => {
      for (const [order, expected] of [
        ['asc', [1, 2, 3, 4, 5, 6, 7]],
        ['desc', [7, 6, 5, 4, 3, 2, 1]],
      ] as const) {
        const seen: number[] = []
        let next: string | null = `/api/v1/topics/${topicId}/messages?limit=3&order=${order}`
        while (next !== null) {
          const page: Answer = await ask(next)
          seen.push(...places(page))
          next = page.links.next
        }
        expect(seen).toEqual(expected)
      }
    })

    test('names a next page wherever a page is full, and only there', async () => {
      expect((await messages('?limit=7')).links.next).toContain('timestamp=gt:')
      expect((await messages('?limit=8')).links.next).toBeNull()
    })

    test('filters by places and times', async () => {
      const [, second, , , , sixth] = (await messages()).messages.map((message: Answer) => message.consensus_timestamp)
      expect(places(await messages('?sequencenumber=gt:2&sequencenumber=lte:5'))).toEqual([3, 4, 5])
      expect(places(await messages('?sequencenumber=4'))).toEqual([4])
      expect(places(await messages('?sequencenumber=8'))).toEqual([])
      expect(places(await messages('?sequencenumber=gt:5&sequencenumber=lt:3'))).toEqual([])
      expect(places(await messages(`?timestamp=gt:${second}&timestamp=lte:${sixth}`))).toEqual([3, 4, 5, 6])
      expect(places(await messages(`?timestamp=gte:${second}&timestamp=lt:${sixth}&order=desc`))).toEqual([5, 4, 3, 2])
      expect(places(await messages(`?timestamp=${second}`))).toEqual([2])
      expect(places(await messages('?timestamp=lt:1'))).toEqual([])
      expect(places(await messages('?timestamp=gt:9999999999'))).toEqual([])
    })

    test('shows single messages, topics, accounts and transactions', async () => {
      const third = await ask(`/api/v1/topics/${topicId}/messages/3`)
      expect(third.sequence_number).toBe(3)
      expect(await ask(`/api/v1/topics/messages/${third.consensus_timestamp}`)).toEqual(third)
      expect(await ask(`/api/v1/topics/${topicId}`)).toMatchObject({
        topic_id: topicId,
        memo: 'seven entries',
        admin_key: null,
        submit_key: null,
        deleted: false,
      })
      expect(await ask('/api/v1/accounts/2')).toMatchObject({ account: '0.0.2', key: { _type: 'ED25519' } })
      const { name } = await submit(await createTopic(), 'x')
      const id = name.replace('@', '-').replace(/\.(\d{9})$/, '-$1')
      expect((await ask(`/api/v1/transactions/${id}`)).transactions).toMatchObject([
        {
          name: 'CONSENSUSSUBMITMESSAGE',
          result: 'SUCCESS',
          transaction_id: id,
          memo_base64: Buffer.from('of it').toString('base64'),
        },
      ])
    })

    test.each([
      ['/api/v1/topics/0.0.99', 404, 'Not found'],
      ['/api/v1/topics/none', 400, 'Invalid parameter: topic.id'],
      ['/api/v1/topics/0.0.1001/messages/99', 404, 'Not found'],
      ['/api/v1/topics/0.0.1001/messages/0', 400, 'Invalid parameter: sequencenumber'],
      ['/api/v1/topics/messages/now', 400, 'Invalid parameter: consensus_timestamp'],
      ['/api/v1/topics/messages/1.5', 404, 'Not found'],
      ['/api/v1/accounts/0.0.99', 404, 'Not found'],
      ['/api/v1/transactions/0.0.2@1.2', 400, 'Invalid parameter: transactionId'],
      ['/api/v1/transactions/0.0.2-1-2', 404, 'Not found'],
      ['/api/v1/nothing', 404, 'Not found'],
      ['/', 404, 'Not found'],
    ])('refuses %s with %i', async (path, status, message) => {
      const response = await fetch(ledger.mirror + path)
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({ _status: { messages: [{ message }] } })
    })

    test('has no messages of a topic that is not there', async () => {
      expect(await ask('/api/v1/topics/0.0.99/messages')).toEqual({ links: { next: null }, messages: [] })
    })

    test('is only read, and only under the names of this machine', async () => {
      expect((await fetch(`${ledger.mirror}/api/v1/topics/${topicId}`, { method: 'POST' })).status).toBe(405)
      const led = request(`${ledger.mirror}/api/v1/topics/${topicId}`, { headers: { host: 'evil.example' } }).end()
      const response = await new Promise<Answer>((resolve) => led.on('response', resolve))
      await readText(response)
      expect(response.statusCode).toBe(403)
    })

    test('says that there is no public consensus', async () => {
      const { headers } = await fetch(`${ledger.mirror}/api/v1/topics/${topicId}`)
      expect(headers.get('x-postern-ledger')).toBe('local; no public consensus')
    })
  })

  describe('as a stream', () => {
    interface Heard {
      readonly texts: readonly string[]
      readonly error: GrpcError | undefined
    }

    /** Resolves once the stream has ended, or when `enough` have come. */
    function follow(query: Parameters<typeof TopicQuery.encode>[0], enough = Number.POSITIVE_INFINITY): Promise<Heard> {
      const texts: string[] = []
      return new Promise((resolve) => {
        const call = channel.callServerStream({
          path: MIRROR_CALLS.subscribeTopic,
          request: TopicQuery,
          answer: TopicResponse,
          message: query,
          onMessage({ message }) {
            texts.push(Buffer.from(message).toString())
            if (texts.length < enough) return
            call.close()
            resolve({ texts, error: undefined })
          },
          onEnd: (error) => resolve({ texts, error }),
        })
      })
    }
    const all = { seconds: 0, nanos: 0 }

    test('sends what there is, up to a limit', async () => {
      const heard = await follow({ topic: parseId(topicId), startTime: all, limit: 3n })
      expect(heard).toEqual({ texts: ['number 1', 'number 2', 'number 3'], error: undefined })
    })

    test('sends what lies between two times', async () => {
      const times = (await messages()).messages.map((message: Answer) => parseTime(message.consensus_timestamp))
      const heard = await follow({ topic: parseId(topicId), startTime: times[1], endTime: times[4] })
      expect(heard.texts).toEqual(['number 2', 'number 3', 'number 4'])
    })

    test('goes on with what comes, whoever writes it', async () => {
      const topic = await createTopic()
      await submit(topic, 'before')
      const heard = follow({ topic: parseId(topic), startTime: all }, 3)
      await submit(topic, 'by the protocol')
      const past = { topicId: topic, payer: '0.0.2', memo: '', mayChunk: false, message: Buffer.from('past it') }
      await ledger.ledger.submit({ ...past, transaction: ledger.ledger.newTransaction() })
      expect((await heard).texts).toEqual(['before', 'by the protocol', 'past it'])
    })

    test('begins now where no time is named', async () => {
      const topic = await createTopic()
      await submit(topic, 'before')
      const heard = follow({ topic: parseId(topic) }, 1)
      let isHeard = false
      void heard.then(() => {
        isHeard = true
      })
      while (!isHeard) await submit(topic, 'after')
      expect((await heard).texts).toEqual(['after'])
    })

    test('refuses a topic that is not there', async () => {
      const { error } = await follow({ topic: parseId('0.0.99'), startTime: all })
      expect(error?.status).toBe(GRPC.NOT_FOUND)
    })

    test('refuses what is no question', async () => {
      expect((await follow({})).error?.status).toBe(GRPC.INVALID_ARGUMENT)
      const { error } = await follow({ topic: parseId(topicId), startTime: { seconds: -1, nanos: 0 } })
      expect(error?.status).toBe(GRPC.INVALID_ARGUMENT)
    })

    test('tells where its node is', async () => {
      const nodes: (readonly unknown[])[] = []
      await new Promise((resolve) => {
        channel.callServerStream({
          path: MIRROR_CALLS.getNodes,
          request: AddressBookQuery,
          answer: NodeAddress,
          message: {},
          onMessage: ({ account, endpoints }) => nodes.push([formatId(account), endpoints[0]?.port]),
          onEnd: resolve,
        })
      })
      const [address = ''] = Object.keys(ledger.nodes)
      expect(nodes).toEqual([['0.0.3', Number(address.split(':')[1])]])
    })

    test('ends when the server does', async () => {
      const heard = follow({ topic: parseId(topicId), startTime: all, limit: 0n })
      await ledger.restart()
      expect((await heard).error?.status).toBe(GRPC.UNAVAILABLE)
    })
  })
})
