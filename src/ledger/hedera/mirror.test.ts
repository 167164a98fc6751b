import { afterEach, describe, expect, it } from 'vitest'
import { type ScriptedAnswer, startScriptedMirror } from '../../../test/helpers/ledger/scripted-mirror.ts'
import { DEAD_MACHINE_MS } from '../../../test/helpers/patience.ts'
import { createFaults } from './faults.ts'
import { createMirror } from './mirror.ts'
import { createMirrorRest } from './mirror-rest.ts'
import { createPatience } from './patience.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const TIMES = { callMs: DEAD_MACHINE_MS, patienceMs: DEAD_MACHINE_MS, minWaitMs: 1, maxWaitMs: 5 }
const IMPATIENT = { ...TIMES, callMs: 100, patienceMs: 100 }

async function start(answer: (path: string, at: number) => ScriptedAnswer, times = TIMES) {
  const scripted = await startScriptedMirror(answer)
  const closed = new AbortController()
  const faults = createFaults('test')
  const patience = () => createPatience({ times, random: () => 0, signal: closed.signal })
  const rest = createMirrorRest({ url: `${scripted.url}/`, faults, patience, signal: closed.signal })
  closing.push(() => closed.abort(), scripted.close)
  return { mirror: createMirror(rest, faults), asked: scripted.asked, stop: () => closed.abort() }
}

function message(sequence: number, more: object = {}) {
  return {
    chunk_info: null,
    consensus_timestamp: `1713898880.${String(sequence).padStart(9, '0')}`,
    message: Buffer.from(`message ${sequence}`).toString('base64'),
    payer_account_id: '0.0.7',
    running_hash: Buffer.alloc(48, sequence).toString('base64'),
    running_hash_version: 3,
    sequence_number: sequence,
    topic_id: '0.0.1005',
    ...more,
  }
}

const page = (...messages: object[]): ScriptedAnswer => ({ body: { links: { next: null }, messages } })
const READ = { topicId: '0.0.1005', after: 0, limit: 10 }

describe('entries of a mirror', () => {
  it('are read page after page', async () => {
    const { mirror, asked } = await start((path) => {
      const { searchParams } = new URL(path, 'http://mirror')
      const from = Number(searchParams.get('sequencenumber')?.replace('gte:', ''))
      const count = Math.min(Number(searchParams.get('limit')), 251 - from)
      return page(...Array.from({ length: count }, (_, index) => message(from + index)))
    })
    const entries = await mirror.readAfter({ ...READ, limit: 1_000 })
    expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1))
    expect(asked).toHaveLength(3)
    expect(await mirror.readAfter({ ...READ, after: 240, limit: 5 })).toHaveLength(5)
  })

  it('are understood', async () => {
    const initial = { account_id: '0.0.7', nonce: 0, scheduled: false, transaction_valid_start: '5.000000001' }
    const { mirror } = await start(() =>
      page(message(1, { chunk_info: { initial_transaction_id: initial, number: 1, total: 2 } })),
    )
    expect(await mirror.readAfter(READ)).toEqual([
      {
        topicId: '0.0.1005',
        sequence: 1,
        consensusAt: '1713898880.000000001',
        payer: '0.0.7',
        message: Buffer.from('message 1').toString('base64'),
        chunk: { transaction: '0.0.7@5.000000001', number: 1, total: 2 },
        runningHash: '01'.repeat(48),
      },
    ])
  })

  it('come in order and once, with their gaps, whatever the mirror does', async () => {
    const { mirror } = await start(() => page(message(9), message(7), message(9), message(2)))
    const entries = await mirror.readAfter({ ...READ, after: 5 })
    expect(entries.map(({ sequence }) => sequence)).toEqual([7, 9])
  })

  it('are none where the mirror does not know the topic yet', async () => {
    const { mirror } = await start(() => ({ status: 404, body: { _status: { messages: [{ message: 'Not found' }] } } }))
    expect(await mirror.readAfter(READ)).toEqual([])
  })

  it('keep a chunk that says nonsense of itself as an entry', async () => {
    const { mirror } = await start(() =>
      page(message(1, { chunk_info: { initial_transaction_id: {}, number: 5, total: 2 } })),
    )
    expect(await mirror.readAfter(READ)).toMatchObject([{ sequence: 1, chunk: null }])
  })

  it.each([
    ['no list', { body: { messages: 'none' } }],
    ['no object', { body: '[]' }],
    ['another topic', page(message(1, { topic_id: '0.0.9' }))],
    ['no number', page(message(1, { sequence_number: '1' }))],
    ['no time', page(message(1, { consensus_timestamp: 'now' }))],
    ['no payer', page(message(1, { payer_account_id: null }))],
    ['broken base64', page(message(1, { message: '****' }))],
    ['a short hash', page(message(1, { running_hash: 'AAAA' }))],
    ['a message of a megabyte', page(message(1, { message: Buffer.alloc(1_000_000).toString('base64') }))],
    ['something that is no JSON', { body: '<html>' }],
    ['an answer that was cut', { body: { messages: [message(1)] }, isCut: true }],
    ['more than anybody reads', { body: `{"messages":[],"more":"${'x'.repeat(3_000_000)}"}` }],
    ['a redirection', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
    ['a question that it refuses', { status: 400 }],
    ['a fault of its own', { status: 503 }],
    ['no answer', { isSilent: true }],
  ] as const)('are never made of %s', async (_, answer) => {
    const { mirror } = await start(() => answer, IMPATIENT)
    await expect(mirror.readAfter(READ)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
  })
})

