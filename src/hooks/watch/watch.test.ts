import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLocal } from '../../../test/helpers/open-local.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { noteHeard } from '../../host/last-heard.ts'
import { PosternError } from '../../model/errors.ts'
import { describeMail, type Watch, watchSession } from './watch.ts'

const HOUR_MS = 60 * 60_000

/** A store with the agent quinn, and a watch whose sleep only moves its own clock. */
async function makeWatch(about: Partial<Watch> = {}) {
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  let now = Date.now()
  const slept: number[] = []
  const watch: Watch = {
    postern,
    agent: 'quinn',
    sessionId: 's',
    endsAt: now + HOUR_MS,
    isStoreThere: () => true,
    now: () => now,
    async sleep(ms) {
      slept.push(ms)
      now += ms
    },
    ...about,
  }
  const begin = () => postern.sessions.note({ id: 's', agent: 'quinn', host: 'claude-code', event: 'session.start' })
  return { postern, watch, slept, begin, at: () => now }
}

describe('a watch', () => {
  it('waits some seconds for a session whose first hook has not made it known yet', async () => {
    const { watch, slept, begin, postern } = await makeWatch()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    const sleep = async (ms: number) => {
      await watch.sleep(ms)
      if (slept.length === 3) await begin()
    }
    expect(await watchSession({ ...watch, sleep })).toMatchObject({ pending: 1, session: { id: 's' } })
  })

  it('is over where the session never comes', async () => {
    const { watch, slept } = await makeWatch()
    expect(await watchSession(watch)).toBeUndefined()
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(10_000)
  })

  it('is over when its time has come, or its store is gone', async () => {
    const { watch, begin, at, postern } = await makeWatch()
    await begin()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    expect(await watchSession({ ...watch, endsAt: at() })).toBeUndefined()
    expect(await watchSession({ ...watch, isStoreThere: () => false })).toBeUndefined()
    expect(await watchSession({ ...watch, isStarterGone: () => true })).toBeUndefined()
  })

  it('goes on where the store is only busy, for a minute', async () => {
    const { watch, begin, slept, postern } = await makeWatch()
    await begin()
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    let failures = 29
    const failing = (error: PosternError): Watch['postern'] => ({
      ...postern,
      sessions: {
        async list(input) {
          if (failures-- > 0) throw error
          return postern.sessions.list(input)
        },
      },
    })
    const busy = failing(new PosternError('STORE_BUSY', { path: 'x', waited: '5s' }))
    expect(await watchSession({ ...watch, postern: busy })).toMatchObject({ pending: 1 })
    expect(slept.filter((ms) => ms === 2_000)).toHaveLength(29)
    failures = 30
    expect(await watchSession({ ...watch, postern: busy })).toBeUndefined()
    failures = 1
    const corrupt = failing(new PosternError('STORE_CORRUPT', { path: 'x' }))
    expect(await watchSession({ ...watch, postern: corrupt })).toBeUndefined()
  })
})

/** A watch that checks only when the test tells it to. Its clock stands still between checks. */
async function makeSteppedWatch() {
  const folder = temporaryFolder()
  let now = Date.now()
  const postern = await openLocal(join(folder, 'postern.db'), { upkeep: false, now: () => now })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  const naps = createSignal<() => void>()
  const nap = () => new Promise<void>((wake) => naps.fire(wake))
  const wait: Watch['postern']['inbox']['wait'] = async (input) => {
    const seen = await postern.inbox.wait({ ...input, timeoutMs: 0 })
    if (seen.pending === 0) await nap()
    return seen
  }
  let ended: Promise<never> | undefined
  const watch = (sessionId: string) => {
    const own = { postern: { ...postern, inbox: { wait } }, agent: 'quinn', sessionId, endsAt: now + HOUR_MS }
    const find = watchSession({ ...own, isStoreThere: () => true, now: () => now, sleep: nap })
    ended = find.then(() => Promise.reject(new Error('the watch has ended')))
    ended.catch(() => {})
    return find
  }
  let looks = 0
  return {
    postern,
    watch,
    /** Resolves once the watch has checked and found no reason to wake its session. */
    async sleeps(): Promise<void> {
      await Promise.race([naps.times(looks + 1), ended])
    },
    /** Makes the watch check again, some time later. */
    again(ms = 0): void {
      now += ms
      naps.values[looks++]?.()
    },
    push: async (content: string, priority: 2 | 3 | 4 = 2) => postern.inbox.push({ to: ['quinn'], content, priority }),
    note: (event: string, id = 's') => postern.sessions.note({ id, agent: 'quinn', host: 'claude-code', event }),
    stop: (outcome: 'continued' | 'granted', id = 's') => postern.sessions.setStop({ id, outcome }),
    /** A hook that did not need the store leaves only this trace. */
    leaveTrace(): void {
      noteHeard(folder, 'quinn')
      utimesSync(join(folder, 'live', 'quinn'), now / 1000, now / 1000)
    },
  }
}

