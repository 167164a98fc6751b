import { describe, expect, it } from 'vitest'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { Bell, copyTo, relayOver, ScriptedEngine, SharedLog } from '../../../test/helpers/wires/scripted-relay.ts'
import { nextTurn } from '../../kit/node/event-loop.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'

function wordsTo(agent: string, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, i) => `${from + i} to ${agent}`)
}

function fill(log: SharedLog, agent: string, from: number, to: number): void {
  log.add(...Array.from({ length: to - from }, (_, i) => copyTo(agent, String(from + i))))
}

describe('a relay', () => {
  it('carries what was stored before it began, in order, in batches of a bounded size', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 1_201)
    const { engine } = relayOver(log)
    expect(await engine.taken.times(1_201)).toEqual(wordsTo('quinn', 0, 1_201))
    expect(engine.tries.values.every((size) => size <= 500)).toBe(true)
  })

  it('sends at most a few megabytes at once', async () => {
    const log = new SharedLog()
    const large = 'x'.repeat(1_500_000)
    log.add(...Array.from({ length: 7 }, () => copyTo('quinn', large)))
    const { engine } = relayOver(log)
    await engine.taken.times(7)
    expect(engine.tries.values).toEqual([3, 3, 1])
  })

  it('carries new messages when the bell rings', async () => {
    const log = new SharedLog()
    const { engine, bell, relay } = relayOver(log)
    await log.reads.times(2)
    log.add(copyTo('quinn', 'one'), copyTo(null, 'two'))
    bell.ring()
    expect(await engine.taken.times(2)).toEqual(['one to quinn', 'two to all'])
    await expect.poll(() => relay.carried).toBe(2)
    expect(relay.isLeading).toBe(true)
    expect(await relay.countBehind()).toBe(0)
  })

  it('carries messages that no bell announced when it is woken', async () => {
    const log = new SharedLog()
    const { engine, relay } = relayOver(log)
    await log.reads.times(2)
    log.add(copyTo('quinn', 'one'))
    relay.wake()
    expect(await engine.taken.times(1)).toEqual(['one to quinn'])
  })

  it('reads the outbox once for rings within a moment, if the engine stores no copies', async () => {
    const log = new SharedLog()
    const { engine, bell } = relayOver(log)
    // One read at the start, and one when it listens.
    await log.reads.times(2)
    bell.ring()
    await nextTurn()
    log.add(copyTo('quinn', 'one'), copyTo('quinn', 'two'))
    bell.ring()
    await engine.taken.times(2)
    expect(engine.tries.values).toEqual([2])
    expect(log.reads.values).toHaveLength(3)
  })

  it('reads the outbox at once if the engine stores copies', async () => {
    const log = new SharedLog()
    const engine = Object.assign(new ScriptedEngine(), { take: async () => ({ close() {} }) })
    const { bell } = relayOver(log, { engine })
    await log.reads.times(1)
    const before = log.reads.values.length
    bell.ring()
    await nextTurn()
    expect(log.reads.values.length).toBeGreaterThan(before)
  })

  it('writes nothing while there is nothing to carry', async () => {
    const log = new SharedLog()
    log.add(undefined, undefined)
    const { bell, relay } = relayOver(log)
    const reads = log.reads.values.length
    bell.ring()
    await log.reads.times(reads + 1)
    await relay.close()
    expect(log.writes).toEqual([])
  })

  it('stores its cursor, and soon reads again rows that an open transaction holds back', async () => {
    const log = new SharedLog()
    log.isHeldBack = true
    const { engine } = relayOver(log)
    await log.reads.times(4)
    log.add(copyTo('quinn', 'late'))
    expect(await engine.taken.fired).toBe('late to quinn')
    log.isHeldBack = false
    await expect.poll(() => log.kept?.cursor, PATIENTLY).toBe('1')
  })

  it('does not skip the copies after one that was refused, and keeps the order of each agent', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 10)
    const engine = new ScriptedEngine()
    let refusals = 2
    engine.before = ({ message }) => {
      if (message.content === '6' && refusals-- > 0) throw new Error('not now')
    }
    const { notes } = relayOver(log, { engine })
    await engine.taken.times(22)
    // Some copies come twice, which recipients recognise by the message's id. The first of each comes in order.
    expect([...new Set(engine.taken.values)]).toEqual(wordsTo('quinn', 0, 10))
    expect(await notes.times(2)).toEqual(['relay.failed', 'relay.resumed'])
  })

  it('reads nothing while the engine is down, and continues as soon as it is back', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 3)
    const engine = new ScriptedEngine()
    engine.isUp = false
    const asked = createSignal()
    engine.health = async () => {
      asked.fire()
      return { isUp: engine.isUp, detail: '' }
    }
    const { bell } = relayOver(log, { engine })
    await asked.times(3)
    bell.ring()
    expect(log.reads.values).toEqual([])
    expect(log.writes).toEqual([])
    engine.comeBack()
    expect(await engine.taken.times(3)).toEqual(wordsTo('quinn', 0, 3))
  })

  it('does not retry at every ring while the engine refuses', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 1)
    const engine = new ScriptedEngine()
    engine.before = () => {
      throw new Error('not now')
    }
    const { bell, notes } = relayOver(log, { engine })
    await notes.fired
    // One attempt at the start, and another when it begins to hear the engine.
    const tries = (await engine.tries.times(2)).length
    for (let i = 0; i < 100; i++) bell.ring()
    await new Promise(setImmediate)
    expect(engine.tries.values.length).toBe(tries)
    engine.before = () => {}
    engine.comeBack()
    await engine.taken.fired
  })

  it('notes once that rows were removed before it read them, and carries the rest', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 5)
    log.floor = 3
    const { engine, notes } = relayOver(log)
    expect(await engine.taken.times(2)).toEqual(wordsTo('quinn', 3, 5))
    expect(notes.values).toEqual(['relay.gap'])
  })

  it('starts again if the engine may have lost what was carried', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 2)
    const { engine } = relayOver(log)
    await engine.taken.times(2)
    engine.wipe()
    expect(await engine.taken.times(4)).toEqual([...wordsTo('quinn', 0, 2), ...wordsTo('quinn', 0, 2)])
  })
})

