import { expect } from 'vitest'
import type { AgentBatch } from '../../src/agent/batch.ts'
import { type AgentOptions, type AgentRuntime, agent } from '../../src/agent/runtime.ts'
import type { AgentPostern } from '../../src/agent/source.ts'
import { PosternError } from '../../src/model/errors.ts'
import type { Postern } from '../../src/model/postern.ts'
import { createSignal } from '../helpers/signal.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, refused, stateOf, tell, type World } from './suite.ts'

const SOON = { timeout: 20_000 }
const AT_ONCE = { minMs: 1, maxMs: 2 }

function quinn(postern: AgentPostern, options: Partial<AgentOptions> = {}): AgentRuntime {
  return agent(postern, { agent: 'quinn', retry: AT_ONCE, ...options })
}

function textsOf({ messages }: Pick<AgentBatch, 'messages'>): string[] {
  return messages.map(({ content }) => content)
}

/** Deals with batches until nothing waits any more. */
async function workAll(postern: Postern, runtime: AgentRuntime, work: (batch: AgentBatch) => unknown): Promise<void> {
  const stopped = async () => {
    if ((await postern.agents.show({ id: 'quinn' })).pending === 0) runtime.stop()
  }
  await runtime.run(
    async (batch) => {
      await work(batch)
      await batch.done()
      await stopped()
    },
    () => void stopped(),
  )
}

async function attemptOf(postern: Postern, content: string) {
  const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all', limit: 1_000 })
  const found = items.find((item) => item.content === content)
  return found && { state: found.state, attempt: found.attempt }
}

async function leaseOf(postern: Postern, id: string) {
  return (await postern.inbox.trace({ id })).deliveries[0]?.leaseExpiresAt
}

/** The same Postern, of which nothing is heard once it has taken a batch. */
function mute(postern: Postern): AgentPostern {
  return { ...postern, inbox: { ...postern.inbox, printed: () => Promise.reject(new Error('killed')) } }
}

/** The same Postern, whose verbs fail so many times first. */
function faltering(postern: Postern, failures: Partial<Record<keyof AgentPostern['inbox'], number>>): AgentPostern {
  const left = { ...failures }
  const inbox = Object.fromEntries(
    Object.entries(postern.inbox).map(([name, call]) => [
      name,
      async (input: never) => {
        const verb = name as keyof typeof left
        const count = left[verb] ?? 0
        left[verb] = count - 1
        if (count > 0) throw new PosternError('STORE_BUSY', { path: 'x', waited: '5s' })
        return (call as (input: never) => Promise<unknown>)(input)
      },
    ]),
  )
  return { sessions: postern.sessions, inbox: inbox as unknown as Postern['inbox'] }
}

