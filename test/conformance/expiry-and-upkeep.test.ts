import { expect } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/model/limits.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, show, stateOf, tell } from './suite.ts'

const MINUTE_MS = 60_000
const { retentionMs } = DEFAULT_LIMITS

conformance('expiry and upkeep', ({ rule, open }) => {
  rule('shows a message until its time to live is over, and records that it expired', async () => {
    verifies('S000.push.ttl', 'S000.ttl.recorded')
    const { postern, advance } = await open()
    const push = (content: string) => postern.inbox.push({ to: ['quinn'], content, ttlMs: 10 * MINUTE_MS })
    await push('in time')
    advance(10 * MINUTE_MS - 1)
    expect(await read(postern, 'quinn')).toEqual(['in time'])
    const { id } = await push('too late')
    advance(10 * MINUTE_MS)
    expect(await postern.inbox.drain({ agent: 'quinn' })).toEqual({ offer: null, messages: [], remaining: 0 })
    expect(await stateOf(postern, id)).toBe('expired')
    expect((await postern.inbox.list({ agent: 'quinn', which: 'all' })).items.map(({ state }) => state)).toEqual([
      'seen',
      'expired',
    ])
  })

  rule('records expiry in upkeep too, where nobody drains', async () => {
    verifies('S000.ttl.recorded')
    const { postern, advance } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['ada', 'quinn'], content: 'brief', ttlMs: MINUTE_MS })
    await tell(postern, 'quinn', 'lasting')
    advance(MINUTE_MS)
    expect(await postern.upkeep.run()).toEqual({ expired: 2, released: 0, reaped: 0, gates: 0, plans: 0 })
    expect(await stateOf(postern, id, 'ada')).toBe('expired')
    expect(await read(postern, 'quinn')).toEqual(['lasting'])
  })

  rule('lets whoever is being shown a message finish it', async () => {
    const { postern, advance } = await open()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: MINUTE_MS })
    const { offerId } = await show(postern, { agent: 'quinn' })
    advance(MINUTE_MS)
    await postern.upkeep.run()
    expect(await stateOf(postern, id)).toBe('offered')
    await postern.inbox.confirm({ offerId, evidence: 'read' })
    expect(await stateOf(postern, id)).toBe('seen')
  })

  rule('expires what comes back too late', async () => {
    verifies('S000.ttl.recorded')
    const { postern, advance } = await open()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: MINUTE_MS })
    const { offerId } = await show(postern, { agent: 'quinn' })
    advance(MINUTE_MS)
    await postern.inbox.release({ offerId, reason: 'closed pipe' })
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await stateOf(postern, id)).toBe('expired')
  })

  rule('shows a message that is released or retried after its time to live', async () => {
    verifies('S000.ttl.recorded')
    const limits = { hops: 0, pairBurst: 9, attempts: 1 }
    const { postern, advance } = await open({ agents: ['ada', 'quinn', { id: 'justin', kind: 'human' }], limits })
    const brief = { ttlMs: MINUTE_MS }
    const { id: asked } = await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'asked', ...brief })
    const reply = { to: ['ada'], content: 'held', replyTo: asked, ...brief }
    const { id: held } = await postern.as(caller('quinn')).inbox.push(reply)
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId, reason: 'closed pipe' })
    expect([await stateOf(postern, held), await stateOf(postern, asked)]).toEqual(['held', 'dead'])
    advance(2 * MINUTE_MS)
    await postern.upkeep.run()
    await postern.inbox.releaseHeld({ id: held })
    await postern.inbox.retryDead({ id: asked })
    await postern.upkeep.run()
    const evidence = (await postern.inbox.trace({ id: held })).deliveries.flatMap(({ steps }) => steps).at(-1)?.evidence
    expect(evidence).toMatch(/^released by .*; its time to live, which ended meanwhile, no longer counts$/)
    const toAda = await show(postern, { agent: 'ada' })
    expect(toAda.messages).toMatchObject([{ content: 'held', expiresAt: null }])
    expect(await read(postern, 'quinn')).toEqual(['asked'])
  })

  rule('gives back in upkeep what lapsed, each at its time', async () => {
    verifies('G4.unprinted-lease', 'G4.printed-lease')
    const { postern, advance } = await open({ agents: ['ada', 'quinn'] })
    const unprinted = await tell(postern, 'ada', 'unprinted')
    const printed = await tell(postern, 'quinn', 'printed')
    await postern.inbox.drain({ agent: 'ada' })
    await show(postern, { agent: 'quinn' })
    advance(30_000)
    expect(await postern.upkeep.run()).toMatchObject({ released: 1 })
    expect([await stateOf(postern, unprinted), await stateOf(postern, printed)]).toEqual(['pending', 'offered'])
    advance(30 * MINUTE_MS)
    expect(await postern.upkeep.run()).toMatchObject({ released: 1 })
    expect(await stateOf(postern, printed)).toBe('pending')
  })

  rule('does each job once within its interval, however many ask for it', async () => {
    const { postern, again, advance } = await open()
    const other = await again()
    await postern.upkeep.run()
    await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: 1 })
    advance(9_999)
    expect(await other.upkeep.run()).toMatchObject({ expired: 0 })
    advance(1)
    expect(await other.upkeep.run()).toMatchObject({ expired: 1 })
    expect(await postern.upkeep.run()).toMatchObject({ expired: 0 })
  })

  rule('goes on with its jobs when the clock was set back', async () => {
    verifies('G6.clock')
    const { postern, now, setNow } = await open()
    await postern.upkeep.run()
    setNow(now() - 86_400_000)
    await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: 1 })
    setNow(now() + 1)
    expect(await postern.upkeep.run()).toMatchObject({ expired: 1 })
  })

  rule('removes what has been finished for longer than the retention', async () => {
    verifies('S000.reap')
    const { postern, advance } = await open({ limits: { attempts: 1 } })
    const seen = await tell(postern, 'quinn', 'seen')
    const acted = await tell(postern, 'quinn', 'acted')
    await read(postern, 'quinn')
    await postern.inbox.ack({ agent: 'quinn', ids: [acted] })
    const cancelled = await tell(postern, 'quinn', 'cancelled')
    await postern.inbox.cancel({ id: cancelled })
    const { id: expired } = await postern.inbox.push({ to: ['quinn'], content: 'expired', ttlMs: 1 })
    advance(1)
    await read(postern, 'quinn')
    const dead = await tell(postern, 'quinn', 'dead')
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId, reason: 'no' })
    expect(await stateOf(postern, dead)).toBe('dead')

    advance(retentionMs)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 3 })
    advance(10 * MINUTE_MS)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 2 })
    for (const id of [seen, acted, cancelled, expired, dead]) {
      await refused(postern.inbox.trace({ id }), 'MESSAGE_NOT_FOUND')
    }
    expect((await postern.inbox.list({ which: 'all' })).items).toEqual([])
  })

  rule('goes on slice by slice while there is more to remove, and past what is unfinished', async () => {
    verifies('S000.reap')
    const limits = { pendingPerAgent: 20_000 }
    const { postern, advance } = await open({ agents: ['ada', 'quinn'], limits })
    const push = async (to: string, count: number) => {
      for (let left = count; left > 0; left -= 500) {
        const messages = Array.from({ length: Math.min(left, 500) }, (_, i) => ({ to: [to], content: `${left - i}` }))
        await postern.inbox.pushMany({ messages })
      }
    }
    await push('ada', 2_100)
    await push('quinn', 1_200)
    await postern.inbox.cancel({ id: await tell(postern, 'quinn', 'last') })
    for (let left = 1_200; left > 0; ) left -= (await read(postern, { agent: 'quinn', maxMessages: 400 })).length
    advance(retentionMs + 1)
    let reaped = 0
    // Three slices for what is finished, and one for what is not.
    for (let slice = 0; slice < 5; slice++) reaped += (await postern.upkeep.run()).reaped
    expect(reaped).toBe(1_201)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 0 })
    expect((await postern.inbox.list({ agent: 'ada', which: 'all', limit: 1 })).items).toHaveLength(1)
  })

  rule('goes on slice by slice while more has expired', async () => {
    verifies('S000.ttl.recorded')
    const { postern, advance } = await open()
    const brief = { to: ['quinn'], content: 'brief', ttlMs: MINUTE_MS }
    for (let batch = 0; batch < 3; batch++) {
      await postern.inbox.pushMany({ messages: Array.from({ length: 400 }, () => brief) })
    }
    advance(MINUTE_MS)
    const expired: number[] = []
    for (let slice = 0; slice < 4; slice++) expired.push((await postern.upkeep.run()).expired)
    expect(expired).toEqual([500, 500, 200, 0])
  })

  rule('counts the retention from the end of a message, not from its beginning', async () => {
    verifies('S000.reap')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'old when it was read')
    advance(2 * retentionMs)
    await read(postern, 'quinn')
    advance(retentionMs)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 0 })
    expect(await stateOf(postern, id)).toBe('seen')
    advance(10 * MINUTE_MS)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 1 })
  })

  rule('never removes a message of which anything is unfinished', async () => {
    verifies('S000.reap')
    const limits = { hops: 0, pairBurst: 9, printedOfferMs: 10 * retentionMs }
    const { postern, advance } = await open({ agents: ['ada', 'quinn', 'rex'], limits })
    const { id: half } = await postern.inbox.push({ to: ['ada', 'quinn'], content: 'seen by one of two' })
    await read(postern, 'ada')
    const offered = await tell(postern, 'rex', 'offered')
    await show(postern, { agent: 'rex' })
    const held = await postern.as(caller('ada')).inbox.push({ to: ['rex'], content: 'held', replyTo: half })
    expect(held.recipients).toMatchObject([{ state: 'held' }])

    advance(3 * retentionMs)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 0 })
    expect(await stateOf(postern, half, 'quinn')).toBe('pending')
    expect(await stateOf(postern, offered)).toBe('offered')
    expect(await stateOf(postern, held.id)).toBe('held')
  })

  rule('keeps a broadcast until every agent it was meant for has finished it', async () => {
    verifies('S000.reap', 'S000.broadcast.each')
    const { postern, advance } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'hello' })
    await read(postern, 'ada')
    advance(2 * retentionMs)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 0 })
    expect(await read(postern, 'quinn')).toEqual(['hello'])
    advance(2 * retentionMs)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 1 })
    await refused(postern.inbox.show({ id }), 'MESSAGE_NOT_FOUND')
  })

  rule('keeps a dedup key as long as its message, and no longer', async () => {
    verifies('S000.dedup.lifetime')
    const { postern, advance } = await open()
    const notice = { to: ['quinn'], content: 'once', dedupKey: 'key' }
    const { id } = await postern.inbox.push(notice)
    await read(postern, 'quinn')
    advance(retentionMs)
    await postern.upkeep.run()
    expect(await postern.inbox.push(notice)).toMatchObject({ id, duplicate: true })
    advance(10 * MINUTE_MS)
    await postern.upkeep.run()
    const anew = await postern.inbox.push({ ...notice, content: 'another under the old key' })
    expect(anew.duplicate).toBe(false)
    expect(anew.id).not.toBe(id)
    expect(await read(postern, 'quinn')).toEqual(['another under the old key'])
  })

  rule('forgets sessions that ended long ago', async () => {
    const { postern, advance } = await open()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    await postern.sessions.end({ id: 'ses-1' })
    advance(retentionMs + 1)
    await postern.upkeep.run()
    await refused(postern.sessions.end({ id: 'ses-1' }), 'SESSION_NOT_FOUND')
  })

  rule('forgets sessions of which nothing was heard for longer than the retention', async () => {
    const { postern, advance } = await open()
    await postern.sessions.begin({ id: 'silent', agent: 'quinn' })
    advance(retentionMs / 2)
    await postern.sessions.begin({ id: 'heard', agent: 'quinn' })
    advance(retentionMs / 2 + 1)
    await postern.upkeep.run()
    expect((await postern.sessions.list()).map(({ id }) => id)).toEqual(['heard'])
  })
})
