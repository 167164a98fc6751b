import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { PosternError } from '../model/errors.ts'
import type { Postern } from '../model/postern.ts'
import { createWakeBudget } from './budget.ts'
import { type CommandResult, keepAwake, type Waking } from './wake.ts'

const DONE: CommandResult = { isDone: true, evidence: 'done' }
const FAILED: CommandResult = { isDone: false, evidence: 'it failed' }
const NEVER = new AbortController().signal

type Act = (texts: readonly string[], taken: () => void, round: number) => CommandResult | Promise<CommandResult>

async function makeWorld() {
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  await postern.sessions.begin({ id: 's', agent: 'quinn' })
  const stop = new AbortController()
  const slept: number[] = []
  const news: string[] = []
  const push = (...texts: readonly string[]) =>
    postern.inbox.pushMany({ messages: texts.map((content) => ({ to: ['quinn'], content })) })

  /** Keeps the agent awake until nothing waits for it any more. */
  function keep(act: Act, about: Partial<Waking> = {}): Promise<CommandResult | undefined> {
    let round = 0
    return keepAwake({
      postern,
      agent: 'quinn',
      sessionId: 's',
      budget: createWakeBudget(1_000, []),
      holdMs: 1_000,
      isOnce: false,
      async act({ messages }, taken) {
        const texts = messages.map(({ content }) => content)
        return act(texts, taken, ++round)
      },
      async gather() {
        if ((await postern.agents.show({ id: 'quinn' })).pending === 0) stop.abort()
      },
      nextNudge: () => NEVER,
      signal: stop.signal,
      tell: {
        holding: (id) => news.push(id === null ? 'let go' : 'hold'),
        failed: (evidence, batch, waitMs) => news.push(`${evidence}: ${batch.messages.length} again in ${waitMs} ms`),
        async spent() {
          news.push('spent')
        },
      },
      now: Date.now,
      random: () => 1,
      async sleep(ms) {
        slept.push(ms)
        await new Promise(setImmediate)
      },
      ...about,
    })
  }
  return { postern, push, keep, slept, news, stop }
}

async function stateOf(postern: Postern, content: string) {
  const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all', limit: 1_000 })
  const found = items.find((item) => item.content === content)
  return found && { state: found.state, attempt: found.attempt }
}

