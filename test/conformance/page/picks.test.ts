import { expect } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/model/limits.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused, stateOf, stepsOf, tell } from '../suite.ts'

const HOUR_MS = 60 * 60_000
const { retentionMs } = DEFAULT_LIMITS

conformance('reading', ({ rule, open }) => {
  rule('shows the very messages that are named, and leaves the others pending', async () => {
    verifies('page.read')
    const { postern } = await open({ agents: [{ id: 'justin', kind: 'human' }] })
    const justin = postern.as(caller('justin', 'human'))
    const [first, second] = [await tell(postern, 'justin', 'one'), await tell(postern, 'justin', 'two')]
    expect(await justin.inbox.read({ agent: 'justin', ids: [second] })).toEqual([{ id: second, state: 'seen' }])
    expect((await postern.inbox.list({ agent: 'justin' })).items.map(({ id }) => id)).toEqual([first])
    const { deliveries } = await postern.inbox.trace({ id: second })
    expect(deliveries[0]?.steps.map(({ step }) => step)).toEqual(['stored', 'offered', 'printed', 'seen'])
    expect(deliveries[0]?.steps.at(-1)?.evidence).toBe('read by justin')
    expect((await postern.inbox.drain({ agent: 'justin' })).messages.map(({ id }) => id)).toEqual([first])
  })

  rule('again changes nothing, nor does it read what is not pending', async () => {
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'one')
    for (const state of ['seen', 'seen']) {
      expect(await postern.inbox.read({ agent: 'quinn', ids: [id, id] })).toEqual([{ id, state }])
    }
    await postern.inbox.ack({ agent: 'quinn', ids: [id] })
    expect(await postern.inbox.read({ agent: 'quinn', ids: [id] })).toEqual([{ id, state: 'acted' }])
  })

  rule('takes what was sent to everybody, and refuses what is not there', async () => {
    const { postern } = await open({ agents: ['quinn', 'mindy'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'all hands' })
    expect(await postern.inbox.read({ agent: 'quinn', ids: [id] })).toEqual([{ id, state: 'seen' }])
    await refused(postern.inbox.read({ agent: 'quinn', ids: ['msg_nothing'] }), 'MESSAGE_NOT_FOUND')
    const other = await tell(postern, 'mindy', 'not yours')
    await refused(postern.inbox.read({ agent: 'quinn', ids: [other] }), 'DELIVERY_NOT_FOUND')
    await refused(postern.inbox.read({ agent: 'nobody', ids: [] }), 'AGENT_NOT_FOUND')
    await refused(postern.inbox.read({ agent: 'quinn', ids: Array(1_001).fill(other) }), 'VALUE_INVALID')
  })

  rule('lists what is not dealt with, newest first', async () => {
    const { postern } = await open()
    const ids: string[] = []
    for (const content of ['1', '2', '3', '4']) ids.push(await tell(postern, 'quinn', content))
    await postern.inbox.read({ agent: 'quinn', ids: [ids[0] ?? '', ids[1] ?? ''] })
    await postern.inbox.ack({ agent: 'quinn', ids: [ids[0] ?? ''] })
    const wanted = { agent: 'quinn', which: 'open', order: 'newest', limit: 2 } as const
    const page = await postern.inbox.list(wanted)
    expect(page.items.map(({ content, state }) => [content, state])).toEqual([
      ['4', 'pending'],
      ['3', 'pending'],
    ])
    const rest = await postern.inbox.list({ ...wanted, after: page.next ?? '' })
    expect(rest).toMatchObject({ items: [{ content: '2', state: 'seen' }], next: null })
    await refused(postern.inbox.list({ order: 'newest' }), 'VALUE_INVALID')
  })

  rule('lists what is done apart from what was only seen', async () => {
    const { postern } = await open()
    const ids: string[] = []
    for (const content of ['1', '2', '3', '4', '5']) ids.push(await tell(postern, 'quinn', content))
    await postern.inbox.read({ agent: 'quinn', ids: ids.slice(0, 4) })
    await postern.inbox.ack({ agent: 'quinn', ids: ids.slice(0, 2) })
    const wanted = { agent: 'quinn', which: 'done', order: 'newest', limit: 1 } as const
    const page = await postern.inbox.list(wanted)
    expect(page.items).toMatchObject([{ id: ids[1], state: 'acted' }])
    const rest = await postern.inbox.list({ ...wanted, after: page.next ?? '' })
    expect(rest).toMatchObject({ items: [{ id: ids[0], state: 'acted' }], next: null })
  })
})

