import { expect } from 'vitest'
import type { Json } from '../../src/model/json.ts'
import { DEFAULT_LIMITS } from '../../src/model/limits.ts'
import type { PushMessage } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, read, refused, type Suite } from './suite.ts'

const attachment = (name: string) => ({ name, sha256: '0'.repeat(64), bytes: 1 })
/** JSON of exactly so many bytes. */
const jsonOf = (bytes: number): Json => 'x'.repeat(bytes - 2)
const nested = (depth: number): Json => (depth === 0 ? [] : [nested(depth - 1)])

/** Each bound: the largest that is taken, and the smallest that is refused. */
const BOUNDS: readonly (readonly [what: string, taken: Partial<PushMessage>, refusedOne: Partial<PushMessage>])[] = [
  ['64 KB of content', { content: 'x'.repeat(65_536) }, { content: 'x'.repeat(65_537) }],
  ['64 KB of content in UTF-8', { content: '🚪'.repeat(16_384) }, { content: `${'🚪'.repeat(16_384)}x` }],
  ['1 KB of subject', { subject: 'x'.repeat(1_024) }, { subject: 'x'.repeat(1_025) }],
  ['64 KB of payload', { payload: jsonOf(65_536) }, { payload: jsonOf(65_537) }],
  ['64 KB of context', { context: jsonOf(65_536) }, { context: jsonOf(65_537) }],
  [
    '64 KB of both together',
    { payload: jsonOf(32_768), context: jsonOf(32_768) },
    { payload: jsonOf(32_768), context: jsonOf(32_769) },
  ],
  ['300 bytes of key', { dedupKey: 'k'.repeat(300) }, { dedupKey: 'k'.repeat(301) }],
  ['300 bytes of ref', { ref: 'r'.repeat(300) }, { ref: 'r'.repeat(301) }],
]

