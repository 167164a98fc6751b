import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../test/helpers/config-with.ts'
import { openLocal } from '../../test/helpers/open-local.ts'
import { DEAD_MACHINE_MS } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { HANDOFF } from '../host/config/handoff.ts'
import { open } from '../host/open/open.ts'
import { PosternError } from '../model/errors.ts'
import type { LocalPostern, Postern } from '../model/postern.ts'
import { spoolPath } from '../spool/path.ts'
import { createCall, type SoundEvent } from './call.ts'
import { runChain } from './chain.ts'
import type { Handler, HookCall } from './handler.ts'
import { session } from './handlers/session.ts'
import { generic } from './hosts/generic.ts'
import { HOOK_TIMEOUTS } from './timeouts.ts'

const SESSION = 'ses-1'
const JUSTIN = { id: 'justin', kind: 'human', verified: false, via: 'cli' } as const

/** A store with quinn, and a gate that only a person opens. */
async function makeStore() {
  const home = join(temporaryFolder(), 'home')
  mkdirSync(home)
  const config = readConfig({ flags: { home }, env: {}, cwd: home })
  let time = Date.now()
  const now = () => time
  const postern: Postern = await openLocal(config.store, { upkeep: false, now })
  const hook: LocalPostern = await open(config, { busyMs: DEAD_MACHINE_MS, now, upkeep: false, mustExist: true })
  onTestFinished(async () => {
    await hook.close()
    await postern.close()
  })
  await postern.agents.add({ id: 'quinn' })
  await postern.gates.create({ agent: 'quinn', kind: 'human', reason: 'wait for justin' })
  const continuations = async () => (await postern.sessions.list({ agent: 'quinn' }))[0]?.continuations
  const advance = (ms: number) => {
    time += ms
  }
  /** A stop whose process has just begun. */
  const stop = (uncounted = 0, counted = 0) => {
    advance(100)
    const begunAt = time
    return stopOf({ hook, root: home, ageMs: () => time - begunAt, uncounted, counted })
  }
  /** Opens the gate and lets the agent read of that and rest. */
  const release = async () => {
    const { gates } = hook.as({ id: 'justin', kind: 'human', verified: false, via: 'cli' })
    for (const { id } of await gates.list()) await gates.waive({ id, reason: 'later' })
    for (let at = 0; at < 2; at++) await runChain(stop())
  }
  return { home, hook, continuations, advance, stop, release }
}

interface StopOptions {
  readonly hook: LocalPostern
  readonly root: string
  readonly ageMs: () => number
  readonly uncounted?: number
  readonly counted?: number
}

function stopOf({ hook, root, ageMs, uncounted = 0, counted = 0 }: StopOptions): HookCall {
  const settings = { stopCap: null, ageMs, timeouts: HOOK_TIMEOUTS }
  return createCall({
    event: generic.parse({ event: 'turn.stop', session_id: SESSION }) as SoundEvent,
    host: generic,
    agent: 'quinn',
    postern: hook,
    settings: {
      ...settings,
      nonce: () => 'abcdefgh1234',
      hostProcess: () => undefined,
      starter: () => undefined,
      markers: () => [],
    },
    limits: { drainMessages: 20, drainCharacters: 8_000 },
    handoff: () => configWith({}).get(HANDOFF),
    root,
    home: root,
    note: () => {},
    uncounted,
    counted,
  })
}

const handler = (priority: number, handle: (call: HookCall) => void): Handler => ({
  name: `at ${priority}`,
  priority,
  events: ['turn.stop'],
  handle: async (call) => void handle(call),
})

describe('a chain that is still running at the deadline', () => {
  it('counts no stop, because the answer without the store counts it', async () => {
    const { stop, continuations } = await makeStore()
    const late = handler(25, (call) => {
      call.isOver = true
    })
    expect((await runChain(stop(), [late])).block).toContain('wait for justin')
    expect(await continuations()).toBe(0)
    await runChain(stop())
    expect(await continuations()).toBe(1)
  })

  it('asks no further handler', async () => {
    const { stop } = await makeStore()
    const asked: number[] = []
    const over = handler(1, (call) => {
      call.isOver = true
    })
    await runChain(stop(), [over, handler(2, () => asked.push(2)), handler(40, () => asked.push(40))])
    expect(asked).toEqual([])
  })
})

