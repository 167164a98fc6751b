import { jetstream } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../helpers/needs.ts'
import { createSignal } from '../../helpers/signal.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { copiesTo, copyTo, idOf, idsOf, keptIn, openWorld } from './copies.ts'

/** On a busy machine everything takes its time. */
const PATIENT = { timeout: 20_000 }

describe('copies carried through NATS', needsPrograms('nats-server'), () => {
  it('are read by a plain consumer as entries of seed 000, each under the id by which duplicates are dropped', async () => {
    verifies('S000.nats.stream')
    const world = await openWorld()
    const [targeted, broadcast] = [copyTo('quinn', 'Look at "this".\n'), copyTo(null, 'To all.')]
    await world.open().carry([targeted, broadcast])
    const manager = await world.manager()
    await manager.consumers.add('INBOX_EVENTS', { durable_name: 'coop', ack_policy: 'explicit' })
    const consumer = await manager.jetstream().consumers.get('INBOX_EVENTS', 'coop')
    const [first, second] = [await consumer.next(), await consumer.next()]
    expect([first?.subject, second?.subject]).toEqual(['inbox.targeted.quinn', 'inbox.broadcast'])
    expect(first?.json()).toEqual({
      id: targeted.message.id,
      type: 'message',
      source: 'riley',
      content: 'Look at "this".\n',
      priority: 2,
      timestamp: 1_800_000_000_000,
      dedup_key: targeted.message.id,
    })
    expect(first?.headers?.get('Nats-Msg-Id')).toBe(`${targeted.message.id}:quinn`)
    expect(second?.headers?.get('Nats-Msg-Id')).toBe(broadcast.message.id)
    expect(idOf(second?.string() ?? '')).toBe(broadcast.message.id)
  })

  it('wake those who listen to the agent, and to everybody', async () => {
    const world = await openWorld()
    const [quinn, all, events] = [createSignal<string>(), createSignal<string>(), createSignal<string>()]
    const listening = world.open()
    await listening.listen(['quinn'], ([name = '']) => quinn.fire(name))
    await listening.listen(['@all'], ([name = '']) => all.fire(name))
    await listening.listen(['@events'], ([name = '']) => events.fire(name))
    await world.open().carry([copyTo('quinn'), copyTo(null)])
    expect([await quinn.fired, await all.fired, await events.fired]).toEqual(['quinn', '@all', '@events'])
  })

  it('are kept once, however often they are carried', async () => {
    verifies('wires.once')
    const world = await openWorld()
    const copies = [...copiesTo('quinn', 50), ...copiesTo(null, 5)]
    await world.open().carry(copies)
    await Promise.all([world.open().carry(copies), world.open().carry(copies.slice(20))])
    expect(await keptIn(await world.manager())).toEqual(idsOf(copies))
  })

  it('stay in order where others publish in between, so that one of them is refused', async () => {
    verifies('wires.order')
    const world = await openWorld()
    const wire = world.open()
    await wire.carry([copyTo('other')])
    const noise = jetstream(await world.connect())
    let isOver = false
    const disturb = async () => {
      for (let i = 0; !isOver; i++)
        await noise.publish('inbox.targeted.foreign', '{"id":"foreign"}', { msgID: `f${i}` })
    }
    const disturbing = disturb()
    const copies = copiesTo('quinn', 3_000)
    await wire.carry(copies)
    isOver = true
    await disturbing
    const manager = await world.manager()
    expect((await keptIn(manager, 'inbox.targeted.foreign')).length).toBeGreaterThan(1)
    expect(await keptIn(manager, 'inbox.targeted.quinn')).toEqual(idsOf(copies))
  })

  it('stay in order where the stream has no room for one in the middle, but for those behind it', async () => {
    verifies('wires.order')
    const world = await openWorld()
    const wire = world.open()
    await wire.health()
    const manager = await world.manager()
    const full = { max_bytes: 20_000, discard: 'new' } as const
    await manager.streams.update('INBOX_EVENTS', full)
    const copies = [copyTo('quinn'), copyTo('quinn', 'x'.repeat(30_000)), ...copiesTo('quinn', 5)]
    await expect(wire.carry(copies)).rejects.toThrow('refuses a copy')
    await manager.streams.update('INBOX_EVENTS', { max_bytes: -1 })
    await wire.carry(copies)
    expect(await keptIn(manager)).toEqual(idsOf(copies))
  })

  it('would lose their order if they were not tied to each other, which this test would see', async () => {
    const world = await openWorld()
    await world.open().carry([])
    const connection = await world.connect()
    const stream = jetstream(connection)
    const planted = ['a', 'b', 'c'].map((id, index) => {
      const refused = headers()
      if (index === 1) refused.set('Nats-Expected-Last-Msg-Id', 'never')
      return stream.publish('inbox.targeted.quinn', JSON.stringify({ id }), { msgID: id, headers: refused })
    })
    const [, failed] = await Promise.allSettled(planted)
    expect(failed?.status).toBe('rejected')
    await stream.publish('inbox.targeted.quinn', '{"id":"b"}', { msgID: 'b' })
    expect(await keptIn(await world.manager())).toEqual(['a', 'c', 'b'])
  })

  it('are all there and in order when the connection is cut and the server killed in the middle', async () => {
    verifies('wires.order')
    const world = await openWorld()
    const wire = world.open()
    const copies = copiesTo('quinn', 6_000)
    await wire.carry([copyTo('other')])
    const carryUntilDone = async () => {
      for (;;) {
        try {
          return await wire.carry(copies)
        } catch {
          await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: true })
        }
      }
    }
    const carrying = carryUntilDone()
    const manager = await world.manager()
    const count = async () => (await manager.streams.info('INBOX_EVENTS')).state.messages
    await expect.poll(count, { ...PATIENT, interval: 1 }).toBeGreaterThan(500)
    world.proxy.cut()
    await world.server.halt('SIGKILL')
    await world.server.start()
    await carrying
    expect(await keptIn(await world.manager(), 'inbox.targeted.quinn')).toEqual(idsOf(copies))
  })

  it('of a noisy agent never push out those of a quiet one', async () => {
    verifies('wires.noisy')
    const world = await openWorld()
    const wire = world.open()
    const quiet = [copyTo('quiet'), copyTo(null)]
    await wire.carry(quiet)
    const noisy = copiesTo('noisy', 10_500)
    await wire.carry(noisy)
    const manager = await world.manager()
    const kept = await keptIn(manager)
    expect(kept.slice(0, 2)).toEqual(idsOf(quiet))
    expect(kept.slice(2)).toEqual(idsOf(noisy.slice(-10_000)))
  })

  it('that are too large for the server are only rung', async () => {
    const world = await openWorld()
    const rung = createSignal<string>()
    const wire = world.open()
    await wire.listen(['quinn'], ([name = '']) => rung.fire(name))
    const small = copyTo('riley')
    await wire.carry([copyTo('quinn', 'x'.repeat(1_100_000)), small])
    expect(await rung.fired).toBe('quinn')
    expect(await keptIn(await world.manager())).toEqual(idsOf([small]))
  })

  it('that are too large for the stream are only rung', async () => {
    const world = await openWorld()
    const manager = await world.manager()
    await manager.streams.add({ name: 'INBOX_EVENTS', subjects: ['inbox.>'], max_msg_size: 2_000 })
    const rung = createSignal<string>()
    const wire = world.open()
    await wire.listen(['quinn'], ([name = '']) => rung.fire(name))
    const [first, last] = [copyTo('riley'), copyTo('riley')]
    await wire.carry([first, copyTo('quinn', 'x'.repeat(3_000)), last])
    expect(await rung.fired).toBe('quinn')
    expect(await keptIn(manager)).toEqual(idsOf([first, last]))
  })

  it('go through a stream that somebody else has made, whose limits are set right only where it has none', async () => {
    const world = await openWorld()
    const manager = await world.manager()
    await manager.streams.add({
      name: 'INBOX_EVENTS',
      subjects: ['inbox.>', 'more'],
      max_msgs: 10_000,
      max_age: 3.6e12,
    })
    await world.open().carry([copyTo('quinn')])
    const { config } = await manager.streams.info('INBOX_EVENTS')
    expect(config).toMatchObject({
      subjects: ['inbox.>', 'more'],
      max_msgs: -1,
      max_msgs_per_subject: 10_000,
      max_age: 3.6e12,
      storage: 'file',
    })
  })

  it('go through a stream of another name that has the subjects already', async () => {
    const world = await openWorld()
    const manager = await world.manager()
    await manager.streams.add({ name: 'THEIRS', subjects: ['inbox.>'] })
    const wire = world.open()
    const taken = createSignal<string>()
    const copy = copyTo('quinn')
    await wire.carry([copy])
    await wire.take('quinn', async (line) => taken.fire(idOf(line)))
    expect(await taken.fired).toBe(copy.message.id)
    expect(world.notes.values).toContain('wire.stream-kept')
  })

  it('are refused while the server is down, and carried when it is back', async () => {
    const world = await openWorld()
    const wire = world.open()
    const copies = copiesTo('quinn', 3)
    await world.server.halt()
    await expect(wire.carry(copies)).rejects.toThrow('cannot be reached')
    await world.server.start()
    await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: true })
    await wire.carry(copies)
    expect(await keptIn(await world.manager())).toEqual(idsOf(copies))
  })

  it('are missed where the stream was deleted or wiped, which is told, and which the next ones mend', async () => {
    verifies('wires.wiped')
    const world = await openWorld()
    const wire = world.open()
    const wiped = createSignal<void>()
    wire.onWiped(() => wiped.fire())
    await wiped.fired
    await wire.carry(copiesTo('quinn', 3))
    const deleted = wiped.next()
    await (await world.manager()).streams.delete('INBOX_EVENTS')
    const after = copiesTo('quinn', 2)
    // What is gone comes first, for whoever was told carries that again.
    await expect(wire.carry(after)).rejects.toThrow('made again')
    await deleted
    await wire.carry(after)
    expect(await keptIn(await world.manager())).toEqual(idsOf(after))
    const gone = wiped.next()
    await world.server.halt('SIGKILL')
    world.server.wipe()
    await world.server.start()
    await gone
    await wire.carry(after)
    expect(await keptIn(await world.manager())).toEqual(idsOf(after))
  })

  it('are missed in the same way while somebody listens, whose subscription keeps the server from saying so', async () => {
    verifies('wires.wiped')
    const world = await openWorld()
    const wire = world.open({ silenceMs: 500 })
    const wiped = createSignal<void>()
    wire.onWiped(() => wiped.fire())
    await wiped.fired
    const rung = createSignal<void>()
    await world.open().listen(['quinn'], () => rung.fire())
    await wire.carry(copiesTo('quinn', 3))
    await rung.fired
    const deleted = wiped.next()
    await (await world.manager()).streams.delete('INBOX_EVENTS')
    const after = copiesTo('quinn', 2)
    await expect(wire.carry(after)).rejects.toThrow('made again')
    await deleted
    await wire.carry(after)
    expect(await keptIn(await world.manager())).toEqual(idsOf(after))
  })

  it('that no stream answers for are told by the health of the wire, until it has seen one', async () => {
    const world = await openWorld()
    const manager = await world.manager()
    const wire = world.open({ silenceMs: 500 })
    await wire.listen(['quinn'], () => {})
    await wire.carry(copiesTo('quinn', 1))
    await manager.streams.delete('INBOX_EVENTS')
    await manager.streams.add({ name: 'THEIRS', subjects: ['inbox.broadcast'] })
    await expect(wire.carry(copiesTo('quinn', 1))).rejects.toThrow()
    expect(await wire.health()).toMatchObject({ isUp: false, detail: expect.stringContaining('carries nothing') })
    await manager.streams.delete('THEIRS')
    expect(await wire.health()).toMatchObject({ isUp: true })
  })

  it('are missed where somebody else has made the stream again, which the next ones find', async () => {
    verifies('wires.wiped')
    const world = await openWorld()
    const wire = world.open()
    await wire.carry(copiesTo('quinn', 3))
    const wiped = createSignal<void>()
    wire.onWiped(() => wiped.fire())
    const manager = await world.manager()
    await manager.streams.delete('INBOX_EVENTS')
    await manager.streams.add({ name: 'INBOX_EVENTS', subjects: ['inbox.>'] })
    const after = copiesTo('quinn', 2)
    await wire.carry(after)
    expect(wiped.values).toHaveLength(1)
    expect(await keptIn(manager)).toEqual(idsOf(after))
    await wire.carry(after)
    expect(wiped.values).toHaveLength(1)
  })

  it('wait for a stream that cannot be made because another has some of its subjects, and for nothing more', async () => {
    const world = await openWorld()
    const manager = await world.manager()
    const copies = [...copiesTo('quinn', 1), ...copiesTo(null, 1)]
    for (const subject of ['inbox.broadcast', 'inbox.targeted.quinn']) {
      await manager.streams.delete('INBOX_EVENTS').catch(() => {})
      await manager.streams.add({ name: 'THEIRS', subjects: [subject] })
      const wire = world.open()
      expect(await wire.health()).toMatchObject({
        isUp: false,
        detail: expect.stringMatching(/carries nothing.*overlap/),
      })
      await manager.streams.delete('THEIRS')
      expect(await wire.health()).toMatchObject({ isUp: true })
      await wire.carry(copies)
      expect(await keptIn(manager)).toEqual(idsOf(copies))
    }
  })

  it('are not called wiped where the server was only started again', async () => {
    const world = await openWorld()
    const wire = world.open()
    await wire.carry(copiesTo('quinn', 3))
    const wiped = createSignal<void>()
    wire.onWiped(() => wiped.fire())
    const rung = createSignal<void>()
    await wire.listen(['quinn'], () => rung.fire())
    await world.server.halt()
    await world.server.start()
    await rung.fired
    expect(wiped.values).toEqual([])
  })

  it('need a server with JetStream: without, it rings, and says what is missing', async () => {
    const world = await openWorld()
    const wire = world.open()
    await world.server.halt()
    await world.server.start({ jetStream: false })
    onTestFinished(() => world.server.halt())
    const rung = createSignal<void>()
    await wire.listen(['quinn'], () => rung.fire())
    await wire.ring(['quinn'])
    await rung.fired
    expect(await wire.health()).toMatchObject({ isUp: false, detail: expect.stringMatching(/carries nothing/) })
    await expect(wire.carry(copiesTo('quinn', 1))).rejects.toThrow()
  })
})
