import { expect } from 'vitest'
import { EVENT_TYPES } from '../../../src/model/network/event.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { useUpStops } from '../gates/people.ts'
import { caller, conformance, read, refused, show, tell, type World } from '../suite.ts'
import { presentOf, toldBy, toldSince } from './telling.ts'

const AGENTS = ['ada', 'quinn', { id: 'justin', kind: 'human' }] as const

/** What somebody does, and what is told of it, in order. Messages and notices that come with it are left out. */
interface Deed {
  readonly what: string
  act(world: World): Promise<unknown>
  readonly types: readonly string[]
}

const DEEDS: readonly Deed[] = [
  {
    what: 'agents come, change their names, go and come back',
    async act({ postern: { agents } }) {
      await agents.add({ id: 'rex' })
      await agents.add({ id: 'rex' })
      await agents.rename({ id: 'rex', displayName: 'Rex the Second' })
      await agents.remove({ id: 'rex' })
      await agents.add({ id: 'rex', restore: true })
    },
    types: ['agent.added', 'agent.renamed', 'agent.removed', 'agent.restored'],
  },
  {
    what: 'sessions begin, rest, work on, end and go on, and their heartbeats say nothing',
    async act({ postern: { sessions }, advance }) {
      const note = (event: string) => sessions.note({ id: 's1', agent: 'quinn', event, ageMs: 0 })
      await sessions.begin({ id: 's1', agent: 'quinn' })
      for (const event of ['session.start', 'prompt.submit', 'tool.before', 'tool.after', 'tool.before']) {
        advance(1_000)
        await note(event)
      }
      await sessions.setStop({ id: 's1', outcome: 'granted' })
      await sessions.end({ id: 's1' })
      await sessions.begin({ id: 's1', agent: 'quinn' })
    },
    types: ['session.begun', 'session.idle', 'session.active', 'session.idle', 'session.ended', 'session.begun'],
  },
  {
    what: 'gates open and close',
    async act({ postern, advance }) {
      const { gates } = postern.as(caller('justin', 'human'))
      const reason = 'look first'
      const open = () => gates.create({ agent: 'quinn', kind: 'human', reason, timeoutMs: 60_000 })
      await gates.resolve({ id: (await open()).id, reason })
      await gates.waive({ id: (await open()).id, reason })
      const breached = await open()
      const passed = { agent: 'quinn', sessionId: 's1', names: [breached.id], evidence: 'it stopped' }
      await useUpStops(postern, 's1')
      await gates.passed({ ...passed, outcome: 'breached' })
      await gates.check({ id: (await open()).id })
      advance(60_000)
      await gates.list({ agent: 'quinn' })
    },
    types: [
      ...['gate.opened', 'gate.resolved', 'gate.opened', 'gate.waived', 'gate.opened'],
      ...['session.begun', 'gate.breached'],
      ...['gate.opened', 'gate.expired'],
    ],
  },
  {
    what: 'attempts to open a gate or to answer a question are refused',
    async act({ postern }) {
      const { gates } = postern.as(caller('justin', 'human'))
      const { decisions } = postern.as(caller('quinn'))
      const { id } = await gates.create({ agent: 'quinn', kind: 'human', reason: 'look first' })
      const asked = await decisions.create({ question: 'ship it?' })
      await refused(postern.gates.resolve({ id, reason: 'x' }), 'NOT_ALLOWED')
      await refused(decisions.respond({ id: asked.id, text: 'yes' }), 'NOT_ALLOWED')
    },
    types: ['gate.opened', 'decision.created', 'gate.opened', 'gate.refused', 'decision.refused'],
  },
  {
    what: 'questions are asked, answered, taken back and forgotten',
    async act({ postern, advance }) {
      const { decisions } = postern.as(caller('quinn'))
      const ask = () => {
        advance(10_000)
        return decisions.create({ question: 'ship it?', options: [{ key: 'y', label: 'yes' }], deadlineMs: 60_000 })
      }
      const justin = postern.as(caller('justin', 'human'))
      await justin.decisions.respond({ id: (await ask()).id, select: 'y' })
      await decisions.cancel({ id: (await ask()).id, reason: 'never mind' })
      await ask()
      advance(60_000)
      await decisions.list()
    },
    types: [
      ...['decision.created', 'gate.opened', 'decision.responded', 'gate.resolved'],
      ...['decision.created', 'gate.opened', 'decision.cancelled', 'gate.waived'],
      ...['decision.created', 'gate.opened', 'decision.expired', 'gate.expired'],
    ],
  },
  {
    what: 'spaces are made, joined, talked in, left and closed',
    async act({ postern: { spaces, ...postern } }) {
      await spaces.create({ id: 'alpha', members: ['quinn'] })
      await spaces.join({ id: 'alpha', agent: 'ada' })
      await spaces.join({ id: 'alpha', agent: 'ada' })
      await postern.as(caller('ada')).spaces.post({ id: 'alpha', content: 'hello' })
      await spaces.leave({ id: 'alpha', agent: 'ada' })
      await spaces.close({ id: 'alpha' })
    },
    types: ['space.created', 'space.joined', 'space.joined', 'space.posted', 'space.left', 'space.closed'],
  },
  {
    what: 'plans are set, changed, paused, fired and deleted',
    async act({ postern: { plans } }) {
      const wanted = { agent: 'quinn', name: 'weekly', instruction: 'look', cron: '0 9 * * 1' }
      const [plan] = await plans.set({ plans: [wanted] })
      const id = plan?.id ?? ''
      await plans.set({ plans: [{ ...wanted, instruction: 'look again' }] })
      await plans.pause({ id })
      await plans.resume({ id })
      await plans.run({ id })
      await plans.delete({ ids: [id] })
    },
    types: ['plan.set', 'plan.set', 'plan.paused', 'plan.resumed', 'plan.fired', 'plan.deleted'],
  },
  {
    what: 'services are made, given new keys and revoked, and what they bring is a message',
    async act({ postern: { services } }) {
      const { id, key } = await services.create({ name: 'jira', agent: 'quinn' })
      await services.trigger({ agent: 'quinn', proof: { key }, payload: {} })
      await services.rotate({ id })
      await services.revoke({ id })
    },
    types: ['service.created', 'service.rotated', 'service.revoked'],
  },
  {
    what: 'deliveries are seen, acted on, given back, taken back, over, put aside and tried again',
    async act({ postern, advance }) {
      const ids = [await tell(postern, 'quinn', 'one'), await tell(postern, 'quinn', 'two')]
      await read(postern, 'quinn')
      await postern.inbox.ack({ agent: 'quinn', ids: ids.slice(0, 1) })
      const id = await tell(postern, 'quinn', 'three')
      const { offerId } = await show(postern, { agent: 'quinn' })
      await postern.inbox.release({ offerId, reason: 'closed pipe' })
      await postern.inbox.cancel({ id })
      await postern.inbox.push({ to: ['quinn'], content: 'four', ttlMs: 1_000 })
      advance(1_000)
      await postern.inbox.drain({ agent: 'quinn' })
      const dead = await tell(postern, 'quinn', 'five')
      for (const _ of [1, 2]) {
        const again = await show(postern, { agent: 'quinn' })
        await postern.inbox.release({ offerId: again.offerId, reason: 'closed pipe' })
      }
      await postern.inbox.retryDead({ id: dead })
    },
    types: [
      ...['delivery.seen', 'delivery.acted', 'delivery.released', 'delivery.cancelled', 'delivery.expired'],
      ...['delivery.released', 'delivery.released', 'delivery.dead', 'delivery.requeued'],
    ],
  },
  {
    what: 'a message is held, and let go by a person',
    async act({ postern }) {
      const ada = postern.as(caller('ada'))
      for (const content of ['one', 'two']) await ada.inbox.push({ to: ['quinn'], content })
      const [held] = await postern.inbox.held()
      await postern.inbox.releaseHeld({ id: held?.id ?? '' })
    },
    types: ['delivery.held', 'delivery.requeued'],
  },
]

