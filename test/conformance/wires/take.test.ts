import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../helpers/needs.ts'
import { createSignal } from '../../helpers/signal.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { type CopyWorld, collect, copiesTo, copyTo, idOf, idsOf, openWorld } from './copies.ts'

/** On a busy machine everything takes its time. */
const PATIENT = { timeout: 20_000 }

/** How many copies an agent's consumer has handed out and nobody has acknowledged. */
async function unacknowledged(world: CopyWorld, consumer = 'inbox-quinn'): Promise<number> {
  const manager = await world.manager()
  return (await manager.consumers.info('INBOX_EVENTS', consumer)).num_ack_pending
}

/** A consumer that somebody made before us, and that asks again sooner. */
async function addImpatient(world: CopyWorld): Promise<void> {
  const manager = await world.manager()
  await manager.consumers.add('INBOX_EVENTS', {
    durable_name: 'inbox-quinn',
    filter_subject: 'inbox.targeted.quinn',
    deliver_policy: 'all',
    ack_policy: 'explicit',
    ack_wait: 1e9,
  })
}

describe('copies taken from NATS', needsPrograms('nats-server'), () => {
  it('come also where nobody took when they were carried, in order, and only to whom they are for', async () => {
    verifies('S000.nats.durable')
    const world = await openWorld()
    const wire = world.open()
    const [quinn, riley, all] = [copiesTo('quinn', 300), copiesTo('riley', 3), copiesTo(null, 4)]
    await wire.carry([...quinn, ...riley, ...all])
    const [first, second] = [collect(), collect()]
    await wire.take('quinn', first.onCopy)
    await world.open().take('riley', second.onCopy)
    const [forQuinn, forRiley] = [await first.times(304), await second.times(7)]
    expect(forQuinn.filter((id) => !idsOf(all).includes(id))).toEqual(idsOf(quinn))
    expect(forQuinn.filter((id) => idsOf(all).includes(id))).toEqual(idsOf(all))
    expect(forRiley.filter((id) => !idsOf(all).includes(id))).toEqual(idsOf(riley))
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(0)
  })

  it('come at once while somebody takes', async () => {
    const world = await openWorld()
    const taken = collect()
    await world.open().take('quinn', taken.onCopy)
    const copies = [copyTo('quinn'), copyTo(null)]
    await world.open().carry(copies)
    expect([...(await taken.times(2))].sort()).toEqual(idsOf(copies))
  })

  it('are acknowledged only when they were dealt with', async () => {
    verifies('S000.nats.ack')
    const world = await openWorld()
    const wire = world.open()
    const dealtWith = Promise.withResolvers<void>()
    const begun = createSignal<void>()
    onTestFinished(() => dealtWith.resolve())
    await wire.carry([copyTo('quinn')])
    await wire.take('quinn', () => {
      begun.fire()
      return dealtWith.promise
    })
    await begun.fired
    expect(await unacknowledged(world)).toBe(1)
    dealtWith.resolve()
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(0)
  })

  it('come again where they were refused, before those behind them', async () => {
    const world = await openWorld()
    const wire = world.open()
    const copies = copiesTo('quinn', 5)
    const [, refused] = idsOf(copies)
    const tries = createSignal<string>()
    await wire.carry(copies)
    await wire.take('quinn', async (line) => {
      tries.fire(idOf(line))
      const isEarly = tries.values.filter((id) => id === refused).length < 3
      if (idOf(line) === refused && isEarly) throw new Error('the disk is full')
    })
    const [first, , ...rest] = idsOf(copies)
    expect(await tries.times(7)).toEqual([first, refused, refused, refused, ...rest])
    expect(world.notes.values).toContain('wire.copy-refused')
  })

  it('come again to the next process where one died with them in its hands', async () => {
    verifies('S000.nats.ack')
    const world = await openWorld()
    const copies = copiesTo('quinn', 3)
    await world.open().carry(copies)
    await addImpatient(world)
    await dieTaking(world)
    const taken = collect()
    await world.open().take('quinn', taken.onCopy)
    expect([...(await taken.times(3))].sort()).toEqual(idsOf(copies))
  })

  it('come to the next one in order where a taker was closed, and those in its hands first', async () => {
    const world = await openWorld()
    const [first, second] = [world.open(), world.open()]
    const copies = copiesTo('quinn', 20)
    await first.carry(copies)
    const begun = createSignal<string>()
    const dealtWith = Promise.withResolvers<void>()
    const taker = await first.take('quinn', (line) => {
      begun.fire(idOf(line))
      return dealtWith.promise
    })
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(20)
    await first.health()
    const closing = taker.close()
    dealtWith.resolve()
    await closing
    const taken = collect()
    await second.take('quinn', taken.onCopy)
    expect([...begun.values, ...(await taken.times(19))]).toEqual(idsOf(copies))
  })

  it('stay in hand while the connection is lost, and are acknowledged over the next one', async () => {
    const world = await openWorld()
    const wire = world.open()
    const copies = copiesTo('quinn', 10)
    await wire.carry(copies)
    const taken = collect()
    const wait = Promise.withResolvers<void>()
    onTestFinished(() => wait.resolve())
    await wire.take('quinn', async (line) => {
      await taken.onCopy(line)
      await wait.promise
    })
    await taken.fired
    await world.server.halt()
    await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: false })
    wait.resolve()
    await taken.times(10)
    await world.server.start()
    await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: true })
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(0)
    expect(taken.values).toEqual(idsOf(copies))
  })

  it('go on where the server was stopped, killed and cut off', async () => {
    const world = await openWorld()
    const [wire, taker] = [world.open(), world.open()]
    const taken = collect()
    await taker.take('quinn', taken.onCopy)
    const all: string[] = []
    const next = async () => {
      await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: true })
      const copies = copiesTo('quinn', 20)
      all.push(...idsOf(copies))
      await wire.carry(copies)
      // A server that was killed may have forgotten what was acknowledged: some may come again.
      await expect.poll(() => new Set(taken.values).size, PATIENT).toBe(all.length)
    }
    await next()
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await world.server.halt(signal)
      await world.server.start()
      await next()
    }
    world.proxy.cut()
    await next()
    expect([...new Set(taken.values)]).toEqual(all)
  })

  it('go on where the consumer was deleted, and whoever listens is told to ask the store', async () => {
    const world = await openWorld()
    const wire = world.open()
    const rung = createSignal<void>()
    const taken = collect()
    await wire.listen(['quinn'], () => rung.fire())
    await wire.take('quinn', taken.onCopy)
    const told = rung.next()
    const manager = await world.manager()
    await manager.consumers.delete('INBOX_EVENTS', 'inbox-quinn')
    await told
    const copy = copyTo('quinn')
    await wire.carry([copy])
    expect(await taken.fired).toBe(copy.message.id)
  })

  it('go on where everything was wiped, and nothing of before answers for what comes after', async () => {
    verifies('wires.wiped')
    const world = await openWorld()
    const wire = world.open()
    const wiped = createSignal<void>()
    const taken = collect()
    const [before, behind] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    onTestFinished(() => behind.resolve())
    await wire.carry(copiesTo('quinn', 2))
    wire.onWiped(() => wiped.fire())
    await wire.take('quinn', async (line) => {
      await taken.onCopy(line)
      if (taken.values.length === 1) await before.promise
      if (taken.values.length === 3) await behind.promise
    })
    await taken.fired
    await world.server.halt('SIGKILL')
    world.server.wipe()
    await world.server.start()
    await wiped.fired
    const after = copiesTo('quinn', 3)
    await wire.carry(after)
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(3)
    before.resolve()
    await taken.times(3)
    await wire.health()
    expect(await unacknowledged(world)).toBe(3)
    behind.resolve()
    expect((await taken.times(5)).slice(2)).toEqual(idsOf(after))
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(0)
  })

  it('are taken by a consumer that somebody else has made, as it is', async () => {
    const world = await openWorld()
    const wire = world.open()
    await wire.carry(copiesTo('quinn', 2))
    const manager = await world.manager()
    const theirs = { durable_name: 'inbox-quinn', filter_subject: 'inbox.targeted.quinn', ack_wait: 30e9 } as const
    await manager.consumers.add('INBOX_EVENTS', { ...theirs, deliver_policy: 'new', ack_policy: 'explicit' })
    const taken = collect()
    await wire.take('quinn', taken.onCopy)
    const copy = copyTo('quinn')
    await wire.carry([copy])
    expect(await taken.fired).toBe(copy.message.id)
    const { config } = await manager.consumers.info('INBOX_EVENTS', 'inbox-quinn')
    expect(config.deliver_policy).toBe('new')
  })

  it.each([
    'a.b',
    'x>y',
    '*',
    '>',
    'quinn.>',
    ' ',
    '',
    '@all',
    'Quinn',
    '../quinn',
    'é',
  ])('of others never come to %j, whatever it is called', async (hostile) => {
    verifies('S000.nats.tokens')
    const world = await openWorld()
    const wire = world.open()
    const taken = collect()
    const own = copyTo(hostile)
    await wire.carry([...['quinn', 'a', 'b', 'x', 'y'].map((agent) => copyTo(agent)), own])
    await wire.take(hostile, taken.onCopy)
    expect(await taken.fired).toBe(own.message.id)
    const last = copyTo(hostile)
    await wire.carry([copyTo('quinn'), last])
    expect(await taken.times(2)).toEqual(idsOf([own, last]))
  })

  it('begin to come when a server that was down is up', async () => {
    const world = await openWorld()
    await world.server.halt()
    const wire = world.open()
    const taken = collect()
    const taking = wire.take('quinn', taken.onCopy)
    await world.server.start()
    await taking
    await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: true })
    const copy = copyTo('quinn')
    await wire.carry([copy])
    expect(await taken.fired).toBe(copy.message.id)
  })

  it('keep a process alive until its taker is closed', async () => {
    const world = await openWorld()
    await world.open().carry([copyTo('quinn')])
    const program = `const taken = Promise.withResolvers()
      const taker = await wire.take('quinn', async () => taken.resolve())
      await taken.promise
      await taker.close()`
    expect(await run(world, program)).toBe(0)
    await expect.poll(() => unacknowledged(world), PATIENT).toBe(0)
  })
})

const WIRE = join(import.meta.dirname, '../../../src/wires/nats/nats-wire.ts')

function start(world: CopyWorld, text: string) {
  const making = `const wire = (await import(${JSON.stringify(WIRE)})).createNatsWire({ url: ${JSON.stringify(world.url)} })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${making}\n${text}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function run(world: CopyWorld, text: string): Promise<number | null> {
  const [code] = await once(start(world, text), 'exit')
  return code as number | null
}

/** Takes in another process, which is killed while it has copies in its hands. */
async function dieTaking(world: CopyWorld): Promise<void> {
  const text = `await wire.take('quinn', async () => { console.log('in hand'); await new Promise(() => {}) })`
  const child = start(world, text)
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
}
