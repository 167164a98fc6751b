import { expect } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, show, stepsOf, tell } from './suite.ts'

conformance('receipts and trace', ({ rule, open }) => {
  rule('records every step with its time and its evidence', async () => {
    verifies('S000.receipt')
    const { postern, now, advance } = await open({ agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const times = [now()]
    const pass = () => {
      advance(1_000)
      times.push(now())
    }
    const { id } = await postern.as(caller('justin', 'human')).inbox.push({ to: ['quinn'], content: 'please' })
    pass()
    const { offer } = await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1', via: 'prompt.submit' })
    const offerId = offer?.id ?? ''
    pass()
    await postern.inbox.printed({ offerId })
    pass()
    await postern.inbox.confirmSession({ sessionId: 'ses-1', printedBefore: now(), evidence: 'tool.after' })
    pass()
    await postern.as(caller('quinn')).inbox.ack({ agent: 'quinn', ids: [id] })

    const { deliveries, message } = await postern.inbox.trace({ id })
    expect(message).toMatchObject({ id, from: { id: 'justin' } })
    expect(deliveries).toMatchObject([
      { agent: 'quinn', state: 'acted', attempt: 1, sessionId: 'ses-1', leaseExpiresAt: null },
    ])
    const session = { sessionId: 'ses-1', attempt: 1 }
    expect(deliveries[0]?.steps).toMatchObject([
      { step: 'stored', at: times[0], by: 'justin', evidence: expect.stringContaining('committed') },
      { step: 'offered', at: times[1], ...session, evidence: expect.stringContaining('prompt.submit') },
      { step: 'printed', at: times[2], ...session },
      { step: 'seen', at: times[3], ...session, evidence: 'tool.after' },
      { step: 'acted', at: times[4], by: 'quinn' },
    ])
    const [delivery] = deliveries
    expect([delivery?.storedAt, delivery?.offeredAt, delivery?.printedAt, delivery?.seenAt, delivery?.actedAt]).toEqual(
      times,
    )
  })

  rule('keeps every attempt in the trail', async () => {
    verifies('S000.receipt', 'G4.shown-again')
    const { postern, advance } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const { offerId } = await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    await postern.inbox.release({ offerId, reason: 'the pipe was closed' })
    await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-2' })
    advance(30_000)
    await read(postern, { agent: 'quinn', sessionId: 'ses-3' })
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries[0]?.steps.map(({ step, attempt, sessionId }) => [step, attempt, sessionId])).toEqual([
      ['stored', null, null],
      ['offered', 1, 'ses-1'],
      ['printed', 1, 'ses-1'],
      ['released', 1, 'ses-1'],
      ['offered', 2, 'ses-2'],
      ['lapsed', 2, 'ses-2'],
      ['offered', 3, 'ses-3'],
      ['printed', 3, 'ses-3'],
      ['seen', 3, 'ses-3'],
    ])
    expect(deliveries[0]?.steps[3]).toMatchObject({ evidence: 'the pipe was closed' })
  })

  rule('follows each recipient for itself', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['ada', 'quinn'], content: 'hello' })
    await read(postern, 'quinn')
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries.map(({ agent, state }) => [agent, state])).toEqual([
      ['ada', 'pending'],
      ['quinn', 'seen'],
    ])
    expect(await stepsOf(postern, id, 'ada')).toEqual(['stored'])
  })

  rule('records who took a message back, and why it ended otherwise', async () => {
    const { postern, advance } = await open()
    const cancelled = await tell(postern, 'quinn', 'no')
    await postern.as(caller('justin', 'human')).inbox.cancel({ id: cancelled })
    const { id: expired } = await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: 1 })
    advance(1)
    await postern.upkeep.run()
    const last = async (id: string) => (await postern.inbox.trace({ id })).deliveries[0]?.steps.at(-1)
    expect(await last(cancelled)).toMatchObject({ step: 'cancelled', by: 'justin' })
    expect(await last(expired)).toMatchObject({ step: 'expired', by: 'system' })
  })

  rule('says in words why a message has not been seen', async () => {
    verifies('S000.receipt')
    const { postern, advance } = await open({ limits: { attempts: 1 } })
    const why = async (id: string) => (await postern.inbox.trace({ id })).why
    const id = await tell(postern, 'quinn', 'hello')
    advance(5 * 60_000)
    expect(await why(id)).toMatch(/quinn has not drained its inbox .* 5m ago, and has no session/)
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'codex' })
    expect(await why(id)).toContain('its session (codex)')
    const { offer } = await postern.inbox.drain({ agent: 'quinn' })
    expect(await why(id)).toMatch(/has not been printed yet .*30s/)
    await postern.inbox.printed({ offerId: offer?.id ?? '' })
    expect(await why(id)).toMatch(/has not gone on yet .*30m/)
    await postern.inbox.release({ offerId: offer?.id ?? '', reason: 'no' })
    expect(await why(id)).toContain('put aside until somebody retries it')
    const { id: brief } = await postern.inbox.push({ to: ['quinn'], content: 'brief', ttlMs: 1 })
    advance(10_000)
    await postern.upkeep.run()
    expect(await why(brief)).toContain('expired before quinn was shown it')
  })

  rule('says that a message waits because others went first, or because it came back', async () => {
    verifies('S000.receipt')
    const { postern, advance } = await open({ agents: ['quinn', 'rex'] })
    const why = async (id: string) => (await postern.inbox.trace({ id })).why
    await tell(postern, 'quinn', 'drained before it came')
    await read(postern, 'quinn')
    advance(1)
    const id = await tell(postern, 'quinn', 'patience')
    await tell(postern, 'rex', 'to another')
    advance(1_000)
    await read(postern, 'rex')
    expect(await why(id)).toContain('quinn has not drained its inbox')
    await postern.inbox.push({ to: ['quinn'], content: 'urgent', priority: 1 })
    await read(postern, { agent: 'quinn', maxPriority: 1 })
    expect(await why(id)).toContain('quinn has drained since, but other messages went first')
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId, reason: 'closed pipe' })
    expect(await why(id)).toContain('quinn was offered it once, and it came back')
  })

  rule('lists every agent of a broadcast, also those who have not drained since', async () => {
    verifies('S000.receipt', 'S000.broadcast.each')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'hello' })
    const { deliveries, why } = await postern.inbox.trace({ id })
    expect(deliveries.map(({ agent, state }) => `${agent} ${state}`)).toEqual(['ada pending', 'quinn pending'])
    expect(why).toContain('quinn has not drained its inbox')
  })

  rule('says where only the headline of a message was shown', async () => {
    verifies('S000.receipt')
    const { postern } = await open()
    const long = await tell(postern, 'quinn', 'x'.repeat(5_000))
    const short = await tell(postern, 'quinn', 'short')
    const drain = { agent: 'quinn', maxCharacters: 2_000 }
    const printedOf = async (id: string) => {
      const { deliveries } = await postern.inbox.trace({ id })
      return deliveries[0]?.steps.filter(({ step }) => step === 'printed').map(({ evidence }) => evidence)
    }
    const { offerId, messages } = await show(postern, drain)
    expect(messages.map(({ form }) => form)).toEqual(['headline', 'whole'])
    expect(await printedOf(long)).toEqual(['only its headline was shown'])
    await postern.inbox.release({ offerId, reason: 'closed pipe' })
    await read(postern, drain)
    expect(await printedOf(long)).toEqual(['only its headline was shown', 'only its headline was shown'])
    expect(await printedOf(short)).toEqual(['the text was written out whole', 'the text was written out whole'])
  })

  rule('refuses to trace what is not there', async () => {
    const { postern } = await open()
    await refused(postern.inbox.trace({ id: 'msg_nothing' }), 'MESSAGE_NOT_FOUND')
    await refused(postern.inbox.show({ id: 'msg_nothing' }), 'MESSAGE_NOT_FOUND')
    const id = await tell(postern, 'quinn', 'hello')
    await postern.agents.add({ id: 'rex' })
    await refused(postern.inbox.ack({ agent: 'rex', ids: [id] }), 'DELIVERY_NOT_FOUND')
    await refused(postern.inbox.cancel({ id, agent: 'rex' }), 'DELIVERY_NOT_FOUND')
  })

  rule('shows the receipt a sender waits for as soon as it is there', async () => {
    verifies('S000.receipt')
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'hello')
    const reached = async (stage: 'stored' | 'offered' | 'seen' | 'acted') =>
      (await postern.inbox.waitFor({ id, stage, timeoutMs: 1 })).deliveries[0]?.state
    expect(await reached('stored')).toBe('pending')
    const { offerId } = await show(postern, { agent: 'quinn' })
    expect(await reached('offered')).toBe('offered')
    await postern.inbox.confirm({ offerId, evidence: 'read' })
    expect(await reached('seen')).toBe('seen')
    await postern.inbox.ack({ agent: 'quinn', ids: [id] })
    expect(await reached('acted')).toBe('acted')
  })
})