describe('a stop', () => {
  it('is distinguished from the previous stop by its start time, however long its handlers take', async () => {
    const { stop, advance } = await makeStore()
    const slow = handler(12, () => advance(1_000))
    const blocks: boolean[] = []
    for (let at = 0; at < 6; at++) blocks.push((await runChain(stop(), [slow])).block !== undefined)
    expect(blocks).toEqual([true, true, true, true, true, false])
  })

  it('is held, and counted, after the clock was set back between it and the one before', async () => {
    const { hook, stop, advance, continuations, release } = await makeStore()
    await release()
    await hook.gates.create({ agent: 'quinn', kind: 'human', reason: 'wait for justin' })
    for (const count of [1, 2, 3]) {
      advance(-15 * 60_000)
      expect((await runChain(stop())).block).toContain('wait for justin')
      expect(await continuations()).toBe(count)
    }
  })

  it('is answered once by a hook that is installed twice, also after the clock was set back', async () => {
    const { hook, stop, advance, release } = await makeStore()
    await release()
    advance(-15 * 60_000)
    const [first, second] = [stop(), stop()]
    advance(1)
    await runChain(first)
    expect(first.session).toMatchObject({ continuations: 0, idleSince: expect.any(Number) })
    await hook.gates.create({ agent: 'quinn', kind: 'human', reason: 'it came after the answer' })
    expect((await runChain(second)).block).toBeUndefined()
    expect(second.session).toBeUndefined()
  })

  it('is counted together with the stops that were put off without the store, which are counted once', async () => {
    const { stop, continuations } = await makeStore()
    const call = stop(3)
    expect((await runChain(call)).block).toBeDefined()
    expect(call.uncounted).toBe(0)
    expect(await continuations()).toBe(4)
    const last = stop(1, 4)
    expect((await runChain(last)).block).toBeUndefined()
    expect(last.isLoopBroken).toBe(true)
  })
})

describe('parallel hooks', () => {
  it('count the stops that were put off without the store once, though all of them tell of them', async () => {
    const { stop, continuations } = await makeStore()
    await runChain(stop())
    await Promise.all([stop(2, 1), stop(2, 1), stop(2, 1)].map((call) => session.handle(call)))
    expect(await continuations()).toBe(3)
  })
})

describe('what fails after the gates were judged', () => {
  const fails = () => Promise.reject(new PosternError('STORE_BUSY', { path: 'x', waited: '1 s' }))

  it('takes no verdict away: a stop that cannot be counted is held, and counted without the store', async () => {
    const { home, hook, continuations } = await makeStore()
    await hook.inbox.push({ to: ['quinn'], content: 'hello', priority: 0 })
    const sessions = { ...hook.sessions, setStop: fails }
    const call = stopOf({ hook: { ...hook, sessions }, root: home, ageMs: () => 0 })
    const answer = await runChain(call)
    expect(answer.block).toContain('wait for justin')
    expect(answer.offer).toBeDefined()
    expect([call.uncounted, await continuations()]).toEqual([1, 0])
  })

  it('takes no verdict away: a spool that cannot be taken in leaves the stop granted', async () => {
    const { home, hook } = await makeStore()
    const [gate] = await hook.gates.list({ agent: 'quinn' })
    await hook.as(JUSTIN).gates.waive({ id: gate?.id ?? '', reason: 'seen' })
    const spool = spoolPath(home, SESSION)
    mkdirSync(dirname(spool), { recursive: true })
    writeFileSync(spool, '{"id":"a","content":"hello"}\n')
    const noted: unknown[] = []
    const inbox = { ...hook.inbox, ingest: fails }
    const call = { ...stopOf({ hook: { ...hook, inbox }, root: home, ageMs: () => 0 }), note: noted.push.bind(noted) }
    expect((await runChain(call)).block).toBeUndefined()
    expect(noted).toEqual([expect.objectContaining({ code: 'STORE_BUSY' })])
  })

  it('gives back what was shown if there is no answer in the end', async () => {
    const { home, hook } = await makeStore()
    await hook.inbox.push({ to: ['quinn'], content: 'hello', priority: 0 })
    const early: Handler = {
      name: 'early',
      priority: 6,
      events: ['turn.stop'],
      handle: async () => ({ offer: (await hook.inbox.drain({ agent: 'quinn' })).offer ?? expect.fail() }),
    }
    const call = stopOf({ hook: { ...hook, hooks: { ...hook.hooks, judge: fails } }, root: home, ageMs: () => 0 })
    await expect(runChain(call, [early])).rejects.toMatchObject({ code: 'STORE_BUSY' })
    await expect.poll(async () => (await hook.agents.show({ id: 'quinn' })).pending).toBe(1)
  })
})

describe('the commands of gates', () => {
  it('get the time that is left, minus the reserve', async () => {
    const { home, hook } = await makeStore()
    for (const [ageMs, timeoutMs] of [
      [0, 900],
      [300, 900],
      [700, 500],
      [1_199, 1],
      [9_000, 1],
    ] as const) {
      const asked: number[] = []
      const { hooks } = hook
      const judge: typeof hooks.judge = (input) => {
        asked.push(input.timeoutMs ?? 0)
        return hooks.judge(input)
      }
      const listening = { ...hook, hooks: { ...hooks, judge } }
      await stopOf({ hook: listening, root: home, ageMs: () => ageMs }).judgement()
      expect([ageMs, asked]).toEqual([ageMs, [timeoutMs]])
    }
  })
})
