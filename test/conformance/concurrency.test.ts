import { expect } from 'vitest'
import type { Postern } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, contents, read, stepsOf, tell, type World } from './suite.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`)

conformance('concurrency', ({ rule, open }) => {
  for (const k of [2, 8, 32]) {
    rule(`shows each message exactly once to ${k} drains at once`, async () => {
      verifies('G5.concurrent-drains', 'G4.exactly-once')
      const world = await open()
      const said = numbered(100)
      await world.postern.inbox.pushMany({ messages: said.map((content) => ({ to: ['quinn'], content })) })
      const posterns = await some(world, 4)
      const shown: string[] = []
      for (let round = 0; shown.length < said.length && round < said.length; round++) {
        const drains = Array.from({ length: k }, (_, i) => read(at(posterns, i), { agent: 'quinn', maxMessages: 3 }))
        shown.push(...(await Promise.all(drains)).flat())
      }
      expect(shown.toSorted()).toEqual(said.toSorted())
      expect(await read(world.postern, 'quinn')).toEqual([])
    })
  }

  rule('never offers one delivery twice while drains and releases cross', async () => {
    verifies('G5.concurrent-drains')
    const world = await open({ limits: { attempts: 1_000 } })
    const said = numbered(20)
    for (const content of said) await tell(world.postern, 'quinn', content)
    const posterns = await some(world, 4)
    const open_ = new Set<string>()
    const work = async (postern: Postern, i: number) => {
      const { offer, messages } = await postern.inbox.drain({ agent: 'quinn', maxMessages: 5 })
      for (const { id } of messages) {
        expect(open_.has(id)).toBe(false)
        open_.add(id)
      }
      if (!offer) return
      if (i % 2 === 0) {
        for (const { id } of messages) open_.delete(id)
        await postern.inbox.release({ offerId: offer.id, reason: 'again' })
      } else await postern.inbox.confirm({ offerId: offer.id, evidence: 'read', printed: true })
    }
    for (let round = 0; round < 20; round++) await Promise.all(posterns.map(work))
    const { items } = await world.postern.inbox.list({ agent: 'quinn', which: 'all' })
    expect(items.every(({ state }) => state === 'seen' || state === 'pending')).toBe(true)
    expect(items.map(({ content }) => content)).toEqual(said)
  })

  rule('stores one of many pushes at once under one key, and answers all with its id', async () => {
    verifies('G3.concurrent', 'G3.same-id')
    const world = await open()
    const posterns = await some(world, 4)
    const pushes = Array.from({ length: 24 }, (_, i) =>
      at(posterns, i).inbox.push({ to: ['quinn'], content: 'once', dedupKey: 'key' }),
    )
    const results = await Promise.all(pushes)
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(await read(world.postern, 'quinn')).toEqual(['once'])
  })

  rule('stores one of many broadcasts at once under one key', async () => {
    verifies('G3.concurrent')
    const world = await open()
    const posterns = await some(world, 4)
    const pushes = Array.from({ length: 16 }, (_, i) =>
      at(posterns, i).inbox.push({ to: ['all'], content: 'once', dedupKey: 'key' }),
    )
    const results = await Promise.all(pushes)
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(await read(world.postern, 'quinn')).toEqual(['once'])
  })

  rule('lets one of many different messages win a key, and refuses the others', async () => {
    verifies('G3.concurrent', 'G3.conflict')
    const world = await open()
    const posterns = await some(world, 4)
    const attempts = Array.from({ length: 12 }, (_, i) =>
      at(posterns, i).inbox.push({ to: ['quinn'], content: `${i}`, dedupKey: 'key' }),
    )
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = results.filter((result) => result.status === 'rejected')
    expect(refusals.every(({ reason }) => reason.code === 'DEDUP_CONFLICT')).toBe(true)
    expect(await read(world.postern, 'quinn')).toHaveLength(1)
  })

  rule('completes a keyed push to overlapping recipients with one delivery each', async () => {
    verifies('G3.concurrent', 'S000.dedup.per-recipient')
    const world = await open({ agents: ['a', 'b', 'c', 'd'] })
    const posterns = await some(world, 4)
    const groups = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['d', 'a'],
      ['a', 'b', 'c', 'd'],
      ['d', 'c', 'b', 'a'],
    ]
    await Promise.all(groups.map((to, i) => at(posterns, i).inbox.push({ to, content: 'once', dedupKey: 'key' })))
    for (const agent of ['a', 'b', 'c', 'd']) expect(await read(world.postern, agent)).toEqual(['once'])
  })

  rule('pushes to overlapping recipients in any order without a deadlock', async () => {
    verifies('G2.all-or-nothing', 'G6.inbox-order')
    const agents = ['a', 'b', 'c', 'd', 'e']
    const world = await open({ agents })
    const posterns = await some(world, 4)
    const pushes = Array.from({ length: 40 }, (_, i) => {
      const to = i % 2 ? agents.slice(i % 4) : agents.slice(0, 2 + (i % 4)).reverse()
      return at(posterns, i).inbox.push({ to, content: `push ${i}` })
    })
    const results = await Promise.all(pushes)
    for (const agent of agents) {
      const expected = results.filter(({ recipients }) =>
        recipients.some((recipient) => recipient.agent === agent),
      ).length
      const { items } = await world.postern.inbox.list({ agent })
      expect(items.map(({ inboxSeq }) => inboxSeq)).toEqual(Array.from({ length: expected }, (_, i) => i + 1))
    }
  })

  rule('keeps the order of each sender among many', async () => {
    verifies('G6.inbox-order')
    const world = await open()
    const posterns = await some(world, 4)
    const sending = posterns.map(async (postern, sender) => {
      for (let i = 0; i < 15; i++) await postern.inbox.push({ to: ['quinn'], content: `${sender}/${i}` })
    })
    await Promise.all(sending)
    const shown = await read(world.postern, { agent: 'quinn', maxMessages: 100 })
    for (const sender of posterns.keys()) {
      const own = shown.filter((content) => content.startsWith(`${sender}/`))
      expect(own).toEqual(Array.from({ length: 15 }, (_, i) => `${sender}/${i}`))
    }
  })

  rule('never takes more into an inbox than it may hold', async () => {
    verifies('G17.inbox')
    const world = await open({ limits: { pendingPerAgent: 10 } })
    const posterns = await some(world, 4)
    const attempts = Array.from({ length: 30 }, (_, i) => tell(at(posterns, i), 'quinn', `${i}`))
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    expect(contents(await world.postern.inbox.drain({ agent: 'quinn', maxMessages: 100 }))).toHaveLength(10)
  })

  rule('lets one of many confirmations and releases win', async () => {
    const world = await open()
    const posterns = await some(world, 4)
    await tell(world.postern, 'quinn', 'hello')
    const { offer } = await world.postern.inbox.drain({ agent: 'quinn' })
    const offerId = offer?.id ?? ''
    await world.postern.inbox.printed({ offerId })
    const outcomes = await Promise.allSettled(
      posterns.map((postern, i) =>
        i % 2 ? postern.inbox.confirm({ offerId, evidence: 'read' }) : postern.inbox.release({ offerId, reason: 'no' }),
      ),
    )
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value.outcome)
    expect(new Set(winners).size).toBe(1)
  })

  rule('confirms an offer once, and answers all who confirm it at once with that', async () => {
    verifies('G4.exactly-once')
    const world = await open()
    const posterns = await some(world, 8)
    for (let round = 0; round < 8; round++) {
      await tell(world.postern, 'quinn', `round ${round}`)
      const { offer } = await world.postern.inbox.drain({ agent: 'quinn' })
      const offerId = offer?.id ?? ''
      await world.postern.inbox.printed({ offerId })
      const confirmed = await Promise.all(
        posterns.map((postern, i) => postern.inbox.confirm({ offerId, evidence: `by ${i}` })),
      )
      expect(confirmed.map(({ outcome }) => outcome)).toEqual(posterns.map(() => 'confirmed'))
      expect(new Set(confirmed.map(({ evidence }) => evidence)).size).toBe(1)
    }
  })

  rule('acks a message once, and answers all who ack it at once alike', async () => {
    const world = await open()
    const posterns = await some(world, 8)
    for (let round = 0; round < 8; round++) {
      const id = await tell(world.postern, 'quinn', `round ${round}`)
      await read(world.postern, 'quinn')
      const acked = await Promise.all(posterns.map((postern) => postern.inbox.ack({ agent: 'quinn', ids: [id] })))
      expect(acked).toEqual(posterns.map(() => [{ id, state: 'acted' }]))
      expect((await stepsOf(world.postern, id)).filter((step) => step === 'acted')).toHaveLength(1)
    }
  })

  rule('registers an agent once, however many register it at once', async () => {
    const world = await open({ agents: [] })
    const posterns = await some(world, 4)
    const added = await Promise.all(Array.from({ length: 16 }, (_, i) => at(posterns, i).agents.add({ id: 'quinn' })))
    expect(new Set(added.map(({ id }) => id))).toEqual(new Set(['quinn']))
    expect(await world.postern.agents.list()).toHaveLength(1)
  })

  rule('takes a broadcast up once, however many drains meet it', async () => {
    verifies('G5.concurrent-drains', 'S000.broadcast.each')
    const world = await open()
    const posterns = await some(world, 4)
    for (const content of numbered(5)) await world.postern.inbox.push({ to: ['all'], content })
    const shown = await Promise.all(Array.from({ length: 16 }, (_, i) => read(at(posterns, i), 'quinn')))
    expect(shown.flat().toSorted()).toEqual(numbered(5))
  })

  rule('spends the budget of a pair exactly once a message', async () => {
    verifies('G17.pair')
    const world = await open({ agents: ['ada', 'quinn'], limits: { pairBurst: 5, pairPerMinute: 1 } })
    const posterns = (await some(world, 4)).map((postern) => postern.as(caller('ada')))
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, i) => at(posterns, i).inbox.push({ to: ['quinn'], content: `${i}` })),
    )
    expect(results.filter(({ recipients }) => recipients[0]?.state === 'pending')).toHaveLength(5)
  })
})

async function some(world: World, count: number): Promise<Postern[]> {
  return Promise.all(Array.from({ length: count }, () => world.again()))
}

function at(posterns: readonly Postern[], index: number): Postern {
  return posterns[index % posterns.length] as Postern
}