conformance('events', ({ rule, open }) => {
  for (const { what, act, types } of DEEDS) {
    rule(`tell that ${what}`, async () => {
      verifies('events.all')
      const world = await open({ agents: AGENTS, limits: { pairBurst: 1, attempts: 2 } })
      const told = await toldBy(world.postern, () => act(world))
      const nouns = new Set(types.map((type) => type.split('.')[0]))
      expect(told.types.filter((type) => nouns.has(type.split('.')[0] ?? ''))).toEqual(types)
      expect(told.types.filter((type) => !EVENT_TYPES.includes(type))).toEqual([])
    })
  }

  rule('have deeds here for every type there is', async () => {
    const tried = new Set(['message.created', ...DEEDS.flatMap(({ types }) => types)])
    expect(EVENT_TYPES.filter((type) => !tried.has(type))).toEqual([])
  })

  rule('say of a message who, to whom and what about, and never its words', async () => {
    const { postern, now } = await open({ agents: AGENTS })
    let id = ''
    const { events } = await toldBy(postern, async () => {
      const pushed = { to: ['ada', 'quinn'], content: 'the very secret words', subject: 'Lunch', priority: 1 } as const
      ;({ id } = await postern.as(caller('justin', 'human')).inbox.push(pushed))
    })
    expect(events).toEqual([
      {
        cursor: expect.any(String),
        at: now(),
        type: 'message.created',
        subject: id,
        agents: ['justin', 'ada', 'quinn'],
        data: expect.objectContaining({
          ...{ id, type: 'agent', to: ['ada', 'quinn'], subject: 'Lunch', priority: 1, threadId: id },
          from: expect.objectContaining({ id: 'justin', kind: 'human' }),
          createdAt: new Date(now()).toISOString(),
        }),
      },
    ])
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  rule('tell of an offer once, with all the messages it showed', async () => {
    const { postern } = await open({ agents: AGENTS })
    const ids = [await tell(postern, 'quinn', 'one'), await tell(postern, 'quinn', 'two')]
    const { events } = await toldBy(postern, () => read(postern, 'quinn'))
    expect(events).toMatchObject([
      {
        type: 'delivery.seen',
        agents: ['quinn', 'local'],
        data: { agent: 'quinn', messages: ids, outcome: 'confirmed' },
      },
    ])
  })

  rule('tell of every message of a batch, in its order', async () => {
    const { postern } = await open()
    const messages = Array.from({ length: 50 }, (_, i) => ({ to: ['quinn'], content: `${i}` }))
    let ids: string[] = []
    const { events } = await toldBy(postern, async () => {
      ids = (await postern.inbox.pushMany({ messages })).map(({ id }) => id)
    })
    expect(events.map(({ subject }) => subject)).toEqual(ids)
  })

  rule('tell nothing of what was refused, or was there before', async () => {
    const { postern } = await open()
    const again = { to: ['quinn'], content: 'once', dedupKey: 'k' }
    await postern.inbox.push(again)
    const { types } = await toldBy(postern, async () => {
      await refused(postern.inbox.push({ to: ['nobody'], content: 'lost' }), 'AGENT_NOT_FOUND')
      const messages = [
        { to: ['quinn'], content: 'fine' },
        { to: ['nobody'], content: 'lost' },
      ]
      await refused(postern.inbox.pushMany({ messages }), 'AGENT_NOT_FOUND')
      await postern.inbox.push(again)
    })
    expect(types).toEqual([])
  })

  rule('concern those who are named in them, and a broadcast concerns everybody', async () => {
    verifies('events.visible')
    const { postern } = await open({ agents: [...AGENTS, 'rex'] })
    const cursor = await presentOf(postern)
    await tell(postern, 'quinn', 'for quinn')
    await postern.inbox.push({ to: ['all'], content: 'for everybody' })
    await postern.gates.create({ agent: 'ada', kind: 'human', reason: 'look', waiters: ['rex'] })
    const everything = (await toldSince(postern, cursor)).types
    expect(everything).toEqual(expect.arrayContaining(['message.created', 'gate.opened']))
    const seenBy = async (who: Postern) => (await who.events.list({ after: cursor, limit: 1_000 })).items
    const typesSeenBy = async (who: Postern) => (await seenBy(who)).map(({ type }) => type)
    expect(await typesSeenBy(postern.as(caller('justin', 'human')))).toEqual([...everything, 'agent.added'])
    expect(await typesSeenBy(postern.as(caller('quinn')))).toEqual([
      'message.created',
      'message.created',
      'agent.added',
    ])
    expect(await typesSeenBy(postern.as(caller('rex')))).toEqual(['message.created', 'gate.opened', 'agent.added'])
  })

  rule('name to a sender only its own messages of an offer, and not the session that took it', async () => {
    verifies('events.visible')
    const { postern } = await open({ agents: AGENTS })
    const [ada, quinn, justin] = [caller('ada'), caller('quinn'), caller('justin', 'human')].map((who) =>
      postern.as(who),
    ) as [Postern, Postern, Postern]
    const { id: sessionId } = await postern.sessions.begin({ id: 'session-of-quinn', agent: 'quinn' })
    const cursor = await presentOf(postern)
    const own = await tell(ada, 'quinn', 'from ada')
    const other = await tell(justin, 'quinn', 'from justin')
    await read(postern, { agent: 'quinn', sessionId })
    await toldSince(postern, cursor)
    const seenBy = async (who: Postern, filter: object = {}) =>
      (await who.events.list({ after: cursor, types: ['delivery.seen'], ...filter })).items
    const all = { agents: ['quinn', 'ada', 'justin'], data: { messages: [own, other], senders: ['ada', 'justin'] } }
    for (const reader of [postern, justin, quinn]) expect(await seenBy(reader)).toMatchObject([all])
    const [seen] = await seenBy(ada)
    expect(seen).toMatchObject({ agents: ['quinn', 'ada'], data: { messages: [own], senders: ['ada'] } })
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${other}|justin|${sessionId}`))
    expect(await seenBy(ada, { agent: 'justin' })).toEqual([])
    expect(await seenBy(ada, { agent: 'quinn' })).toEqual([seen])
  })

  rule('are told by type, by noun and by agent', async () => {
    const { postern } = await open({ agents: AGENTS })
    const act = async () => {
      await tell(postern, 'quinn', 'one')
      await tell(postern, 'ada', 'two')
      const { id } = await postern.gates.create({ agent: 'quinn', kind: 'human', reason: 'look' })
      await postern.as(caller('justin', 'human')).gates.resolve({ id, reason: 'looked' })
      await read(postern, 'ada')
    }
    const told = async (filter: object) => (await toldBy(postern, act, filter)).types
    expect(await told({ types: ['gate.*'] })).toEqual(['gate.opened', 'gate.resolved'])
    expect(await told({ types: ['gate.resolved', 'delivery.seen'] })).toEqual(['gate.resolved', 'delivery.seen'])
    expect(await told({ agent: 'ada' })).toEqual(['message.created', 'delivery.seen'])
    expect(await told({ agent: 'quinn', types: ['message.*'] })).toEqual(['message.created', 'message.created'])
  })

  rule('refuse what is no type, no cursor, no agent and no limit', async () => {
    const { postern } = await open()
    const cursor = await presentOf(postern)
    for (const type of ['gate.exploded', 'gates.*', '*', 'gate', '']) {
      await refused(postern.events.list({ types: [type] }), 'VALUE_INVALID')
    }
    for (const after of ['', '0', 'yesterday', `${cursor}0`, '9zzzzzzzzz9zzzzzzzzz000']) {
      await refused(postern.events.list({ after }), 'CURSOR_UNKNOWN')
    }
    await refused(postern.events.list({ agent: 'No One' }), 'AGENT_ID_INVALID')
    for (const limit of [0, -1, 1.5, 1_001]) await refused(postern.events.list({ limit }), 'VALUE_INVALID')
    for (const latest of [-1, 10_001]) await refused(postern.events.list({ latest }), 'VALUE_INVALID')
    await refused(postern.events.wait({ timeoutMs: -1 }), 'VALUE_INVALID')
  })
})
