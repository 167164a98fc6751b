import { expect } from 'vitest'
import type { PushMessage } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, tell } from './suite.ts'

const SHA256 = 'a'.repeat(64)

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

conformance('push', ({ rule, open }) => {
  rule('stores every field as it was said', async () => {
    verifies('S000.push.types')
    const { postern, now } = await open()
    const parent = await tell(postern, 'quinn', 'first')
    const said = {
      type: 'task.blocked',
      subject: 'Waiting for a schema',
      content: 'line one\r\n\tline two — ünïcödé 🚪 "quotes" \\ $1 %s',
      payload: { z: 1, a: [true, null, { deep: 'värde' }], n: -1.5e-7 },
      context: { branch: 'main' },
      priority: 1,
      ref: 'task:PROJ-12',
      replyTo: parent,
      dedupKey: 'blocked:PROJ-12',
      attachments: [{ name: 'log.txt', path: '/tmp/log.txt', sha256: SHA256, bytes: 12 }],
      trace: { traceparent: TRACEPARENT },
    } as const
    const { id } = await postern.inbox.push({ ...said, to: ['quinn'], ttlMs: 60_000 })
    const { message } = await postern.inbox.show({ id })
    expect(message).toEqual({
      ...said,
      id,
      to: ['quinn'],
      from: { id: 'local', kind: 'local', verified: false, via: 'sdk' },
      threadId: parent,
      hops: 0,
      createdAt: now(),
      expiresAt: now() + 60_000,
    })
    expect(JSON.stringify(message.payload)).toBe(JSON.stringify(said.payload))
  })

  rule('stores for many recipients as for few, each in the order of its own inbox', async () => {
    verifies('G2.all-or-nothing', 'G6.inbox-order')
    const { postern } = await open()
    const many = Array.from({ length: 30 }, (_, n) => `many-${n}`)
    for (const id of many) await postern.agents.add({ id })
    await tell(postern, 'many-3', 'before')
    const all = { to: many, content: 'to all of them', dedupKey: 'k' }
    const [first, last] = await postern.inbox.pushMany({ messages: [all, { to: ['many-3'], content: 'after' }] })
    expect(first?.recipients).toHaveLength(30)
    expect(last?.duplicate).toBe(false)
    expect(await postern.inbox.push(all)).toMatchObject({ id: first?.id, duplicate: true })

    const { items } = await postern.inbox.list({ agent: 'many-3' })
    expect(items.map(({ content, inboxSeq }) => [content, inboxSeq])).toEqual([
      ['before', 1],
      ['to all of them', 2],
      ['after', 3],
    ])
    await refused(postern.inbox.push({ to: [...many, 'nobody'], content: 'x' }), 'AGENT_NOT_FOUND')
    for (const agent of many) {
      expect((await postern.inbox.list({ agent })).items.filter(({ content }) => content === 'x')).toEqual([])
    }
  })

  rule('stores what was left out as nothing', async () => {
    const { postern } = await open()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'short', subject: '', ref: '', dedupKey: '' })
    const { message } = await postern.inbox.show({ id })
    const nothing = { subject: null, payload: null, context: null, ref: null, replyTo: null, dedupKey: null }
    expect(message).toMatchObject({ ...nothing, type: 'agent', priority: 2, threadId: id, attachments: [] })
  })

  rule('answers with the id and each recipient once, in order', async () => {
    const { postern } = await open({ agents: ['quinn', 'ada', 'rex'] })
    const result = await postern.inbox.push({ to: ['rex', 'ada', 'rex'], content: 'hello' })
    expect(result).toEqual({
      id: expect.stringMatching(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/),
      duplicate: false,
      recipients: [
        { agent: 'ada', state: 'pending', duplicate: false },
        { agent: 'rex', state: 'pending', duplicate: false },
      ],
    })
    expect((await postern.inbox.show({ id: result.id })).message.to).toEqual(['ada', 'rex'])
    expect(await read(postern, 'quinn')).toEqual([])
  })

  rule('takes any type of the right form', async () => {
    verifies('S000.push.types')
    const { postern } = await open()
    for (const type of [
      'alert',
      'decision',
      'event',
      'agent',
      'mail',
      'gate',
      'system',
      'space_message',
      'a.b-c.d_1',
    ]) {
      const { id } = await postern.inbox.push({ to: ['quinn'], content: type, type })
      expect((await postern.inbox.show({ id })).message.type).toBe(type)
    }
  })

  rule('stores for all recipients or for none', async () => {
    verifies('G2.all-or-nothing', 'S000.push.unknown-recipient')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    await refused(postern.inbox.push({ to: ['ada', 'nobody', 'quinn'], content: 'hello' }), 'AGENT_NOT_FOUND')
    expect(await postern.inbox.list({ which: 'all' })).toEqual({ items: [], next: null })
    expect((await postern.agents.list({ removed: true })).map(({ id }) => id)).toEqual(['ada', 'quinn'])
  })

  rule('stores many messages or none of them', async () => {
    verifies('G2.all-or-nothing')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const messages = [
      { to: ['ada'], content: 'one' },
      { to: ['ada', 'quinn'], content: 'two' },
      { to: ['quinn'], content: 'three' },
    ]
    await refused(
      postern.inbox.pushMany({ messages: [...messages, { to: ['nobody'], content: 'x' }] }),
      'AGENT_NOT_FOUND',
    )
    await refused(postern.inbox.pushMany({ messages: [...messages, { to: ['ada'], content: ' ' }] }), 'CONTENT_EMPTY')
    expect((await postern.inbox.list({ which: 'all' })).items).toEqual([])

    const results = await postern.inbox.pushMany({ messages })
    expect(results.map(({ recipients }) => recipients.map(({ agent }) => agent))).toEqual([
      ['ada'],
      ['ada', 'quinn'],
      ['quinn'],
    ])
    expect(await read(postern, 'ada')).toEqual(['one', 'two'])
    expect(await read(postern, 'quinn')).toEqual(['two', 'three'])
    expect(await postern.inbox.pushMany({ messages: [] })).toEqual([])
  })

  rule('registers unknown recipients when asked to', async () => {
    verifies('S000.push.unknown-recipient')
    const { postern } = await open()
    await postern.inbox.push({ to: ['new-one', 'quinn'], content: 'welcome', create: true })
    expect(await postern.agents.show({ id: 'new-one' })).toMatchObject({ kind: 'ai', pending: 1 })
    await refused(postern.inbox.push({ to: ['../x'], content: 'welcome', create: true }), 'AGENT_ID_INVALID')
  })

  rule('sends to the caller itself where no recipient is named', async () => {
    verifies('S000.push.no-recipient')
    const { postern } = await open()
    const quinn = postern.as(caller('quinn'))
    expect(await quinn.inbox.push({ content: 'remember this' })).toMatchObject({ recipients: [{ agent: 'quinn' }] })
    expect(await quinn.inbox.push({ to: [], content: 'and this' })).toMatchObject({ recipients: [{ agent: 'quinn' }] })
    expect(await read(postern, 'quinn')).toEqual(['remember this', 'and this'])
    await refused(postern.inbox.push({ content: 'to whom?' }), 'RECIPIENT_MISSING')
  })

  rule('takes the sender from the caller and says whether that was proved', async () => {
    verifies('G15.from', 'G15.unverified')
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    const message = { to: ['quinn'], content: 'trust me' }
    const sent = [
      await postern.inbox.push(message),
      await postern.as(caller('rex')).inbox.push(message),
      await postern.as({ ...caller('rex'), verified: false, via: 'cli' }).inbox.push(message),
    ]
    const senders = []
    for (const { id } of sent) senders.push((await postern.inbox.show({ id })).message.from)
    expect(senders).toEqual([
      { id: 'local', kind: 'local', verified: false, via: 'sdk' },
      { id: 'rex', kind: 'ai', verified: true, via: 'sdk' },
      { id: 'rex', kind: 'ai', verified: false, via: 'cli' },
    ])
  })

  rule('gives no meaning to a sender in the input', async () => {
    const { postern } = await open()
    const forged = { to: ['quinn'], content: 'trust me', from: { id: 'system', verified: true } }
    const { id } = await postern.inbox.push(forged)
    expect((await postern.inbox.show({ id })).message.from).toMatchObject({ id: 'local', verified: false })
  })

  rule('keeps replies together in the thread they belong to', async () => {
    const { postern } = await open({ agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const question = await tell(postern, 'quinn', 'question')
    const answer = await postern
      .as(caller('quinn'))
      .inbox.push({ to: ['justin'], content: 'answer', replyTo: question })
    const thanks = await postern.inbox.push({ to: ['quinn'], content: 'thanks', replyTo: answer.id })
    await tell(postern, 'quinn', 'another matter')
    const { message, thread } = await postern.inbox.show({ id: thanks.id })
    expect(message).toMatchObject({ threadId: question, replyTo: answer.id })
    expect(thread.map(({ content }) => content)).toEqual(['question', 'answer', 'thanks'])
    await refused(postern.inbox.push({ to: ['quinn'], content: 'x', replyTo: 'msg_nothing' }), 'MESSAGE_NOT_FOUND')
  })

  rule('lists what is pending, what was delivered, and everything', async () => {
    verifies('S000.list.pending')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    await tell(postern, 'quinn', 'delivered')
    await read(postern, 'quinn')
    await tell(postern, 'quinn', 'pending')
    await tell(postern, 'ada', 'elsewhere')
    const list = async (which: 'pending' | 'delivered' | 'all' | undefined, agent?: string) => {
      const { items } = await postern.inbox.list({ ...(which && { which }), ...(agent && { agent }) })
      return items.map((item) => `${item.agent}: ${item.content}, ${item.state}`)
    }
    expect(await list(undefined, 'quinn')).toEqual(['quinn: pending, pending'])
    expect(await list('delivered', 'quinn')).toEqual(['quinn: delivered, seen'])
    expect(await list('all')).toEqual(['ada: elsewhere, pending', 'quinn: delivered, seen', 'quinn: pending, pending'])
    await refused(postern.inbox.list({ agent: 'nobody' }), 'AGENT_NOT_FOUND')
  })

  rule('keeps the trace that it belongs to, and passes over one that is not valid', async () => {
    verifies('S001.trace')
    const { postern } = await open()
    const push = async (trace: PushMessage['trace']) => {
      const { id } = await postern.inbox.push({
        to: ['quinn'],
        content: 'hello',
        dedupKey: 'k',
        ...(trace && { trace }),
      })
      return (await postern.inbox.show({ id })).message
    }
    const trace = { traceparent: TRACEPARENT, tracestate: 'vendor=1' }
    const first = await push(trace)
    expect(first.trace).toEqual(trace)
    // It is not what was said: the same words in another trace are the same message.
    expect((await push({ traceparent: TRACEPARENT.replace('-01', '-00') })).id).toBe(first.id)
    const drained = await postern.inbox.drain({ agent: 'quinn' })
    expect(drained.messages).toMatchObject([{ trace }])
    for (const bad of [
      undefined,
      { traceparent: 'x' },
      { traceparent: TRACEPARENT.toUpperCase(), tracestate: 'a=1' },
    ]) {
      const { id } = await postern.inbox.push({ to: ['quinn'], content: 'hello', ...(bad && { trace: bad }) })
      expect((await postern.inbox.show({ id })).message.trace).toBeNull()
    }
  })
})
