import { expect } from 'vitest'
import type { Postern, PushResult } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, stateOf } from './suite.ts'

const PEOPLE = [{ id: 'justin', kind: 'human' }] as const
const stateIn = ({ recipients }: PushResult) => recipients[0]?.state

conformance('damping', ({ rule, open }) => {
  rule('counts a hop for every automatic reply and holds what goes beyond the last', async () => {
    verifies('G17.hops')
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits: { hops: 3, pairBurst: 100 } })
    const replies = await pingPong(postern, 5)
    expect(replies.map(stateIn)).toEqual(['pending', 'pending', 'pending', 'pending', 'held'])
    const hops = []
    for (const { id } of replies) hops.push((await postern.inbox.show({ id })).message.hops)
    expect(hops).toEqual([0, 1, 2, 3, 4])
  })

  rule('begins to count anew where a person answers', async () => {
    verifies('G17.hops')
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits: { hops: 2, pairBurst: 100 } })
    const last = (await pingPong(postern, 3)).at(-1)
    const justin = postern.as(caller('justin', 'human'))
    const { id } = await justin.inbox.push({ to: ['ada'], content: 'go on', replyTo: last?.id ?? '' })
    expect((await postern.inbox.show({ id })).message.hops).toBe(0)
    const reply = await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'going on', replyTo: id })
    expect(stateIn(reply)).toBe('pending')
  })

  rule('holds what agents say in a thread that has grown too long', async () => {
    verifies('G17.thread')
    const limits = { threadMessages: 3, hops: 100, pairBurst: 100 }
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    expect((await pingPong(postern, 5)).map(stateIn)).toEqual(['pending', 'pending', 'pending', 'held', 'held'])
  })

  rule('lets an agent answer a person however long the thread has become', async () => {
    verifies('G17.hops', 'G17.thread')
    const limits = { hops: 1, threadMessages: 2, pairBurst: 100 }
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    const last = (await pingPong(postern, 4)).at(-1)
    const answer = { to: ['ada', 'justin'], content: 'it goes on and on', replyTo: last?.id ?? '' }
    const { recipients } = await postern.as(caller('quinn')).inbox.push(answer)
    expect(recipients.map(({ agent, state }) => [agent, state])).toEqual([
      ['ada', 'held'],
      ['justin', 'pending'],
    ])
  })

  rule("counts a thread's messages anew after one of a person", async () => {
    verifies('G17.thread')
    const limits = { threadMessages: 2, hops: 100, pairBurst: 100 }
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    const last = (await pingPong(postern, 3)).at(-1)
    expect(last && stateIn(last)).toBe('held')
    const justin = postern.as(caller('justin', 'human'))
    const goOn = await justin.inbox.push({ to: ['ada', 'quinn'], content: 'go on', replyTo: last?.id ?? '' })
    const reply = (from: string, to: string) =>
      postern.as(caller(from)).inbox.push({ to: [to], content: 'going on', replyTo: goOn.id })
    const states = [await reply('ada', 'quinn'), await reply('quinn', 'ada'), await reply('ada', 'quinn')].map(stateIn)
    expect(states).toEqual(['pending', 'pending', 'held'])
  })

  rule("refuses an agent's broadcast in a thread that has gone on for too long, and tells a person once", async () => {
    verifies('G17.hops', 'G17.thread', 'G17.told-once')
    for (const limits of [{ hops: 1 }, { threadMessages: 2, hops: 100 }]) {
      const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits: { ...limits, pairBurst: 100 } })
      const last = (await pingPong(postern, 2)).at(-1)
      const shout = { to: ['all'], content: 'listen', replyTo: last?.id ?? '' }
      const ada = postern.as(caller('ada'))
      for (let i = 0; i < 2; i++) {
        const error = await refused(ada.inbox.push(shout), 'NOT_ALLOWED')
        expect(error.message).toContain('gone on for too long')
      }
      expect(await read(postern, 'quinn')).toEqual(['reply 0'])
      expect(await read(postern, 'justin')).toHaveLength(1)
      const justin = postern.as(caller('justin', 'human'))
      expect(stateIn(await justin.inbox.push(shout))).toBe('pending')
    }
  })

  rule("refuses an agent's broadcasts beyond the allowed rate, and tells a person once", async () => {
    verifies('G17.pair', 'G17.told-once', 'G3.same-id')
    const limits = { pairBurst: 2, pairPerMinute: 1 }
    const { postern, advance } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    const ada = postern.as(caller('ada'))
    const shout = (content: string) => ada.inbox.push({ to: ['all'], content, dedupKey: content })
    const first = await shout('first')
    await shout('second')
    for (let i = 0; i < 2; i++) await refused(shout('third'), 'NOT_ALLOWED')
    expect(await shout('first')).toMatchObject({ id: first.id, duplicate: true })
    expect(await read(postern, 'quinn')).toEqual(['first', 'second'])
    const told = await read(postern, 'justin')
    expect(told.filter((notice) => notice.includes('beyond the allowed rate'))).toHaveLength(1)
    advance(60_000)
    expect(stateIn(await shout('third'))).toBe('pending')
    for (let i = 0; i < 3; i++) await postern.inbox.push({ to: ['all'], content: 'by somebody at the machine' })
  })

  rule('holds what one agent sends another beyond the allowed rate', async () => {
    verifies('G17.pair')
    const limits = { pairBurst: 3, pairPerMinute: 2 }
    const { postern, advance } = await open({ agents: ['ada', 'quinn', 'rex'], limits })
    const ada = postern.as(caller('ada'))
    const send = async (to: string) => stateIn(await ada.inbox.push({ to: [to], content: 'hello' }))
    expect([await send('quinn'), await send('quinn'), await send('quinn')]).toEqual(['pending', 'pending', 'pending'])
    expect(await send('quinn')).toBe('held')
    expect(await send('rex')).toBe('pending')
    advance(29_999)
    expect(await send('quinn')).toBe('held')
    advance(1)
    expect(await send('quinn')).toBe('pending')
    expect(await send('quinn')).toBe('held')
  })

  rule('holds a message only for those recipients whose budget is spent', async () => {
    verifies('G17.pair')
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex'], limits: { pairBurst: 1, pairPerMinute: 1 } })
    const ada = postern.as(caller('ada'))
    await ada.inbox.push({ to: ['rex'], content: 'first' })
    const { recipients } = await ada.inbox.push({ to: ['quinn', 'rex'], content: 'second' })
    expect(recipients.map(({ agent, state }) => [agent, state])).toEqual([
      ['quinn', 'pending'],
      ['rex', 'held'],
    ])
  })

  rule('holds back nothing that people or strangers send', async () => {
    const { postern } = await open({ agents: ['quinn', ...PEOPLE], limits: { pairBurst: 1, pairPerMinute: 1 } })
    const senders = [postern, postern.as(caller('justin', 'human'))]
    for (const sender of senders) {
      for (let i = 0; i < 3; i++)
        expect(stateIn(await sender.inbox.push({ to: ['quinn'], content: 'hi' }))).toBe('pending')
    }
  })

  rule('holds what an agent sends a person beyond the allowed rate, in a thread or not', async () => {
    verifies('G17.pair')
    const limits = { pairBurst: 2, pairPerMinute: 1 }
    const { postern, advance } = await open({ agents: ['quinn', ...PEOPLE], limits })
    const { inbox } = postern.as(caller('quinn'))
    const asked = await postern.as(caller('justin', 'human')).inbox.push({ to: ['quinn'], content: 'how is it?' })
    const send = async (more = {}) => stateIn(await inbox.push({ to: ['justin'], content: 'hi', ...more }))
    expect([await send(), await send({ replyTo: asked.id })]).toEqual(['pending', 'pending'])
    expect([await send(), await send({ replyTo: asked.id })]).toEqual(['held', 'held'])
    const waiting = await read(postern, 'justin')
    expect(waiting.filter((text) => text === 'hi')).toHaveLength(2)
    expect(waiting.filter((text) => text.includes('beyond the allowed rate'))).toHaveLength(1)
    advance(60_000)
    expect(await send()).toBe('pending')
  })

  rule('tells a person of a sender again in the next hour in which messages of it are held', async () => {
    verifies('G17.told-once')
    const limits = { pairBurst: 1, pairPerMinute: 1 }
    const { postern, advance } = await open({ agents: ['ada', 'quinn', 'rex', ...PEOPLE], limits })
    const { inbox } = postern.as(caller('ada'))
    const overrun = async () => {
      for (const to of ['quinn', 'rex', 'quinn', 'rex']) await inbox.push({ to: [to], content: 'hello' })
      return read(postern, 'justin')
    }
    const told = expect.stringContaining('Messages and notices of ada beyond the allowed rate are held')
    expect(await overrun()).toEqual([told])
    expect(await overrun()).toEqual([])
    advance(3_600_000)
    expect(await overrun()).toEqual([told])
  })

  rule('tells a person again of a thread that agents fill once more', async () => {
    verifies('G17.told-once')
    const limits = { hops: 0, pairBurst: 100 }
    const { postern, advance } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    const [first] = await pingPong(postern, 2)
    const threads = async () => (await read(postern, 'justin')).filter((text) => text.includes(first?.id ?? '')).length
    expect(await threads()).toBe(1)
    advance(3_600_000)
    await postern.as(caller('quinn')).inbox.push({ to: ['ada'], content: 'more', replyTo: first?.id ?? '' })
    expect(await threads()).toBe(1)
  })

  rule('refuses a question that no person would see, and holds nobody for it', async () => {
    verifies('G17.asked')
    const limits = { pairBurst: 2, pairPerMinute: 6 }
    const people = [{ id: 'justin', kind: 'human', isOwner: true } as const, { id: 'anna', kind: 'human' } as const]
    const { postern, advance } = await open({ agents: ['quinn', ...people], limits })
    const quinn = postern.as(caller('quinn'))
    for (let i = 0; i < 2; i++) await quinn.inbox.push({ to: ['justin'], content: 'hi' })
    const error = await refused(quinn.decisions.create({ question: 'Go on?', ask: ['justin'] }), 'RATE_LIMITED')
    expect(error.details).toMatchObject({ seconds: 10 })
    expect(await quinn.decisions.list()).toEqual([])
    expect(await quinn.gates.list({ agent: 'quinn' })).toEqual([])
    const both = await quinn.decisions.create({ question: 'Go on?', ask: ['anna', 'justin'] })
    expect(await read(postern, 'anna')).toContainEqual(expect.stringContaining(both.id))
    advance(10_000)
    await quinn.decisions.create({ question: 'Go on?', ask: ['justin'] })
    const human = { agent: 'quinn', kind: 'human', reason: 'look' } as const
    await refused(quinn.gates.create(human), 'RATE_LIMITED')
  })

  rule('refuses a question to a person whose inbox is full', async () => {
    verifies('G17.asked')
    const { postern } = await open({ agents: ['quinn', ...PEOPLE], limits: { pendingPerAgent: 1 } })
    const quinn = postern.as(caller('quinn'))
    await quinn.inbox.push({ to: ['justin'], content: 'hi' })
    await refused(quinn.decisions.create({ question: 'Go on?', ask: ['justin'] }), 'INBOX_FULL')
    expect(await quinn.gates.list({ agent: 'quinn' })).toEqual([])
  })

  rule('holds what a service sends an agent or a person beyond the allowed rate', async () => {
    verifies('G17.pair')
    const agents = ['quinn', ...PEOPLE, { id: 'ci', kind: 'service' }] as const
    const { postern } = await open({ agents, limits: { pairBurst: 2, pairPerMinute: 1 } })
    const ci = postern.as(caller('ci', 'service'))
    const send = async (to: string) => stateIn(await ci.inbox.push({ to: [to], content: 'built', priority: 0 }))
    expect([await send('quinn'), await send('quinn'), await send('quinn')]).toEqual(['pending', 'pending', 'held'])
    expect([await send('justin'), await send('justin'), await send('justin')]).toEqual(['pending', 'pending', 'held'])
  })

  rule('refuses the broadcasts of services', async () => {
    verifies('G17.pair')
    const { postern } = await open({ agents: ['quinn', { id: 'ci', kind: 'service' }] })
    const { inbox } = postern.as(caller('ci', 'service'))
    const error = await refused(inbox.push({ to: ['all'], content: 'built' }), 'NOT_ALLOWED')
    expect(error.message).toBe('ci is a service, and services cannot broadcast.')
    await refused(inbox.pushMany({ messages: [{ to: ['all'], content: 'built' }] }), 'NOT_ALLOWED')
    expect(await read(postern, 'quinn')).toEqual([])
  })

  rule('holds what an agent sends itself beyond the allowed rate', async () => {
    verifies('S000.self', 'G17.pair')
    const { postern } = await open({ agents: ['quinn', ...PEOPLE], limits: { pairBurst: 3, pairPerMinute: 1 } })
    const quinn = postern.as(caller('quinn'))
    const states = []
    for (let i = 0; i < 5; i++) states.push(stateIn(await quinn.inbox.push({ content: `note ${i}` })))
    expect(states).toEqual(['pending', 'pending', 'pending', 'held', 'held'])
    expect(await read(postern, 'quinn')).toEqual(['note 0', 'note 1', 'note 2'])
    const told = await read(postern, 'justin')
    expect(told.filter((notice) => notice.includes('beyond the allowed rate'))).toHaveLength(1)
  })

  rule('holds the replies of an agent to itself after the last allowed hop', async () => {
    verifies('G17.hops')
    const { postern } = await open({ agents: ['quinn', ...PEOPLE], limits: { hops: 2, pairBurst: 100 } })
    const quinn = postern.as(caller('quinn'))
    let { id } = await quinn.inbox.push({ content: 'note' })
    const states = []
    for (let i = 0; i < 4; i++) {
      const reply = await quinn.inbox.push({ content: `reply ${i}`, replyTo: id })
      states.push(stateIn(reply))
      id = reply.id
    }
    expect(states).toEqual(['pending', 'pending', 'held', 'held'])
  })

  rule('tells a person once of a sender and once of a thread', async () => {
    verifies('G17.told-once')
    const limits = { hops: 1, pairBurst: 4, pairPerMinute: 1 }
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    const thread = await pingPong(postern, 5)
    expect(thread.map(stateIn)).toEqual(['pending', 'pending', 'held', 'held', 'held'])
    const ada = postern.as(caller('ada'))
    for (let i = 0; i < 6; i++) await ada.inbox.push({ to: ['quinn'], content: `news ${i}` })
    const notices = (await postern.inbox.drain({ agent: 'justin' })).messages
    expect(notices).toMatchObject([
      {
        type: 'system',
        from: { id: 'system', kind: 'system', verified: true },
        content: expect.stringContaining(thread[0]?.id ?? ''),
      },
      { type: 'system', subject: 'ada writes too often' },
    ])
  })

  rule('tells the owners where there are any, else everybody human', async () => {
    verifies('G17.told-once')
    const owner = { id: 'olga', kind: 'human', isOwner: true } as const
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE, owner], limits: { hops: 0, pairBurst: 9 } })
    await pingPong(postern, 2)
    expect(await read(postern, 'olga')).toHaveLength(1)
    expect(await read(postern, 'justin')).toEqual([])
  })

  rule('shows what is held where there is nobody to tell', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'], limits: { hops: 0, pairBurst: 9 } })
    await pingPong(postern, 2)
    const { checks } = await postern.upkeep.check()
    expect(checks.find(({ name }) => name === 'inbox.held')).toMatchObject({ ok: false, level: 'warning' })
  })

  rule('shows what is held to nobody until a person lets it go', async () => {
    verifies('G17.thread')
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits: { hops: 0, pairBurst: 9 } })
    const [, reply] = await pingPong(postern, 2)
    const id = reply?.id ?? ''
    await read(postern, 'ada')
    expect(await postern.inbox.held()).toMatchObject([{ id, agent: 'ada', state: 'held' }])
    expect(await postern.inbox.held({ agent: 'quinn' })).toEqual([])
    expect(await postern.inbox.releaseHeld({ id, agent: 'ada' })).toEqual({ released: 1 })
    await refused(postern.inbox.releaseHeld({ id }), 'DELIVERY_STATE')
    expect(await read(postern, 'ada')).toEqual(['reply 1'])
  })

  rule('takes back what is held like anything else that was not shown', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'], limits: { hops: 0, pairBurst: 9 } })
    const [, reply] = await pingPong(postern, 2)
    expect(await postern.inbox.cancel({ id: reply?.id ?? '' })).toEqual({ cancelled: 1 })
    expect(await stateOf(postern, reply?.id ?? '')).toBe('cancelled')
    expect(await postern.inbox.held()).toEqual([])
  })

  rule('spends nothing on a repeated push', async () => {
    verifies('G3.same-id')
    const limits = { pairBurst: 2, pairPerMinute: 1 }
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits })
    const ada = postern.as(caller('ada'))
    const notice = { to: ['quinn'], content: 'done', dedupKey: 'done:1' }
    for (let i = 0; i < 5; i++) expect(stateIn(await ada.inbox.push(notice))).toBe('pending')
    expect(await read(postern, 'justin')).toEqual([])
    expect(stateIn(await ada.inbox.push({ to: ['quinn'], content: 'the second' }))).toBe('pending')
  })

  rule('lets nobody prevent the notice by sending it beforehand', async () => {
    verifies('G17.told-once')
    const { postern } = await open({ agents: ['ada', 'quinn', ...PEOPLE], limits: { pairBurst: 1, pairPerMinute: 1 } })
    const ada = postern.as(caller('ada'))
    await ada.inbox.push({ to: ['justin'], content: 'squatting', dedupKey: 'held:pair:ada:quinn' })
    await ada.inbox.push({ to: ['quinn'], content: 'first' })
    expect(stateIn(await ada.inbox.push({ to: ['quinn'], content: 'second' }))).toBe('held')
    expect((await read(postern, 'justin')).filter((notice) => notice.includes('beyond the allowed rate'))).toHaveLength(
      1,
    )
  })
})

/** Two agents that answer each other: the first message and then one reply after the other. */
async function pingPong(postern: Postern, count: number): Promise<PushResult[]> {
  const sent: PushResult[] = []
  for (let i = 0; i < count; i++) {
    const [from, to] = i % 2 ? ['quinn', 'ada'] : ['ada', 'quinn']
    const previous = sent.at(-1)
    const reply = previous ? { replyTo: previous.id } : {}
    sent.push(
      await postern.as(caller(from as string)).inbox.push({ to: [to as string], content: `reply ${i}`, ...reply }),
    )
  }
  return sent
}
