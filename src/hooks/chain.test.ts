import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../test/helpers/config-with.ts'
import { openLocal } from '../../test/helpers/open-local.ts'
import { DEAD_MACHINE_MS } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { HANDOFF } from '../host/config/handoff.ts'
import { open } from '../host/open/open.ts'
import type { LocalPostern, Postern } from '../model/postern.ts'
import { createCall, type SoundEvent } from './call.ts'
import { runChain } from './chain.ts'
import type { Handler, HookCall } from './handler.ts'
import { session } from './handlers/session.ts'
import { generic } from './hosts/generic.ts'
import { HOOK_TIMEOUTS } from './timeouts.ts'

const SESSION = 'ses-1'

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
  return { home, hook, continuations, advance, stop }
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
    settings: { ...settings, nonce: () => 'x', hostProcess: () => undefined, markers: () => [] },
    limits: { drainMessages: 20, drainCharacters: 8_000 },
    handoff: () => configWith({}).get(HANDOFF),
    root,
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