describe('waking', () => {
  it('hands over what waits as one batch, confirms it, and says while it holds it', async () => {
    const { push, keep, news, postern } = await makeWorld()
    await push('one', 'two')
    const batches: (readonly string[])[] = []
    await keep((texts) => {
      batches.push(texts)
      return DONE
    })
    expect(batches).toEqual([['one', 'two']])
    expect(news).toEqual(['hold', 'let go'])
    expect(await stateOf(postern, 'one')).toEqual({ state: 'seen', attempt: 1 })
  })

  it('waits longer after each failure, from a second to five minutes', async () => {
    const { push, keep, slept, postern } = await makeWorld()
    await push('hello')
    await keep((_, __, round) => (round < 10 ? FAILED : DONE))
    expect(slept).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1_000))
    expect(await stateOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 10 })
  })

  it('begins to count anew after a success', async () => {
    const { push, keep, slept, news } = await makeWorld()
    await push('one')
    await keep(async (_, __, round) => {
      if (round === 2) await push('two')
      return round % 2 === 0 ? DONE : FAILED
    })
    expect(slept).toEqual([2_000, 2_000])
    expect(news.filter((each) => each.startsWith('it failed'))).toEqual(Array(2).fill('it failed: 1 again in 2000 ms'))
  })

  it('takes a batch that throws for one that failed', async () => {
    const { push, keep, news, postern } = await makeWorld()
    await push('hello')
    await keep((_, __, round) => {
      if (round === 1) throw new Error('out of paper')
      return DONE
    })
    expect(news).toContain('out of paper: 1 again in 2000 ms')
    expect(await stateOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 2 })
  })

  it('tries a batch that fails again in smaller parts: one bad message does not take the others with it', async () => {
    const { push, keep, postern } = await makeWorld()
    const texts = Array.from({ length: 30 }, (_, index) => `${index}`)
    await push(...texts)
    const sizes: number[] = []
    await keep((batch) => {
      sizes.push(batch.length)
      return batch.includes('17') ? FAILED : DONE
    })
    expect(sizes.slice(0, 3)).toEqual([30, 7, 23])
    for (const text of texts.filter((each) => each !== '17'))
      expect(await stateOf(postern, text), text).toMatchObject({ state: 'seen' })
    expect(await stateOf(postern, '17')).toEqual({ state: 'dead', attempt: 10 })
  })

  it('holds on to what was handed over for as long as it takes', async () => {
    const { push, keep, postern } = await makeWorld()
    const [pushed] = await push('hello')
    const leases: (number | null | undefined)[] = []
    const lease = async () => (await postern.inbox.trace({ id: pushed?.id ?? '' })).deliveries[0]?.leaseExpiresAt
    await keep(async (_, taken) => {
      leases.push(await lease())
      taken()
      await expect.poll(lease).toBeGreaterThan(leases[0] ?? 0)
      leases.push(await lease())
      await expect.poll(lease).toBeGreaterThan(leases[1] ?? 0)
      return DONE
    })
    const [unprinted, printed] = leases as [number, number]
    expect(printed - unprinted).toBeGreaterThan(25 * 60_000)
    expect(await stateOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 1 })
  })

  it('ends after one batch where that is asked, and where another try would be in vain', async () => {
    const once = await makeWorld()
    await once.push('hello')
    expect(await once.keep(() => FAILED, { isOnce: true })).toBe(FAILED)
    expect(await stateOf(once.postern, 'hello')).toEqual({ state: 'pending', attempt: 1 })
    const hopeless = await makeWorld()
    await hopeless.push('hello')
    const result = { ...FAILED, isHopeless: true } as const
    expect(await hopeless.keep(() => result)).toBe(result)
    expect(hopeless.slept).toEqual([])
  })

  it('waits when the budget is spent, and says so', async () => {
    const { push, keep, news, slept } = await makeWorld()
    await push('hello')
    let now = Date.now()
    const budget = createWakeBudget(1, [now])
    const sleep = async (ms: number) => {
      slept.push(ms)
      now += ms
    }
    await keep(() => DONE, { budget, now: () => now, sleep })
    expect(news).toEqual(['spent', 'hold', 'let go'])
    expect(slept).toEqual([3_600_000])
  })

  it('looks at once when it is nudged, and brings in what waits outside', async () => {
    const { push, keep, stop } = await makeWorld()
    const nudge = new AbortController()
    let looks = 0
    const gather = async () => {
      looks += 1
      if (looks === 1) setImmediate(() => nudge.abort())
      if (looks === 2) await push('from outside')
      if (looks === 3) stop.abort()
    }
    const seen: string[] = []
    const act: Act = (texts) => {
      seen.push(...texts)
      return DONE
    }
    await keep(act, { gather, nextNudge: () => (looks === 1 ? nudge.signal : NEVER) })
    expect(seen).toEqual(['from outside'])
  })

  it('goes on when the store was away for a while, and repeats nothing that was done', async () => {
    const { push, keep, postern } = await makeWorld()
    await push('hello')
    const busy = () => new PosternError('STORE_BUSY', { path: 'x', waited: '5s' })
    const failing = { wait: 2, drain: 2, confirm: 3 }
    const inbox = Object.fromEntries(
      Object.entries(postern.inbox).map(([name, call]) => [
        name,
        async (input: never) => {
          const verb = name as keyof typeof failing
          if ((failing[verb] ?? 0) > 0) {
            failing[verb] -= 1
            throw busy()
          }
          return (call as (input: never) => Promise<unknown>)(input)
        },
      ]),
    ) as unknown as Postern['inbox']
    let rounds = 0
    await keep(
      () => {
        rounds += 1
        return DONE
      },
      { postern: { inbox, upkeep: postern.upkeep } },
    )
    expect(rounds).toBe(1)
    expect(failing).toEqual({ wait: 0, drain: 0, confirm: 0 })
    expect(await stateOf(postern, 'hello')).toEqual({ state: 'seen', attempt: 1 })
  })
})