const SETTLE_MS = 1_500
const TURN_MS = 20_000

describe('a session that is watched', () => {
  it('is not woken while it works, and is woken when it rests', async () => {
    const { watch, note, stop, push, sleeps, again } = await makeSteppedWatch()
    await note('session.start')
    await note('prompt.submit')
    const find = watch('s')
    await sleeps()
    await push('for the working')
    again(SETTLE_MS)
    await sleeps()
    await stop('continued')
    again(SETTLE_MS)
    await sleeps()
    await stop('granted')
    again(SETTLE_MS - 1)
    await sleeps()
    again(1)
    expect(await find).toMatchObject({ pending: 1, session: { id: 's' } })
  })

  it('is not woken while nothing waits', async () => {
    const { watch, note, push, sleeps, again } = await makeSteppedWatch()
    await note('session.start')
    const find = watch('s')
    for (let at = 0; at < 5; at++) {
      await sleeps()
      again(10_000)
    }
    await push('hello')
    again()
    expect(await find).toMatchObject({ pending: 1 })
  })

  it('is not woken for what is not urgent, nor for what its agent says to itself', async () => {
    const { watch, note, push, postern, sleeps, again } = await makeSteppedWatch()
    await note('session.start')
    const find = watch('s')
    await sleeps()
    await push('low', 3)
    await push('fyi', 4)
    const quinn = postern.as({ id: 'quinn', kind: 'ai', verified: true, via: 'sdk' })
    await quinn.inbox.push({ to: ['quinn'], content: 'a note to myself' })
    again(SETTLE_MS)
    await sleeps()
    await push('normal')
    again()
    expect(await find).toMatchObject({ pending: 1 })
  })

  it('is not woken until it is known whether a trace is of a new turn', async () => {
    const { watch, note, stop, push, leaveTrace, sleeps, again } = await makeSteppedWatch()
    await note('session.start')
    await note('prompt.submit')
    await stop('granted')
    const find = watch('s')
    await sleeps()
    again(1_000)
    leaveTrace()
    await sleeps()
    await push('hello')
    again(SETTLE_MS)
    await sleeps()
    await note('subagent')
    again(SETTLE_MS)
    expect(await find).toMatchObject({ pending: 1 })
  })

  it('is woken after the session of its agent that came to rest last', async () => {
    const { watch, note, push, sleeps, again } = await makeSteppedWatch()
    await note('session.start', 'early')
    const find = watch('early')
    await sleeps()
    again(1_000)
    await sleeps()
    await note('session.start', 'late')
    await push('hello')
    again()
    await sleeps()
    again(TURN_MS - 1)
    await sleeps()
    again(1)
    expect(await find).toMatchObject({ session: { id: 'early' } })
  })
})

it('the words that wake say how many and for whom, and nothing else', () => {
  expect(describeMail('quinn', 1)).toBe('Postern: 1 message waits for quinn and is shown with this prompt.')
  expect(describeMail('quinn', 2)).toBe('Postern: 2 messages wait for quinn and are shown with this prompt.')
})