conformance('the agent runtime', ({ rule, open }) => {
  rule('takes everything that waits as one batch, urgent first, and confirms it when the body has ended', async () => {
    verifies('S001.batch', 'S001.batch.settled')
    const { postern } = await open()
    await tell(postern, 'quinn', 'one')
    await tell(postern, 'quinn', 'two')
    await postern.inbox.push({ to: ['quinn'], content: 'urgent', priority: 0 })
    const runtime = quinn(postern)
    const seen: string[][] = []
    for await (const batch of runtime.batches()) {
      seen.push(textsOf(batch))
      expect((await attemptOf(postern, 'one'))?.state).toBe('offered')
      runtime.stop()
    }
    expect(seen).toEqual([['urgent', 'one', 'two']])
    for (const text of ['urgent', 'one', 'two'])
      expect(await attemptOf(postern, text)).toEqual({ state: 'seen', attempt: 1 })
  })

  rule('is woken by what another process pushes, one batch after another', async () => {
    verifies('S001.batch')
    const { postern, again } = await open()
    const other = await again()
    const runtime = quinn(postern)
    const woken = createSignal<string>()
    const running = runtime.run((batch) => textsOf(batch).forEach(woken.fire))
    for (const text of ['one', 'two', 'three']) {
      const next = woken.next()
      await tell(other, 'quinn', text)
      expect(await next).toBe(text)
    }
    runtime.stop()
    await running
    expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ pending: 0, session: null })
  })

  rule('reports why the work failed even if the batch cannot be returned', async () => {
    const { postern } = await open()
    await tell(postern, 'quinn', 'one')
    const fault = new Error('the store is gone')
    const released = { ...postern, inbox: { ...postern.inbox, release: () => Promise.reject(fault) } }
    const failed: unknown[] = []
    const work = () => {
      throw new Error('bad message')
    }
    const running = quinn(released).run(work, ({ error, retryMs }) => void failed.push([String(error), retryMs]))
    await expect(running).rejects.toBe(fault)
    expect(failed).toEqual([['Error: bad message', null]])
  })

  rule('is not woken by what the agent says to itself, and takes that along with the next batch', async () => {
    verifies('S000.self')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    await postern.as(caller('quinn')).inbox.push({ to: ['quinn'], content: 'a note' })
    const runtime = quinn(postern)
    const batches: string[][] = []
    const running = runtime.run((batch) => {
      batches.push(textsOf(batch))
      runtime.stop()
    })
    await expect.poll(async () => (await postern.sessions.list({ agent: 'quinn' })).length, SOON).toBe(1)
    await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'hello' })
    await running
    expect(batches).toEqual([['a note', 'hello']])
  })

  rule('hands over again what a body has thrown over or left, with the next attempt', async () => {
    verifies('S001.batch.settled')
    const { postern } = await open()
    await tell(postern, 'quinn', 'hello')
    const runtime = quinn(postern)
    const failing = (async () => {
      for await (const _ of runtime.batches()) throw new Error('out of paper')
    })()
    await expect(failing).rejects.toThrow('out of paper')
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'pending', attempt: 1 })
    for await (const batch of runtime.batches()) {
      expect(batch.messages[0]?.attempt).toBe(2)
      break
    }
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'pending', attempt: 2 })
    for await (const batch of runtime.batches()) {
      await batch.done()
      break
    }
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 3 })
    expect((await postern.agents.show({ id: 'quinn' })).session).toBeNull()
  })

  rule('says why a batch came back, whatever was thrown', async () => {
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const thrown = [new Error(`${'é'.repeat(2_000)}\0\ud800`), 'plain words', undefined]
    const runtime = quinn(postern)
    const failures: unknown[] = []
    await runtime.run(
      () => {
        if (failures.length === thrown.length) return runtime.stop()
        throw thrown[failures.length]
      },
      ({ error, batch, retryMs }) => {
        expect(retryMs).toBeGreaterThan(0)
        expect(textsOf(batch)).toEqual(['hello'])
        failures.push(error)
      },
    )
    expect(failures).toEqual(thrown)
    const [delivery] = (await postern.inbox.trace({ id })).deliveries
    const reasons = delivery?.steps.flatMap(({ step, evidence }) => (step === 'released' ? [evidence] : []))
    expect(reasons).toEqual(['é'.repeat(300), 'plain words', 'undefined'])
  })

  rule('hands over again what was lost in the middle, with the next attempt', async () => {
    verifies('S001.batch.settled')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const lost = quinn(mute(postern)).batches()
    await lost.next()
    expect(await stateOf(postern, id)).toBe('offered')
    advance(30_000)
    const runtime = quinn(postern)
    for await (const batch of runtime.batches()) {
      expect(batch.messages.map(({ id, attempt }) => ({ id, attempt }))).toEqual([{ id, attempt: 2 }])
      runtime.stop()
    }
    // Whoever was thought lost and comes back late changes nothing any more.
    await lost.return()
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 2 })
  })

  rule('never takes for done what an earlier run of the same session was lost with', async () => {
    verifies('S001.batch.settled')
    const { postern, advance, now } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const earlier = quinn(postern, { sessionId: 'analyst', leaseMs: 60_000 }).batches()
    await earlier.next()
    const [offer] = (await postern.inbox.trace({ id })).deliveries
    await postern.inbox.printed({ offerId: offer?.offerId ?? '', leaseMs: 60_000 })
    const later = quinn(postern, { sessionId: 'analyst' })
    const sleeping = later.batches().next()
    later.stop()
    await sleeping
    expect(await postern.sessions.list()).toEqual([])
    expect(await leaseOf(postern, id)).toBe(now() + 60_000)
    advance(60_000)
    await postern.upkeep.run()
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'pending', attempt: 1 })
    await earlier.return()
  })

  rule('holds what it works on for as long as that takes', async () => {
    verifies('S001.batch.held')
    const { postern, again, advance, now } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const runtime = quinn(postern, { leaseMs: 60 })
    for await (const _ of runtime.batches()) {
      for (let round = 0; round < 3; round++) {
        await expect.poll(() => leaseOf(postern, id), SOON).toBe(now() + 60)
        advance(50)
      }
      expect((await (await again()).inbox.drain({ agent: 'quinn' })).messages).toEqual([])
      runtime.stop()
    }
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 1 })
  })

  rule('holds what it works on also where a lease lasts for less than it has asked for', async () => {
    verifies('S001.batch.held')
    const { postern, advance, now } = await open({ limits: { printedOfferMs: 1_000, unprintedOfferMs: 300 } })
    const id = await tell(postern, 'quinn', 'hello')
    const runtime = quinn(postern, { leaseMs: 24 * 60 * 60_000 })
    for await (const _ of runtime.batches()) {
      for (let round = 0; round < 3; round++) {
        await expect.poll(() => leaseOf(postern, id), SOON).toBe(now() + 1_000)
        advance(100)
      }
      runtime.stop()
    }
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 1 })
  })

  rule('takes a thousand messages as two batches, in order', async () => {
    verifies('S001.batch.bounds')
    const { postern } = await open()
    const said = Array.from({ length: 1_000 }, (_, i) => `message ${i}`)
    await postern.inbox.pushMany({ messages: said.map((content) => ({ to: ['quinn'], content })) })
    const batches: { readonly texts: readonly string[]; readonly remaining: number }[] = []
    await workAll(postern, quinn(postern), (batch) =>
      batches.push({ texts: textsOf(batch), remaining: batch.remaining }),
    )
    expect(batches).toEqual([
      { texts: said.slice(0, 500), remaining: 500 },
      { texts: said.slice(500), remaining: 0 },
    ])
  })

  rule('keeps to its bounds, whatever the messages are like', async () => {
    verifies('S001.batch.bounds')
    const { postern } = await open()
    const urgent = Array.from({ length: 5 }, (_, i) => `urgent ${i}`)
    await tell(postern, 'quinn', 'old')
    for (const content of urgent) await postern.inbox.push({ to: ['quinn'], content, priority: 0 })
    const counted: string[][] = []
    await workAll(postern, quinn(postern, { maxMessages: 2 }), (batch) => counted.push(textsOf(batch)))
    expect(counted.map(({ length }) => length)).toEqual([2, 2, 2])
    expect(counted[0]).toEqual(['urgent 0', 'old'])

    const long = Array.from({ length: 4 }, (_, i) => `${i} ${'x'.repeat(4_000)}`)
    for (const content of long) await tell(postern, 'quinn', content)
    const sizes: number[] = []
    await workAll(postern, quinn(postern, { maxCharacters: 10_000 }), ({ text }) => sizes.push(text.length))
    expect(sizes).toHaveLength(2)
    for (const size of sizes) expect(size).toBeLessThan(10_000)
  })

  rule('waits for room instead of asking again and again', async () => {
    const { postern } = await open()
    await tell(postern, 'quinn', 'hello')
    let drains = 0
    const counting: AgentPostern = {
      ...postern,
      inbox: {
        ...postern.inbox,
        drain(input) {
          drains += 1
          return postern.inbox.drain(input)
        },
      },
    }
    const runtime = quinn(counting, { maxCharacters: 1, retry: { minMs: 600_000, maxMs: 600_000 } })
    const running = runtime.run(() => expect.unreachable())
    await expect.poll(() => drains, SOON).toBe(1)
    runtime.stop()
    await running
    expect(drains).toBe(1)
  })

  rule('never hands one message to two runtimes', async () => {
    verifies('S001.batch.held')
    const { postern, again } = await open()
    const runtimes = await Promise.all([1, 2].map(async () => quinn(await again(), { maxMessages: 7 })))
    const seen = createSignal<string>()
    const running = runtimes.map((runtime) => runtime.run((batch) => textsOf(batch).forEach(seen.fire)))
    const said = Array.from({ length: 120 }, (_, i) => `message ${i}`)
    for (let i = 0; i < said.length; i += 12) {
      const messages = said.slice(i, i + 12).map((content) => ({ to: ['quinn'], content }))
      await postern.inbox.pushMany({ messages })
    }
    await seen.times(said.length)
    for (const runtime of runtimes) runtime.stop()
    await Promise.all(running)
    expect(seen.values.toSorted()).toEqual(said.toSorted())
  })

  rule('tries what fails again in smaller parts, also among critical messages', async () => {
    verifies('S001.batch.parts')
    const { postern } = await open()
    const texts = Array.from({ length: 24 }, (_, index) => `${index}`)
    const messages = texts.map(
      (content) => ({ to: ['quinn'], content, priority: Number(content) % 2 ? 0 : 2 }) as const,
    )
    await postern.inbox.pushMany({ messages })
    await workAll(postern, quinn(postern), (batch) => {
      if (textsOf(batch).some((text) => text === '5' || text === '6')) throw new Error('cannot read it')
    })
    for (const text of texts)
      expect((await attemptOf(postern, text))?.state, text).toBe(text === '5' || text === '6' ? 'dead' : 'seen')
  })

  rule('finishes what it works on when it is stopped, and takes nothing more', async () => {
    verifies('S001.batch.stop')
    const { postern } = await open()
    for (const stop of [
      (runtime: AgentRuntime) => runtime.stop(),
      (_: AgentRuntime, by: AbortController) => by.abort(),
    ]) {
      const by = new AbortController()
      const runtime = quinn(postern, { signal: by.signal })
      await tell(postern, 'quinn', 'first')
      let rounds = 0
      for await (const batch of runtime.batches()) {
        rounds += 1
        stop(runtime, by)
        await tell(postern, 'quinn', 'later')
        expect(textsOf(batch)).toEqual(['first'])
      }
      expect(rounds).toBe(1)
      expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ pending: 1, session: null })
      for await (const _ of runtime.batches()) expect.unreachable()
      await postern.inbox
        .drain({ agent: 'quinn' })
        .then(({ offer }) => postern.inbox.confirm({ offerId: offer?.id ?? '', evidence: 'read', printed: true }))
    }
  })

  rule('ends at once when it is stopped while it sleeps or pauses', async () => {
    verifies('S001.batch.stop')
    const { postern } = await open()
    const asleep = quinn(postern)
    const sleeping = asleep.run(() => expect.unreachable())
    await expect.poll(async () => (await postern.sessions.list({ agent: 'quinn' })).length, SOON).toBe(1)
    asleep.stop()
    await sleeping
    await tell(postern, 'quinn', 'hello')
    const pausing = quinn(postern, { retry: { minMs: 600_000, maxMs: 600_000 } })
    await pausing.run(
      () => {
        throw new Error('no')
      },
      () => pausing.stop(),
    )
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'pending', attempt: 1 })
  })

  rule('gives back what it had taken when it was stopped in the same moment', async () => {
    verifies('S001.batch.stop')
    const { postern } = await open()
    await tell(postern, 'quinn', 'hello')
    const stopping: AgentPostern = {
      ...postern,
      inbox: {
        ...postern.inbox,
        drain(input) {
          runtime.stop()
          return postern.inbox.drain(input)
        },
      },
    }
    const runtime = quinn(stopping)
    for await (const _ of runtime.batches()) expect.unreachable()
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'pending', attempt: 0 })
  })

  rule('goes on when the store was away for a while, and repeats nothing that was done', async () => {
    verifies('S001.batch.settled')
    const { postern } = await open()
    await tell(postern, 'quinn', 'hello')
    const runtime = quinn(faltering(postern, { wait: 2, drain: 2, confirm: 2 }))
    let rounds = 0
    await runtime.run(() => {
      rounds += 1
      runtime.stop()
    })
    expect(rounds).toBe(1)
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 1 })
  })

  rule('shows what arrives meanwhile without taking it', async () => {
    verifies('S001.peek')
    const { postern } = await open()
    await tell(postern, 'quinn', 'first')
    const runtime = quinn(postern)
    for await (const batch of runtime.batches()) {
      expect(await batch.previews()).toEqual([])
      await tell(postern, 'quinn', `later ${'x'.repeat(500)}`)
      await postern.inbox.push({ to: ['quinn'], content: 'now "!"', priority: 0 })
      const [urgent, later] = await batch.previews()
      expect(urgent).toBe('[agent] local (unverified): "now \\"!\\""')
      expect(later).toMatch(/^\[agent\] local \(unverified\): "later x+…"$/)
      expect((await runtime.peek()).map(({ priority }) => priority)).toEqual([0, 2])
      expect(await runtime.peek({ limit: 1 })).toHaveLength(1)
      runtime.stop()
    }
    expect((await postern.agents.show({ id: 'quinn' })).pending).toBe(2)
  })

  rule('is one loop at a time, of an agent that exists, with a lease that is one', async () => {
    const { postern } = await open()
    await refused(quinn(postern, { agent: 'nobody' }).batches().next(), 'AGENT_NOT_FOUND')
    for (const leaseMs of [0, -1, Number.NaN, 1.5])
      expect(() => quinn(postern, { leaseMs })).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }))
    await tell(postern, 'quinn', 'hello')
    await refused(quinn(postern, { maxMessages: 0 }).batches().next(), 'VALUE_INVALID')
    const runtime = quinn(postern)
    for await (const _ of runtime.batches()) {
      await refused(runtime.batches().next(), 'VALUE_INVALID')
      runtime.stop()
    }
    expect(await attemptOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 1 })
  })

  rule('a printed offer can be held for a shorter time, and for no longer than printed offers last', async () => {
    const { postern, now }: World = await open({ limits: { printedOfferMs: 5_000 } })
    await tell(postern, 'quinn', 'hello')
    const { offer } = await postern.inbox.drain({ agent: 'quinn' })
    const offerId = offer?.id ?? ''
    expect(await postern.inbox.printed({ offerId, leaseMs: 40 })).toMatchObject({ expiresAt: now() + 40 })
    expect(await postern.inbox.printed({ offerId, leaseMs: 6_000 })).toMatchObject({ expiresAt: now() + 5_000 })
    for (const leaseMs of [0, -1, Number.NaN, 1.5])
      await refused(postern.inbox.printed({ offerId, leaseMs }), 'VALUE_INVALID')
  })
})