describe('a mirror', () => {
  it.each([
    ['has no time', { status: 429 }],
    ['has no time and says until when', { status: 429, headers: { 'retry-after': '0' } }],
    ['fails', { status: 500 }],
    ['cuts its answer', { body: { messages: [] }, isCut: true }],
    ['talks nonsense', { body: '{' }],
  ] as const)('that %s is asked again', async (_, answer) => {
    const { mirror, asked } = await start((_path, at) => (at < 2 ? answer : page(message(1))))
    expect(await mirror.readAfter(READ)).toHaveLength(1)
    expect(asked).toHaveLength(3)
  })

  it('that asks for more time than there is is not asked again', async () => {
    const { mirror, asked } = await start(() => ({ status: 429, headers: { 'retry-after': '600' } }))
    await expect(mirror.readAfter(READ)).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
    expect(asked).toHaveLength(1)
  })

  it('is not waited for once all is closed', async () => {
    const { mirror, stop } = await start(() => ({ isSilent: true }), { ...TIMES, callMs: 60_000 })
    const waiting = mirror.readAfter(READ)
    stop()
    await expect(waiting).rejects.toMatchObject({ code: 'LEDGER_UNREACHABLE' })
  })

  it('tells of topics and accounts', async () => {
    const { mirror } = await start((path) => {
      if (path.startsWith('/api/v1/accounts/0.0.7')) {
        return { body: { account: '0.0.7', memo: 'hcs-11:x', key: { _type: 'ECDSA_SECP256K1', key: '02'.repeat(33) } } }
      }
      const key = { _type: 'ED25519', key: '01'.repeat(32) }
      const isKnown = path === '/api/v1/topics/0.0.5'
      return isKnown ? { body: { memo: 'm', admin_key: null, submit_key: key, deleted: true } } : { status: 404 }
    })
    const topic = await mirror.topic('0.0.5')
    expect(topic).toMatchObject({ memo: 'm', adminKey: null, isDeleted: true })
    expect(Buffer.from(topic?.submitKey ?? []).toString('hex')).toBe(`1220${'01'.repeat(32)}`)
    const account = await mirror.account('0.0.7')
    expect(account?.memo).toBe('hcs-11:x')
    expect(Buffer.from(account?.key ?? []).toString('hex')).toBe(`3a21${'02'.repeat(33)}`)
    expect(await mirror.topic('0.0.6')).toBeUndefined()
    expect(await mirror.account('0.0.8')).toBeUndefined()
  })

  it('has nothing under an id that somebody has made up and that it takes for none', async () => {
    const { mirror, asked } = await start(() => ({ status: 400 }))
    expect(await mirror.topic('9999.0.9999999999999999')).toBeUndefined()
    expect(await mirror.account('9999.0.9999999999999999')).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  it('tells where a message of an old transaction stands', async () => {
    const { mirror, asked } = await start((path) =>
      path.startsWith('/api/v1/transactions/')
        ? {
            body: {
              transactions: [
                { result: 'DUPLICATE_TRANSACTION', name: 'CONSENSUSSUBMITMESSAGE', consensus_timestamp: '9.000000009' },
                { result: 'SUCCESS', name: 'CONSENSUSSUBMITMESSAGE', consensus_timestamp: '8.000000008' },
              ],
            },
          }
        : { body: message(12) },
    )
    expect(await mirror.outcome('0.0.7@5.000000001')).toEqual({ state: 'done', topicId: null, sequence: 12 })
    expect(asked).toEqual(['/api/v1/transactions/0.0.7-5-000000001', '/api/v1/topics/messages/8.000000008'])
  })
})
