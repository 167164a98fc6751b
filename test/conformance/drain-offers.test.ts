import { expect } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, contents, read, refused, show, stateOf, stepsOf, tell, type World } from './suite.ts'

const UNPRINTED_MS = 30_000
const PRINTED_MS = 30 * 60_000

conformance('drain and its offers', ({ rule, open }) => {
  rule('offers what is pending and shows it to nobody else meanwhile', async () => {
    verifies('G4.exactly-once', 'S000.drain.again')
    const { postern, now } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const { offer, messages, remaining } = await postern.inbox.drain({
      agent: 'quinn',
      sessionId: 'ses-1',
      via: 'stop',
    })
    expect(messages).toMatchObject([
      { id, content: 'hello', agent: 'quinn', state: 'offered', attempt: 1, form: 'whole' },
    ])
    expect(remaining).toBe(0)
    expect(offer).toEqual({
      id: expect.stringMatching(/^off_/),
      agent: 'quinn',
      sessionId: 'ses-1',
      via: 'stop',
      offeredAt: now(),
      printedAt: null,
      closedAt: null,
      outcome: null,
      evidence: null,
      expiresAt: now() + UNPRINTED_MS,
      size: 1,
    })
    expect(await postern.inbox.drain({ agent: 'quinn' })).toEqual({ offer: null, messages: [], remaining: 0 })
    await read(postern, 'quinn')
    expect(await stateOf(postern, id)).toBe('offered')
  })

  rule('counts what waits no further than a hook asks for', async () => {
    let store: Store | undefined
    const { postern, now } = await open({
      through: (opened) => {
        store = opened
        return opened
      },
    })
    for (const content of ['one', 'two', 'three']) await tell(postern, 'quinn', content)
    const counted = (upTo?: number) => store?.read.deliveries.countPending({ agent: 'quinn', now: now(), upTo })
    expect([await counted(2), await counted()]).toEqual([2, 3])
  })

  rule('makes what was printed and confirmed seen, for good', async () => {
    verifies('G4.exactly-once', 'S000.drain.again')
    const { postern, now, advance } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const { offerId } = await show(postern, { agent: 'quinn' })
    const confirmed = await postern.inbox.confirm({ offerId, evidence: 'the next prompt' })
    expect(confirmed).toMatchObject({ outcome: 'confirmed', evidence: 'the next prompt', closedAt: now() })
    expect(await stateOf(postern, id)).toBe('seen')
    advance(PRINTED_MS + 1)
    await postern.upkeep.run()
    expect(await read(postern, 'quinn')).toEqual([])
  })

  rule('confirms twice as once and never after it was given back', async () => {
    const { postern } = await open()
    await tell(postern, 'quinn', 'one')
    const { offerId } = await show(postern, { agent: 'quinn' })
    const first = await postern.inbox.confirm({ offerId, evidence: 'first' })
    expect(await postern.inbox.confirm({ offerId, evidence: 'second' })).toEqual(first)
    await refused(postern.inbox.release({ offerId, reason: 'too late' }), 'OFFER_NOT_FOUND')

    const id = await tell(postern, 'quinn', 'two')
    const released = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId: released.offerId, reason: 'closed pipe' })
    for (const printed of [true, false]) {
      await refused(postern.inbox.confirm({ offerId: released.offerId, evidence: 'late', printed }), 'OFFER_NOT_FOUND')
    }
    await refused(postern.inbox.printed({ offerId: released.offerId }), 'OFFER_NOT_FOUND')
    expect(await stateOf(postern, id)).toBe('pending')
  })

  rule('never confirms an offer that was not printed, by whatever means', async () => {
    verifies('G4.printed-only')
    const { postern, now, advance } = await open()
    const id = await tell(postern, 'quinn', 'unprinted')
    const { offer } = await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1', via: 'prompt.submit' })
    const offerId = offer?.id ?? ''
    await refused(postern.inbox.confirm({ offerId, evidence: 'I say so' }), 'OFFER_UNPRINTED')
    advance(1)
    expect(
      await postern.inbox.confirmSession({ sessionId: 'ses-1', printedBefore: now() + 1, evidence: 'event' }),
    ).toBe(0)
    expect(await stateOf(postern, id)).toBe('offered')
    await postern.sessions.end({ id: 'ses-1' })
    expect(await stateOf(postern, id)).toBe('pending')
  })

  rule('confirms with an event only what was printed before it began', async () => {
    verifies('G4.earlier-event')
    const { postern, now, advance } = await open()
    const early = await tell(postern, 'quinn', 'early')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(1)
    const eventBeganAt = now()
    const late = await tell(postern, 'quinn', 'late')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    const other = await tell(postern, 'quinn', 'other session')
    await show(postern, { agent: 'quinn', sessionId: 'ses-2' })

    const event = { sessionId: 'ses-1', printedBefore: eventBeganAt, evidence: 'prompt.submit' }
    expect(await postern.inbox.confirmSession(event)).toBe(1)
    expect(await stateOf(postern, early)).toBe('seen')
    expect(await stateOf(postern, late)).toBe('offered')
    expect(await stateOf(postern, other)).toBe('offered')
    expect(await postern.inbox.confirmSession(event)).toBe(0)
  })

  rule('lets parallel events of one session confirm nothing of each other', async () => {
    verifies('G4.earlier-event')
    const { postern, now } = await open()
    const id = await tell(postern, 'quinn', 'parallel')
    const bothBeganAt = now()
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    expect(
      await postern.inbox.confirmSession({ sessionId: 'ses-1', printedBefore: bothBeganAt, evidence: 'tool' }),
    ).toBe(0)
    expect(await stateOf(postern, id)).toBe('offered')
  })

  rule('shows what was released again, with the same id and the next attempt', async () => {
    verifies('G4.shown-again')
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'again')
    const { offerId } = await show(postern, { agent: 'quinn' })
    expect(await postern.inbox.release({ offerId, reason: 'the pipe was closed' })).toMatchObject({
      outcome: 'released',
    })
    const { messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages).toMatchObject([{ id, content: 'again', attempt: 2 }])
  })

  rule('lets an unprinted offer lapse after 30 s, no earlier', async () => {
    verifies('G4.unprinted-lease', 'G4.shown-again')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'lost on the way')
    await postern.inbox.drain({ agent: 'quinn' })
    advance(UNPRINTED_MS - 1)
    expect(await read(postern, 'quinn')).toEqual([])
    advance(1)
    const { messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages).toMatchObject([{ id, attempt: 2 }])
    expect(await stepsOf(postern, id)).toEqual(['stored', 'offered', 'lapsed', 'offered'])
  })

  rule('lets a printed offer lapse after half an hour, no earlier', async () => {
    verifies('G4.printed-lease', 'G4.shown-again')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'shown and ignored')
    advance(UNPRINTED_MS - 1)
    await show(postern, { agent: 'quinn' })
    advance(PRINTED_MS - 1)
    expect(await read(postern, 'quinn')).toEqual([])
    advance(1)
    const { messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages).toMatchObject([{ id, attempt: 2 }])
  })

  rule('confirms nothing through an offer that has lapsed', async () => {
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'slow')
    const { offerId } = await show(postern, { agent: 'quinn' })
    advance(PRINTED_MS)
    const second = await show(postern, { agent: 'quinn' })
    await refused(postern.inbox.confirm({ offerId, evidence: 'late', printed: true }), 'OFFER_NOT_FOUND')
    expect(await stateOf(postern, id)).toBe('offered')
    await postern.inbox.confirm({ offerId: second.offerId, evidence: 'in time' })
    expect(await stateOf(postern, id)).toBe('seen')
  })

  rule('takes an acknowledgement for proof that the message was seen', async () => {
    const { postern } = await open()
    const [one, two] = [await tell(postern, 'quinn', 'one'), await tell(postern, 'quinn', 'two')]
    await refused(postern.inbox.ack({ agent: 'quinn', ids: [one] }), 'DELIVERY_STATE')
    const { offerId } = await show(postern, { agent: 'quinn' })
    expect(await postern.inbox.ack({ agent: 'quinn', ids: [one] })).toEqual([{ id: one, state: 'acted' }])
    await postern.inbox.release({ offerId, reason: 'interrupted' })
    expect([await stateOf(postern, one), await stateOf(postern, two)]).toEqual(['acted', 'pending'])
    expect(await postern.inbox.ack({ agent: 'quinn', ids: [one] })).toEqual([{ id: one, state: 'acted' }])
  })

  rule('acknowledges all that are named or none', async () => {
    const { postern } = await open()
    const shown = await tell(postern, 'quinn', 'shown')
    await read(postern, 'quinn')
    const waiting = await tell(postern, 'quinn', 'waiting')
    await refused(postern.inbox.ack({ agent: 'quinn', ids: [shown, waiting] }), 'DELIVERY_STATE')
    await refused(postern.inbox.ack({ agent: 'quinn', ids: [shown, 'msg_nothing'] }), 'MESSAGE_NOT_FOUND')
    expect(await stateOf(postern, shown)).toBe('seen')
  })

  rule('takes back a message from whoever was not shown it', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex'] })
    const { id } = await postern.inbox.push({ to: ['ada', 'quinn', 'rex'], content: 'forget it' })
    await read(postern, 'ada')
    expect(await postern.inbox.cancel({ id, agent: 'quinn' })).toEqual({ cancelled: 1 })
    expect(await postern.inbox.cancel({ id })).toEqual({ cancelled: 1 })
    await refused(postern.inbox.cancel({ id }), 'DELIVERY_STATE')
    expect(await stateOf(postern, id, 'ada')).toBe('seen')
    for (const agent of ['quinn', 'rex']) expect(await read(postern, agent)).toEqual([])
  })

  rule('puts a message aside as dead after the last attempt, and tells a person', async () => {
    verifies('G4.dead')
    const world = await open({ limits: { attempts: 3 }, agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const { postern } = world
    const id = await tell(postern, 'quinn', 'poison')
    await drainInVain(world, 2)
    expect(await stateOf(postern, id)).toBe('pending')
    await drainInVain(world, 1)
    expect(await stateOf(postern, id)).toBe('dead')
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await postern.inbox.dead({ agent: 'quinn' })).toMatchObject([{ id, attempt: 3, state: 'dead' }])
    const [notice, ...others] = await read(postern, 'justin')
    expect(notice).toContain(id)
    expect(others).toEqual([])
  })

  rule('counts no attempt of which nothing was printed, however often that fails', async () => {
    verifies('G4.dead')
    const { postern } = await open({ limits: { attempts: 2 } })
    const id = await tell(postern, 'quinn', 'unlucky')
    for (let i = 0; i < 5; i++) {
      const { offer, messages } = await postern.inbox.drain({ agent: 'quinn' })
      expect(messages).toMatchObject([{ id, attempt: 1 }])
      await postern.inbox.release({ offerId: offer?.id ?? '', reason: 'the disk is full' })
    }
    expect((await postern.inbox.trace({ id })).why).toContain('nothing was printed')
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId, reason: 'interrupted' })
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toMatchObject([{ id, attempt: 2 }])
  })

  rule('counts no attempt that was confirmed before the message was put off', async () => {
    verifies('G4.dead')
    const { postern, advance, now } = await open({ limits: { attempts: 2 } })
    const id = await tell(postern, 'quinn', 'later')
    for (let i = 0; i < 3; i++) {
      expect(await read(postern, 'quinn')).toEqual(['later'])
      await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + 1_000 })
      advance(1_000)
    }
    const states: unknown[] = []
    for (let i = 0; i < 2; i++) {
      const { offerId } = await show(postern, { agent: 'quinn' })
      await postern.inbox.release({ offerId, reason: 'interrupted' })
      states.push(await stateOf(postern, id))
    }
    expect(states).toEqual(['pending', 'dead'])
  })

  rule('tells people of every death of a message, not only of the first', async () => {
    verifies('G4.dead')
    const world = await open({ limits: { attempts: 1 }, agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const { postern } = world
    const id = await tell(postern, 'quinn', 'poison')
    await drainInVain(world, 1)
    await postern.inbox.retryDead({ id })
    await drainInVain(world, 1)
    expect((await read(postern, 'justin')).filter((notice) => notice.includes(id))).toHaveLength(2)
  })

  rule('tries a dead message again and goes on counting', async () => {
    verifies('G4.dead')
    const world = await open({ limits: { attempts: 2 } })
    const { postern } = world
    const id = await tell(postern, 'quinn', 'poison')
    await drainInVain(world, 2)
    expect(await postern.inbox.retryDead({ id })).toEqual({ retried: 1 })
    await refused(postern.inbox.retryDead({ id }), 'DELIVERY_STATE')
    const { messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages).toMatchObject([{ id, attempt: 3 }])
    expect(await postern.inbox.dead()).toEqual([])
  })

  rule('lets nobody stop an inbox by sending the notice of a death beforehand', async () => {
    verifies('G4.dead')
    const world = await open({ limits: { attempts: 1 }, agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const { postern } = world
    const id = await tell(postern, 'quinn', 'poison')
    for (const dedupKey of [`dead:${id}:quinn`, `system:dead:${id}:quinn`, `postern:dead:${id}:quinn`]) {
      await postern.inbox.push({ to: ['justin'], content: 'squatting', dedupKey }).catch(() => undefined)
    }
    await drainInVain(world, 1)
    await tell(postern, 'quinn', 'next')
    expect(await read(postern, 'quinn')).toEqual(['next'])
    expect((await read(postern, 'justin')).filter((notice) => notice.includes(id))).toHaveLength(1)
  })

  rule('outlives a change of how many attempts there are', async () => {
    const world = await open({ limits: { attempts: 2 }, agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const id = await tell(world.postern, 'quinn', 'poison')
    await drainInVain(world, 2)
    const stricter = await world.again({ limits: { attempts: 3 } })
    await stricter.inbox.retryDead({ id })
    await drainInVain({ ...world, postern: stricter }, 1)
    expect(await stateOf(stricter, id)).toBe('dead')
  })

  rule('shows a message exactly once through any number of drains', async () => {
    verifies('G4.exactly-once', 'S000.drain.again')
    const { postern, again } = await open()
    const said = Array.from({ length: 50 }, (_, i) => `message ${i}`)
    for (const content of said) await tell(postern, 'quinn', content)
    const other = await again()
    const shown: string[] = []
    for (let i = 0; i < 10; i++)
      shown.push(...(await read(i % 2 ? postern : other, { agent: 'quinn', maxMessages: 7 })))
    expect(shown).toEqual(said)
  })

  rule('writes nothing and offers nothing where nothing waits', async () => {
    const { postern } = await open()
    expect(await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1' })).toEqual({
      offer: null,
      messages: [],
      remaining: 0,
    })
    expect(await postern.sessions.list()).toEqual([])
    expect(contents(await postern.inbox.drain({ agent: 'quinn' }))).toEqual([])
  })
})

/** Drains without printing, and lets each offer lapse. */
async function drainInVain({ postern, advance }: World, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    expect(contents(await postern.inbox.drain({ agent: 'quinn' }))).not.toEqual([])
    advance(UNPRINTED_MS)
    await postern.upkeep.run()
  }
}