conformance('limits', ({ rule, open }) => {
  for (const [what, taken, refusedOne] of BOUNDS) {
    rule(`takes ${what} and not a byte more`, async () => {
      verifies('G17.content', 'G17.fields')
      const { postern } = await open()
      const { id } = await postern.inbox.push({ to: ['quinn'], content: 'hello', ...taken })
      expect((await postern.inbox.show({ id })).message).toMatchObject(taken)
      await refused(postern.inbox.push({ to: ['quinn'], content: 'hello', ...refusedOne }), 'CONTENT_TOO_LARGE')
      expect((await postern.inbox.list({ agent: 'quinn' })).items).toHaveLength(1)
    })
  }

  rule('takes types of five parts of forty characters', async () => {
    verifies('G17.fields')
    const { postern } = await open()
    const part = 'a'.repeat(40)
    const longest = [part, part, part, part, part].join('.')
    await postern.inbox.push({ to: ['quinn'], content: 'hello', type: longest })
    for (const type of [`${longest}.a`, `${part}a`]) {
      await refused(postern.inbox.push({ to: ['quinn'], content: 'hello', type }), 'TYPE_INVALID')
    }
  })

  rule('takes JSON that is nested 32 deep and no deeper', async () => {
    verifies('G17.fields')
    const { postern } = await open()
    await postern.inbox.push({ to: ['quinn'], content: 'hello', payload: nested(31) })
    await refused(postern.inbox.push({ to: ['quinn'], content: 'hello', payload: nested(32) }), 'VALUE_INVALID')
  })

  rule('takes fifty attachments', async () => {
    verifies('G17.fields')
    const { postern } = await open()
    const push = (count: number) =>
      postern.inbox.push({
        to: ['quinn'],
        content: 'hello',
        attachments: Array.from({ length: count }, (_, i) => attachment(`${i}`)),
      })
    const { id } = await push(50)
    expect((await postern.inbox.show({ id })).message.attachments).toHaveLength(50)
    await refused(push(51), 'VALUE_INVALID')
  })

  rule('takes as many recipients as it says', async () => {
    verifies('G17.fields')
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex'], limits: { recipientsPerPush: 2 } })
    await postern.inbox.push({ to: ['ada', 'quinn'], content: 'hello' })
    await refused(postern.inbox.push({ to: ['ada', 'quinn', 'rex'], content: 'hello' }), 'VALUE_INVALID')
  })

  rule('takes as many messages at once as it says', async () => {
    verifies('G17.fields')
    const { postern } = await open({ limits: { pushesPerBatch: 2 } })
    const messages = Array.from({ length: 3 }, () => ({ to: ['quinn'], content: 'hello' }))
    expect(await postern.inbox.pushMany({ messages: messages.slice(1) })).toHaveLength(2)
    await refused(postern.inbox.pushMany({ messages }), 'VALUE_INVALID')
  })

  rule('takes a time to live of up to a year and a day', async () => {
    const { postern } = await open()
    const push = (ttlMs: number) => postern.inbox.push({ to: ['quinn'], content: 'hello', ttlMs })
    await push(DEFAULT_LIMITS.ttlMs)
    await push(1)
    for (const ttlMs of [DEFAULT_LIMITS.ttlMs + 1, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const { message } = await refused(push(ttlMs), 'DURATION_INVALID')
      expect(message).not.toMatch(/NaN days|Infinity days/)
    }
  })

  rule('takes agent ids of up to 64 characters and session ids of up to 200', async () => {
    verifies('G17.fields')
    const { postern } = await open()
    await postern.agents.add({ id: 'a'.repeat(64) })
    await refused(postern.agents.add({ id: 'b'.repeat(65) }), 'AGENT_ID_INVALID')
    await postern.sessions.begin({ id: 's'.repeat(200), agent: 'quinn' })
    await refused(postern.sessions.begin({ id: 's'.repeat(201), agent: 'quinn' }), 'SESSION_INVALID')
  })

  rule('gives pages of up to a thousand', async () => {
    verifies('G17.fields')
    const { postern } = await open()
    await postern.inbox.list({ agent: 'quinn', limit: 1_000 })
    for (const limit of [0, -1, 1.5, 1_001, Number.NaN]) await refused(postern.inbox.list({ limit }), 'VALUE_INVALID')
    for (const limit of [0, 1_001]) await refused(postern.inbox.search({ query: 'x', limit }), 'VALUE_INVALID')
  })

  inboxLimit({ rule, open })
})

function inboxLimit({ rule, open }: Suite): void {
  const pendingPerAgent = 3
  const push = (content: string): PushMessage => ({ to: ['quinn'], content })

  rule('refuses a push into a full inbox, drops nothing and takes more when there is room', async () => {
    verifies('G17.inbox')
    const { postern } = await open({ limits: { pendingPerAgent } })
    for (const content of ['one', 'two', 'three']) await postern.inbox.push(push(content))
    const error = await refused(postern.inbox.push(push('four')), 'INBOX_FULL')
    expect(error.retryable).toBe(true)
    expect(await read(postern, 'quinn')).toEqual(['one', 'two', 'three'])
    await postern.inbox.push(push('four'))
    expect(await read(postern, 'quinn')).toEqual(['four'])
  })

  rule('refuses a push for all where one inbox is full', async () => {
    verifies('G17.inbox', 'G2.all-or-nothing')
    const { postern } = await open({ agents: ['ada', 'quinn'], limits: { pendingPerAgent: 1 } })
    await postern.inbox.push(push('full'))
    await refused(postern.inbox.push({ to: ['ada', 'quinn'], content: 'no' }), 'INBOX_FULL')
    expect(await read(postern, 'ada')).toEqual([])
  })

  rule('refuses one of many that come at once, and nothing of it is left', async () => {
    verifies('G17.inbox', 'G2.all-or-nothing')
    const { postern } = await open({ agents: ['ada', 'bob', 'quinn'], limits: { pendingPerAgent: 20 } })
    await postern.inbox.pushMany({ messages: Array.from({ length: 20 }, () => push('full')) })
    const plain = (at: number): PushMessage => ({ to: [at % 2 === 0 ? 'ada' : 'bob'], content: `${at}` })
    const refusedLast = { to: ['ada', 'bob', 'quinn'], content: 'no' }
    const pushes = [...Array.from({ length: 20 }, (_, at) => plain(at)), refusedLast]
    const results = await Promise.allSettled(pushes.map((each) => postern.inbox.push(each)))
    expect(results.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))).toEqual([20])
    expect(results[20]).toMatchObject({ reason: { code: 'INBOX_FULL' } })
    const numbers = (rest: number) => Array.from({ length: 10 }, (_, at) => `${2 * at + rest}`)
    for (const [agent, rest] of [
      ['ada', 0],
      ['bob', 1],
    ] as const)
      expect((await read(postern, agent)).toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(rest))
  })

  rule('counts what waits, not what ever came', async () => {
    verifies('G17.inbox')
    const { postern } = await open({ limits: { pendingPerAgent } })
    for (let i = 0; i < 5; i++) {
      await postern.inbox.push(push(`${i}`))
      await read(postern, 'quinn')
    }
    const batch = (count: number) =>
      postern.inbox.pushMany({ messages: Array.from({ length: count }, () => push('batch')) })
    await refused(batch(4), 'INBOX_FULL')
    expect(await batch(3)).toHaveLength(3)
  })

  rule('takes a batch into an inbox whose earlier messages were all seen', async () => {
    verifies('G17.inbox')
    const { postern } = await open({ limits: { pendingPerAgent } })
    for (const content of ['one', 'two']) await postern.inbox.push(push(content))
    await read(postern, 'quinn')
    expect(await postern.inbox.pushMany({ messages: [push('three'), push('four'), push('five')] })).toHaveLength(3)
    await refused(postern.inbox.push(push('six')), 'INBOX_FULL')
  })

  rule('finds the room between what still waits', async () => {
    verifies('G17.inbox')
    const { postern } = await open({ limits: { pendingPerAgent } })
    await postern.inbox.push({ ...push('waits'), priority: 4 })
    for (let i = 0; i < 6; i++) {
      await postern.inbox.push({ ...push(`${i}`), priority: 0 })
      await read(postern, { agent: 'quinn', maxPriority: 0 })
    }
    expect(await postern.inbox.pushMany({ messages: [push('second'), push('third')] })).toHaveLength(2)
    await refused(postern.inbox.push(push('fourth')), 'INBOX_FULL')
  })

  rule('takes a repeated push into a full inbox, for it needs no room', async () => {
    verifies('G3.same-id')
    const { postern } = await open({ limits: { pendingPerAgent: 1 } })
    const { id } = await postern.inbox.push({ ...push('once'), dedupKey: 'once' })
    expect(await postern.inbox.push({ ...push('once'), dedupKey: 'once' })).toMatchObject({ id, duplicate: true })
  })
}
