import { expect } from 'vitest'
import type { Postern } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { asTimePasses, caller, conformance, read, refused, show, tell, type World } from './suite.ts'

/** A waiter looks by itself every 30 s. Whatever takes less than this was woken by a ring. */
const WOKEN_WITHIN_MS = 25_000

/** Something that must wake a waiter, and what has to be there before. */
interface Wake {
  readonly what: string
  before?(world: World): Promise<void>
  act(world: World, other: Postern): Promise<unknown>
}

const WAKES: readonly Wake[] = [
  { what: 'a push', act: (_, other) => other.inbox.push({ to: ['quinn'], content: 'hello' }) },
  { what: 'a push to many', act: (_, other) => other.inbox.push({ to: ['ada', 'quinn'], content: 'hello' }) },
  { what: 'a batch', act: (_, other) => other.inbox.pushMany({ messages: [{ to: ['quinn'], content: 'hello' }] }) },
  { what: 'a broadcast', act: (_, other) => other.inbox.push({ to: ['all'], content: 'hello' }) },
  {
    what: 'an offer that was given back',
    before: tellAndOffer,
    act: async ({ postern }, other) => other.inbox.release({ offerId: await offered(postern), reason: 'closed pipe' }),
  },
  {
    what: 'the end of a session that leaves something',
    before: tellAndOffer,
    act: (_, other) => other.sessions.end({ id: 'ses-1' }),
  },
  {
    what: 'upkeep that takes a lapsed offer back',
    before: tellAndOffer,
    act({ advance }, other) {
      advance(30_000)
      return other.upkeep.run()
    },
  },
  {
    what: 'a held message that a person lets go',
    async before({ postern }) {
      const { id } = await postern.as(caller('ada')).inbox.push({ to: ['rex'], content: 'first' })
      await postern.as(caller('rex')).inbox.push({ to: ['quinn'], content: 'held', replyTo: id })
    },
    async act({ postern }, other) {
      const [held] = await postern.inbox.held()
      return other.inbox.releaseHeld({ id: held?.id ?? '' })
    },
  },
]