conformance('putting off', ({ rule, open }) => {
  rule('keeps a message from its agent until its time, and brings it back by itself', async () => {
    verifies('page.snooze')
    const { postern, now, advance } = await open()
    const id = await tell(postern, 'quinn', 'later')
    const untilAt = now() + HOUR_MS
    const quinn = postern.as(caller('quinn'))
    expect(await quinn.inbox.snooze({ agent: 'quinn', ids: [id], untilAt })).toEqual([{ id, state: 'held' }])
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toEqual([])
    expect((await postern.inbox.list({ agent: 'quinn' })).items).toEqual([])
    expect((await postern.inbox.list({ agent: 'quinn', which: 'open' })).items).toEqual([])
    expect(await postern.inbox.held()).toEqual([])
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'snoozed' })
    expect(items).toMatchObject([{ id, state: 'held', snoozedUntilAt: untilAt }])
    expect((await postern.inbox.trace({ id })).why).toContain('put it off until')

    advance(HOUR_MS)
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toMatchObject([{ id, attempt: 1 }])
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries[0]?.steps.map(({ step, by }) => [step, by])).toEqual([
      ['stored', 'local'],
      ['held', 'quinn'],
      ['requeued', 'system'],
      ['offered', null],
    ])
  })

  rule('works after it was shown, whose steps are kept when it is shown again', async () => {
    verifies('page.snooze')
    const { postern, now, advance } = await open()
    const id = await tell(postern, 'quinn', 'later')
    await postern.inbox.read({ agent: 'quinn', ids: [id] })
    advance(1_000)
    await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + HOUR_MS })
    advance(HOUR_MS)
    const { offer, messages } = await postern.inbox.drain({ agent: 'quinn' })
    expect(messages).toMatchObject([{ id, attempt: 2 }])
    await postern.inbox.confirm({ offerId: offer?.id ?? '', printed: true, evidence: 'read again' })
    await postern.inbox.ack({ agent: 'quinn', ids: [id] })
    const steps = ['stored', 'offered', 'printed', 'seen', 'held', 'requeued', 'offered', 'printed', 'seen', 'acted']
    expect(await stepsOf(postern, id)).toEqual(steps)
    expect((await postern.inbox.trace({ id })).deliveries).toMatchObject([{ state: 'acted', snoozedUntilAt: null }])
  })

  rule('of what was only offered counts as seen, and whatever becomes of the offer it stays put off', async () => {
    const { postern, now } = await open()
    const [id, other] = [await tell(postern, 'quinn', 'later'), await tell(postern, 'quinn', 'now')]
    const { offer } = await postern.inbox.drain({ agent: 'quinn' })
    await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + HOUR_MS })
    await postern.inbox.release({ offerId: offer?.id ?? '', reason: 'the window was closed' })
    expect((await postern.inbox.list({ agent: 'quinn', which: 'all' })).items).toMatchObject([
      { id, state: 'held' },
      { id: other, state: 'pending' },
    ])
    expect(await stepsOf(postern, id)).toContain('seen')
  })

  rule('is told of once, and so is what came before and after it', async () => {
    const { postern, now, advance } = await open()
    const id = await tell(postern, 'quinn', 'later')
    await postern.inbox.read({ agent: 'quinn', ids: [id] })
    await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + HOUR_MS })
    advance(HOUR_MS)
    await postern.inbox.read({ agent: 'quinn', ids: [id] })
    const told = async () => {
      const { items } = await postern.events.list({ latest: 50, types: ['message.*', 'delivery.*'] })
      return items.map(({ type }) => type)
    }
    const types = ['message.created', 'delivery.seen', 'delivery.held', 'delivery.requeued', 'delivery.seen']
    // On PostgreSQL a transaction of somebody else's that is still open holds them back.
    await expect.poll(told, PATIENTLY).toEqual(types)
  })

  rule('can be undone, and done again until another time', async () => {
    verifies('page.snooze')
    const { postern, now, advance } = await open()
    const id = await tell(postern, 'quinn', 'later')
    const snooze = (untilAt: number | null) => postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt })
    await snooze(now() + HOUR_MS)
    await snooze(now() + 2 * HOUR_MS)
    advance(HOUR_MS)
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toEqual([])
    expect(await snooze(null)).toEqual([{ id, state: 'pending' }])
    expect(await snooze(null)).toEqual([{ id, state: 'pending' }])
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toMatchObject([{ id }])
  })

  rule('releases nothing that a budget holds, and refuses what is over or past', async () => {
    const { postern, now } = await open({ agents: ['quinn', 'mindy'], limits: { pairBurst: 1, pairPerMinute: 1 } })
    const mindy = postern.as(caller('mindy'))
    await mindy.inbox.push({ to: ['quinn'], content: 'one' })
    const { id, recipients } = await mindy.inbox.push({ to: ['quinn'], content: 'two' })
    expect(recipients[0]?.state).toBe('held')
    const snooze = (ids: readonly string[], untilAt: number | null) =>
      postern.inbox.snooze({ agent: 'quinn', ids, untilAt })
    await refused(snooze([id], null), 'DELIVERY_STATE')
    await refused(snooze([id], now() + HOUR_MS), 'DELIVERY_STATE')
    const done = await tell(postern, 'quinn', 'done')
    await postern.inbox.read({ agent: 'quinn', ids: [done] })
    await postern.inbox.ack({ agent: 'quinn', ids: [done] })
    await refused(snooze([done], now() + HOUR_MS), 'DELIVERY_STATE')
    for (const untilAt of [now(), now() - 1, Number.NaN, 1.5, now() + 400 * 24 * HOUR_MS]) {
      await refused(snooze([done], untilAt), 'VALUE_INVALID')
    }
  })

  rule('of several messages is all or nothing', async () => {
    const { postern, now } = await open()
    const id = await tell(postern, 'quinn', 'one')
    const untilAt = now() + HOUR_MS
    await refused(postern.inbox.snooze({ agent: 'quinn', ids: [id, 'msg_nothing'], untilAt }), 'MESSAGE_NOT_FOUND')
    expect((await postern.inbox.list({ agent: 'quinn' })).items).toMatchObject([{ id, state: 'pending' }])
  })

  rule('at the same time as drains and readers leaves every message in one place, shown once at most', async () => {
    const { postern, now, advance, again } = await open()
    const ids: string[] = []
    for (let at = 0; at < 24; at++) ids.push(await tell(postern, 'quinn', `${at}`))
    const other = await again()
    const untilAt = now() + HOUR_MS
    const snoozes = ids.map((id, at) =>
      (at % 2 === 0 ? postern : other).inbox.snooze({ agent: 'quinn', ids: [id], untilAt }),
    )
    const drains = [postern, other, postern].map((each) => each.inbox.drain({ agent: 'quinn', maxMessages: 8 }))
    const reads = ids.map((id) => other.inbox.read({ agent: 'quinn', ids: [id] }))
    const drained = await Promise.all(drains)
    await Promise.all([...snoozes, ...reads])
    await other.close()
    const shown = drained.flatMap(({ messages }) => messages.map(({ id }) => id))
    expect(new Set(shown).size).toBe(shown.length)
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all' })
    expect(items.map(({ state }) => state)).toEqual(ids.map(() => 'held'))
    advance(HOUR_MS)
    expect((await postern.inbox.list({ agent: 'quinn' })).items.map(({ id }) => id)).toEqual(ids)
  })

  rule('beyond the time of the message itself brings it back all the same, and the trace says so', async () => {
    verifies('page.snooze')
    const { postern, now, advance } = await open()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'soon over', ttlMs: HOUR_MS })
    await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + 2 * HOUR_MS })
    advance(3 * HOUR_MS)
    await postern.upkeep.run()
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toMatchObject([{ id }])
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries).toMatchObject([{ state: 'offered', expiresAt: null }])
    expect(deliveries[0]?.steps.find(({ step }) => step === 'requeued')?.evidence).toContain('its time to live')
  })

  rule('lifts no time to live that ends after it: what came back before still expires', async () => {
    const { postern, now, advance } = await open()
    const push = async () => (await postern.inbox.push({ to: ['quinn'], content: 'x', ttlMs: 2 * HOUR_MS })).id
    const [undone, back] = [await push(), await push()]
    await postern.inbox.snooze({ agent: 'quinn', ids: [undone], untilAt: now() + 3 * HOUR_MS })
    await postern.inbox.snooze({ agent: 'quinn', ids: [undone], untilAt: null })
    await postern.inbox.snooze({ agent: 'quinn', ids: [back], untilAt: now() + HOUR_MS })
    advance(3 * HOUR_MS)
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toEqual([])
    expect([await stateOf(postern, undone), await stateOf(postern, back)]).toEqual(['expired', 'expired'])
  })

  rule('of what was seen keeps it from being taken back by its sender, then and afterwards', async () => {
    const { postern, now, advance } = await open({ agents: ['quinn', 'mindy', 'robin'] })
    const mindy = postern.as(caller('mindy'))
    const { id } = await mindy.inbox.push({ to: ['quinn', 'robin'], content: 'hello' })
    await postern.inbox.read({ agent: 'quinn', ids: [id] })
    await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + HOUR_MS })
    await postern.inbox.snooze({ agent: 'robin', ids: [id], untilAt: now() + HOUR_MS })
    await refused(mindy.inbox.cancel({ id, agent: 'quinn' }), 'DELIVERY_STATE')
    expect(await mindy.inbox.cancel({ id })).toEqual({ cancelled: 1 })
    const states = async () => (await postern.inbox.trace({ id })).deliveries.map(({ agent, state }) => [agent, state])
    expect(await states()).toEqual([
      ['quinn', 'held'],
      ['robin', 'cancelled'],
    ])
    advance(HOUR_MS)
    expect((await postern.inbox.list({ agent: 'quinn' })).items).toMatchObject([{ id }])
    await refused(mindy.inbox.cancel({ id }), 'DELIVERY_STATE')
    await refused(mindy.inbox.cancel({ id: 'msg_nothing' }), 'MESSAGE_NOT_FOUND')
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toMatchObject([{ id }])
  })

  rule('at the same time as its sender takes it back leaves what was shown with whoever saw it', async () => {
    const { postern, now, again } = await open()
    const other = await again()
    const ids: string[] = []
    for (let at = 0; at < 24; at++) ids.push(await tell(postern, 'quinn', `${at}`))
    await postern.inbox.drain({ agent: 'quinn', maxMessages: 24 })
    const untilAt = now() + HOUR_MS
    const snoozes = ids.map((id) => postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt }))
    const cancels = ids.map((id) => refused(other.inbox.cancel({ id }), 'DELIVERY_STATE'))
    await Promise.all([...snoozes, ...cancels])
    await other.close()
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'snoozed' })
    expect(items.map(({ id }) => id)).toEqual(ids)
  })

  rule('leaves no offer behind for ever: it goes with the last message that it showed', async () => {
    const { postern, now, advance } = await open()
    const [id, other] = [await tell(postern, 'quinn', 'later'), await tell(postern, 'quinn', 'now')]
    const { offer } = await postern.inbox.drain({ agent: 'quinn' })
    const confirmed = { offerId: offer?.id ?? '', printed: true, evidence: 'shown' }
    await postern.inbox.confirm(confirmed)
    await postern.inbox.snooze({ agent: 'quinn', ids: [id, other], untilAt: now() + HOUR_MS })
    advance(HOUR_MS)
    await postern.inbox.read({ agent: 'quinn', ids: [id, other] })
    advance(retentionMs)
    await postern.upkeep.run()
    expect(await postern.inbox.confirm(confirmed)).toMatchObject({ outcome: 'confirmed' })
    advance(HOUR_MS)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 2 })
    await refused(postern.inbox.confirm(confirmed), 'OFFER_NOT_FOUND')
  })

  rule('is over for whoever waits, for whoever lists and by upkeep', async () => {
    const { postern, now, advance } = await open({ agents: ['quinn', 'mindy', 'robin'] })
    for (const agent of ['quinn', 'mindy', 'robin']) {
      const id = await tell(postern, agent, 'later')
      await postern.inbox.snooze({ agent, ids: [id], untilAt: now() + HOUR_MS })
    }
    advance(HOUR_MS)
    expect(await postern.inbox.wait({ agent: 'quinn', timeoutMs: 1_000 })).toEqual({ pending: 1 })
    expect((await postern.inbox.list({ agent: 'mindy' })).items).toHaveLength(1)
    await postern.upkeep.run()
    expect((await postern.agents.show({ id: 'robin' })).pending).toBe(1)
  })

  rule('keeps hooks asking: an agent is not quiet while something will come back', async () => {
    const { postern, now } = await open()
    const id = await tell(postern, 'quinn', 'later')
    await postern.inbox.snooze({ agent: 'quinn', ids: [id], untilAt: now() + HOUR_MS })
    expect(await postern.sessions.markQuiet({ agent: 'quinn' })).toBe(false)
  })
})