describe('of two relays', () => {
  it('one carries, and the other continues from its cursor when it leaves', async () => {
    const log = new SharedLog()
    const bell = new Bell()
    const engine = new ScriptedEngine()
    fill(log, 'quinn', 0, 100)
    const relays = [relayOver(log, { holder: 'one', bell, engine }), relayOver(log, { holder: 'two', bell, engine })]
    await engine.taken.times(100)
    const leader = relays.find(({ relay }) => relay.isLeading)?.relay
    const follower = relays.find(({ relay }) => !relay.isLeading)?.relay
    expect(follower?.carried).toBe(0)
    await leader?.close()
    fill(log, 'quinn', 100, 110)
    // It knows how long the other's lease lasts. It notices that the other has left when that is over, or when the engine is back.
    engine.comeBack()
    expect(await engine.taken.times(110)).toEqual(wordsTo('quinn', 0, 110))
    await expect.poll(() => follower?.carried).toBe(10)
  })

  it('the other takes over when the lease of a dead one has run out', async () => {
    const log = new SharedLog()
    log.leaseMs = 50
    await log.outboxOf('dead').lead()
    fill(log, 'quinn', 0, 5)
    const { engine } = relayOver(log, { holder: 'two' })
    expect(await engine.taken.times(5)).toEqual(wordsTo('quinn', 0, 5))
    expect(log.writes).toContain('two leads')
  })

  it('one that lost its lease while it carried skips nothing and leaves the rest to the other', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 600)
    const slow = new ScriptedEngine()
    const release = createSignal()
    slow.before = ({ message }) => (message.content === '499' ? release.fired : undefined)
    let laterMs = 0
    relayOver(log, { holder: 'slow', engine: slow, now: () => monotonicMs() + laterMs })
    await slow.taken.times(499)
    laterMs = 60_000
    log.kept = { holder: 'slow', heldUntilMs: 0, cursor: '0' }
    const { engine } = relayOver(log, { holder: 'quick' })
    await engine.taken.times(600)
    release.fire()
    await slow.taken.times(500)
    // Its own cursor is not stored any more.
    await expect.poll(() => log.writes.filter((write) => write === 'slow keeps 500').length, PATIENTLY).toBe(1)
    await expect.poll(() => log.kept, PATIENTLY).toMatchObject({ holder: 'quick', cursor: '600' })
    expect(slow.taken.values).toHaveLength(500)
  })

  it('one that was stopped for longer than its lease ends between two batches, and leaves the rest to the other', async () => {
    const log = new SharedLog()
    log.add(...['a', 'b', 'c'].map((sign) => copyTo('quinn', sign.repeat(4_000_000))))
    const engine = new ScriptedEngine()
    let laterMs = 0
    engine.before = ({ message }) => {
      if (!message.content.startsWith('b')) return
      laterMs += 60_000
      log.kept = { holder: 'other', heldUntilMs: monotonicMs() + 60_000, cursor: '0' }
    }
    relayOver(log, { engine, now: () => monotonicMs() + laterMs })
    await expect.poll(() => log.writes.at(-1)).toBe('one keeps 0')
    const reads = log.reads.values.length
    engine.comeBack()
    await new Promise(setImmediate)
    expect(engine.tries.values).toEqual([1, 1])
    expect(log.reads.values).toHaveLength(reads)
  })

  it('one renews its lease while the engine takes longer than that for a single batch', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 2)
    const slow = new ScriptedEngine()
    const release = createSignal()
    slow.before = () => release.fired
    relayOver(log, { engine: slow })
    await expect.poll(() => log.writes, PATIENTLY).toEqual(['one leads', 'one keeps 0'])
    release.fire()
    await expect.poll(() => log.writes.at(-1), PATIENTLY).toBe('one keeps 2')
  })

  it('one renews its lease while a page takes longer than that', async () => {
    const log = new SharedLog()
    log.add(...['a', 'b', 'c'].map((sign) => copyTo('quinn', sign.repeat(4_000_000))))
    const engine = new ScriptedEngine()
    let laterMs = 0
    engine.before = () => {
      laterMs += 8_000
    }
    relayOver(log, { engine, now: () => monotonicMs() + laterMs })
    await expect.poll(() => log.writes).toContain('one keeps 3')
    expect(log.writes).toEqual(['one leads', 'one keeps 0', 'one keeps 0', 'one keeps 3'])
  })

  it('the other starts again if the leader died together with the wiped engine', async () => {
    const log = new SharedLog()
    log.leaseMs = 500
    fill(log, 'quinn', 0, 2)
    const dead = log.outboxOf('dead')
    await dead.lead()
    await dead.keep('2')
    const { engine } = relayOver(log, { holder: 'two' })
    engine.wipe()
    expect(await engine.taken.times(2)).toEqual(wordsTo('quinn', 0, 2))
  })

  it('only the leader starts again when the engine was wiped', async () => {
    const log = new SharedLog()
    const engine = new ScriptedEngine()
    fill(log, 'quinn', 0, 3)
    const relays = [relayOver(log, { holder: 'one', engine }), relayOver(log, { holder: 'two', engine })]
    await engine.taken.times(3)
    engine.wipe()
    await engine.taken.times(6)
    await Promise.all(relays.map(({ relay }) => relay.close()))
    expect(engine.taken.values).toHaveLength(6)
  })
})

describe('a relay that is closed', () => {
  it('ends the round under way, stores its cursor and gives its lease back', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 2)
    const { engine, relay } = relayOver(log)
    const release = createSignal()
    engine.before = () => release.fired
    await engine.tries.fired
    const closing = relay.close()
    release.fire()
    await closing
    expect(engine.taken.values).toEqual(wordsTo('quinn', 0, 2))
    expect(log.kept).toEqual({ holder: 'one', heldUntilMs: 0, cursor: '2' })
    await relay.close()
    log.add(copyTo('quinn', 'later'))
    expect(engine.taken.values).toHaveLength(2)
  })

  it('does not wait for an engine that is down', async () => {
    const log = new SharedLog()
    fill(log, 'quinn', 0, 2)
    const engine = new ScriptedEngine()
    engine.before = () => {
      engine.isUp = false
    }
    const { relay, notes } = relayOver(log, { engine })
    await notes.fired
    await relay.close()
    expect(log.kept).toMatchObject({ heldUntilMs: 0, cursor: '0' })
  })
})