conformance('wait', ({ rule, open }) => {
  const agents = ['ada', 'quinn', 'rex', { id: 'justin', kind: 'human' }] as const

  for (const { what, before, act } of WAKES) {
    for (const where of ['in the same process', 'from another'] as const) {
      rule(`is woken by ${what} ${where}`, async () => {
        verifies('S000.wait')
        const world = await open({ agents, limits: { hops: 0, pairBurst: 9 } })
        const other = where === 'from another' ? await world.again() : world.postern
        await before?.(world)
        const { pending } = await woken(world.postern.inbox.wait({ agent: 'quinn' }), () => act(world, other))
        expect(pending).toBeGreaterThan(0)
        expect(await read(world.postern, 'quinn')).toHaveLength(1)
      })
    }
  }

  rule('returns at once where something waits already', async () => {
    verifies('S000.wait')
    const { postern } = await open()
    await tell(postern, 'quinn', 'one')
    await tell(postern, 'quinn', 'two')
    expect(await postern.inbox.wait({ agent: 'quinn' })).toEqual({ pending: 2 })
  })

  rule('misses nothing that comes between two waits', async () => {
    verifies('S000.wait')
    const { postern, again } = await open()
    const other = await again()
    const said = Array.from({ length: 30 }, (_, i) => `message ${i}`)
    const reading = (async () => {
      const seen: string[] = []
      while (seen.length < said.length) {
        await postern.inbox.wait({ agent: 'quinn' })
        seen.push(...(await read(postern, 'quinn')))
      }
      return seen
    })()
    for (const content of said) await tell(other, 'quinn', content)
    expect(await withinTime(reading)).toEqual(said)
  })

  rule('wakes every waiter of an agent, and none of another', async () => {
    const { postern, again } = await open({ agents: ['ada', 'quinn'] })
    const others = [await again(), await again()]
    const waiting = others.map((other) => other.inbox.wait({ agent: 'quinn' }))
    const stop = new AbortController()
    const bystander = postern.inbox.wait({ agent: 'ada', signal: stop.signal })
    await tell(postern, 'quinn', 'hello')
    expect(await withinTime(Promise.all(waiting))).toEqual([{ pending: 1 }, { pending: 1 }])
    stop.abort()
    expect(await bystander).toEqual({ pending: 0 })
  })

  rule('ends with nothing when its time is over, or when it is told to', async () => {
    const { postern, advance } = await open()
    const timed = postern.inbox.wait({ agent: 'quinn', timeoutMs: 5 })
    expect(await asTimePasses(advance, timed)).toEqual({ pending: 0 })
    expect(await postern.inbox.wait({ agent: 'quinn', signal: AbortSignal.abort() })).toEqual({ pending: 0 })
    const stop = new AbortController()
    const stopped = postern.inbox.wait({ agent: 'quinn', signal: stop.signal })
    stop.abort()
    expect(await stopped).toEqual({ pending: 0 })
  })

  rule('is woken by nothing that an agent says to itself', async () => {
    verifies('S000.self')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const quinn = postern.as(caller('quinn'))
    await quinn.inbox.push({ to: ['all'], content: 'I am here' })
    expect(await quinn.inbox.wait({ agent: 'quinn', signal: AbortSignal.abort() })).toEqual({ pending: 0 })
  })

  rule('does not take what has expired for something that waits', async () => {
    const { postern, advance } = await open()
    await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: 1 })
    await postern.inbox.push({ to: ['all'], content: 'brief', ttlMs: 1 })
    advance(1)
    expect(await postern.inbox.wait({ agent: 'quinn', signal: AbortSignal.abort() })).toEqual({ pending: 0 })
  })

  rule('can wait for what is urgent only, also where that has lapsed', async () => {
    const { postern, advance } = await open()
    const look = (maxPriority: 1 | 2) =>
      postern.inbox.wait({ agent: 'quinn', maxPriority, signal: AbortSignal.abort() })
    await postern.inbox.push({ to: ['quinn'], content: 'low', priority: 3 })
    await postern.inbox.push({ to: ['all'], content: 'low', priority: 3 })
    expect(await look(2)).toEqual({ pending: 0 })
    await postern.inbox.drain({ agent: 'quinn' })
    advance(30_000)
    expect(await look(2)).toEqual({ pending: 0 })
    await postern.inbox.push({ to: ['quinn'], content: 'normal', priority: 2 })
    await postern.inbox.push({ to: ['all'], content: 'high', priority: 1 })
    expect(await look(2)).toEqual({ pending: 2 })
    expect(await look(1)).toEqual({ pending: 1 })
    await postern.inbox.drain({ agent: 'quinn' })
    advance(30_000)
    expect(await look(2)).toEqual({ pending: 2 })
    await refused(postern.inbox.wait({ agent: 'quinn', maxPriority: 9 as never }), 'PRIORITY_INVALID')
  })

  rule('can wait for what others say only', async () => {
    verifies('S000.self')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const look = () => postern.inbox.wait({ agent: 'quinn', fromOthers: true, signal: AbortSignal.abort() })
    await postern.as(caller('quinn')).inbox.push({ to: ['quinn'], content: 'a note' })
    expect(await look()).toEqual({ pending: 0 })
    await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'hello' })
    expect(await look()).toEqual({ pending: 1 })
    expect(await postern.inbox.wait({ agent: 'quinn', signal: AbortSignal.abort() })).toEqual({ pending: 2 })
  })

  rule('looks for itself where it cannot hear, and notes that it cannot', async () => {
    verifies('S000.wait')
    const noted: string[] = []
    const { postern, again } = await open({ deaf: true, note: (event) => noted.push(event) })
    const waiting = postern.inbox.wait({ agent: 'quinn' })
    await lookedOnce()
    await tell(await again(), 'quinn', 'hello')
    expect(await withinTime(waiting)).toEqual({ pending: 1 })
    expect(noted).toContain('listen.failed')
  })

  rule('refuses a time that is none', async () => {
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    for (const timeoutMs of [Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      await refused(postern.inbox.wait({ agent: 'quinn', timeoutMs }), 'VALUE_INVALID')
      await refused(postern.inbox.waitFor({ id, stage: 'stored', timeoutMs }), 'VALUE_INVALID')
    }
    expect(await postern.inbox.wait({ agent: 'quinn', timeoutMs: 0 })).toEqual({ pending: 1 })
  })

  rule('refuses to wait for nobody', async () => {
    const { postern } = await open()
    await refused(postern.inbox.wait({ agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(postern.inbox.waitFor({ id: 'msg_nothing', stage: 'seen', timeoutMs: 1 }), 'MESSAGE_NOT_FOUND')
  })

  rule('wakes a person who has to be told of something', async () => {
    verifies('S000.wait', 'G17.told-once')
    const { postern, again } = await open({ agents, limits: { hops: 0, pairBurst: 9 } })
    const other = await again()
    const { id } = await other.as(caller('ada')).inbox.push({ to: ['rex'], content: 'first' })
    await woken(postern.inbox.wait({ agent: 'justin' }), () =>
      other.as(caller('rex')).inbox.push({ to: ['ada'], content: 'held', replyTo: id }),
    )
    expect(await read(postern, 'justin')).toHaveLength(1)
  })

  rule('wakes whoever waits for a receipt at every stage, and when it can no longer come', async () => {
    verifies('S000.receipt', 'S000.wait')
    const { postern, again } = await open()
    const other = await again()
    const id = await tell(postern, 'quinn', 'hello')
    const stage = (name: 'offered' | 'seen' | 'acted') => postern.inbox.waitFor({ id, stage: name, timeoutMs: 60_000 })
    let offerId = ''
    await woken(stage('offered'), async () => {
      offerId = (await show(other, { agent: 'quinn' })).offerId
    })
    await woken(stage('seen'), () => other.inbox.confirm({ offerId, evidence: 'read' }))
    await woken(stage('acted'), () => other.inbox.ack({ agent: 'quinn', ids: [id] }))

    const lost = await tell(postern, 'quinn', 'never mind')
    const waiting = postern.inbox.waitFor({ id: lost, stage: 'seen', timeoutMs: 60_000 })
    await woken(refused(waiting, 'DELIVERY_STATE'), () => other.inbox.cancel({ id: lost }))
  })

  rule('waits past the time to live of a message that was shown in time', async () => {
    verifies('S000.receipt')
    const { postern, again, advance } = await open()
    const other = await again()
    const brief = { to: ['quinn'], content: 'brief', ttlMs: 1_000 }
    const { id } = await postern.inbox.push(brief)
    await read(postern, 'quinn')
    advance(2_000)
    await woken(postern.inbox.waitFor({ id, stage: 'acted', timeoutMs: 60_000 }), () =>
      other.inbox.ack({ agent: 'quinn', ids: [id] }),
    )
    const { id: unseen } = await postern.inbox.push({ ...brief, content: 'unseen' })
    const waiting = postern.inbox.waitFor({ id: unseen, stage: 'seen', timeoutMs: 60_000 })
    expect((await refused(asTimePasses(advance, waiting), 'DELIVERY_STATE')).message).toContain('expired')
    // The sender of a broadcast gets no delivery of it, so this one has none.
    const quinn = postern.as(caller('quinn'))
    const { id: toAll } = await quinn.inbox.push({ ...brief, to: ['all'] })
    advance(2_000)
    const late = await refused(quinn.inbox.waitFor({ id: toAll, stage: 'seen', timeoutMs: 60_000 }), 'DELIVERY_STATE')
    expect(late.message).toContain('expired')
  })

  rule('says in words what is missing when a receipt does not come in time', async () => {
    verifies('S000.receipt')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const waiting = postern.inbox.waitFor({ id, stage: 'seen', timeoutMs: 5 })
    const error = await refused(asTimePasses(advance, waiting), 'TIMED_OUT')
    expect(error.message).toContain('quinn has not drained its inbox')
  })

  rule('takes a receipt of a broadcast for complete only when every agent has given it', async () => {
    verifies('S000.receipt')
    const { postern, advance } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'hello' })
    await read(postern, 'ada')
    const waiting = postern.inbox.waitFor({ id, stage: 'seen', timeoutMs: 5 })
    await refused(asTimePasses(advance, waiting), 'TIMED_OUT')
    await read(postern, 'quinn')
    expect((await postern.inbox.waitFor({ id, stage: 'seen', timeoutMs: 5 })).deliveries).toHaveLength(2)
  })
})

async function tellAndOffer({ postern }: World): Promise<void> {
  await tell(postern, 'quinn', 'hello')
  await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1' })
}

async function offered(postern: Postern): Promise<string> {
  const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all' })
  const { deliveries } = await postern.inbox.trace({ id: items[0]?.id ?? '' })
  return deliveries[0]?.offerId ?? ''
}

/** Expects that the act wakes whoever waits, long before a look by itself would. */
async function woken<T>(waiting: Promise<T>, act: () => Promise<unknown>): Promise<T> {
  await lookedOnce()
  const [result] = await withinTime(Promise.all([waiting, act()]))
  return result
}

/** Gives a waiter the turns it needs for its first look, so that it is the ring that wakes it. Either way it must wake. */
async function lookedOnce(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}

async function withinTime<T>(waiting: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('nothing rang')), WOKEN_WITHIN_MS)
  return Promise.race([waiting, late]).finally(() => clearTimeout(timer))
}
