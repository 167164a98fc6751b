import { expect } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, contents, read, refused, show, stateOf, tell } from './suite.ts'

const HOUR_MS = 3_600_000
const EVERYONE = ['ada', 'quinn', { id: 'justin', kind: 'human' }, { id: 'ci', kind: 'service' }] as const

conformance('broadcast', ({ rule, open }) => {
  rule('reaches every agent and person but the sender, and no service', async () => {
    verifies('S000.broadcast.each')
    const { postern } = await open({ agents: EVERYONE })
    const result = await postern.as(caller('ada')).inbox.push({ to: ['all'], type: 'system', content: 'maintenance' })
    expect(result).toMatchObject({
      duplicate: false,
      recipients: [{ agent: 'all', state: 'pending', duplicate: false }],
    })
    expect(await read(postern, 'quinn')).toEqual(['maintenance'])
    expect(await read(postern, 'justin')).toEqual(['maintenance'])
    expect(await read(postern, 'ada')).toEqual([])
    expect(await read(postern, 'ci')).toEqual([])
  })

  rule('is seen by each for itself', async () => {
    verifies('S000.broadcast.each')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'hello' })
    await read(postern, 'ada')
    expect(await stateOf(postern, id, 'ada')).toBe('seen')
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.release({ offerId, reason: 'closed pipe' })
    expect(await stateOf(postern, id, 'quinn')).toBe('pending')
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages).toMatchObject([{ id, attempt: 2 }])
    expect(await read(postern, 'ada')).toEqual([])
  })

  rule('reaches agents registered before it, and later ones only if asked for', async () => {
    verifies('S000.broadcast.late')
    const { postern } = await open({ agents: ['ada'] })
    await postern.inbox.push({ to: ['all'], content: 'early' })
    await postern.agents.add({ id: 'late' })
    await postern.agents.add({ id: 'curious', withBroadcasts: true })
    await postern.inbox.push({ to: ['all'], content: 'now' })
    expect(await read(postern, 'ada')).toEqual(['early', 'now'])
    expect(await read(postern, 'late')).toEqual(['now'])
    expect(await read(postern, 'curious')).toEqual(['early', 'now'])
  })

  rule('shows nobody what has expired, and records for those it was meant for that it has', async () => {
    verifies('S000.broadcast.late', 'S000.ttl.recorded')
    const { postern, advance } = await open({ agents: ['ada'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'brief', ttlMs: HOUR_MS })
    advance(HOUR_MS)
    await postern.agents.add({ id: 'curious', withBroadcasts: true })
    expect(await read(postern, 'ada')).toEqual([])
    expect(await read(postern, 'curious')).toEqual([])
    expect(await stateOf(postern, id, 'ada')).toBe('expired')
  })

  rule('comes in its turn among what was sent to the agent alone', async () => {
    verifies('G6.inbox-order')
    const { postern } = await open()
    await tell(postern, 'quinn', 'before')
    await postern.inbox.push({ to: ['all'], content: 'urgent to all', priority: 1 })
    await postern.inbox.push({ to: ['all'], content: 'to all' })
    await tell(postern, 'quinn', 'after')
    const [first, ...rest] = await read(postern, 'quinn')
    expect(first).toBe('urgent to all')
    expect(rest.sort()).toEqual(['after', 'before', 'to all'])
  })

  rule('keeps the order in which broadcasts were sent', async () => {
    verifies('G6.inbox-order')
    const { postern, again } = await open()
    const other = await again()
    const said = Array.from({ length: 10 }, (_, i) => `broadcast ${i}`)
    for (const [i, content] of said.entries()) await (i % 2 ? postern : other).inbox.push({ to: ['all'], content })
    expect(await read(postern, 'quinn')).toEqual(said)
  })

  rule('is sent once under its key', async () => {
    verifies('G3.same-id', 'G3.conflict')
    const { postern } = await open()
    const notice = { to: ['all'], content: 'maintenance', dedupKey: 'broadcast:7' }
    const { id } = await postern.inbox.push(notice)
    expect(await postern.inbox.push(notice)).toMatchObject({ id, duplicate: true, recipients: [{ duplicate: true }] })
    await refused(postern.inbox.push({ ...notice, content: 'party' }), 'DEDUP_CONFLICT')
    expect(await read(postern, 'quinn')).toEqual(['maintenance'])
  })

  rule('stands alone: nobody is named beside everybody', async () => {
    const { postern } = await open()
    await refused(postern.inbox.push({ to: ['all', 'quinn'], content: 'hello' }), 'ADDRESS_UNSUPPORTED')
    expect(await read(postern, 'quinn')).toEqual([])
  })

  rule('is stored even where nobody hears it', async () => {
    const { postern } = await open({ agents: [] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'echo' })
    const { message, deliveries, why } = await postern.inbox.trace({ id })
    expect([message.content, deliveries]).toEqual(['echo', []])
    expect(why).toContain('broadcast')
  })

  rule('says of each agent whether it has it', async () => {
    verifies('S000.receipt')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'hello' })
    await read(postern, 'ada')
    const { deliveries } = await postern.inbox.trace({ id })
    expect(deliveries.map(({ agent, state }) => `${agent} ${state}`)).toEqual(['ada seen', 'quinn pending'])
  })

  rule('reaches whoever holds a full inbox', async () => {
    verifies('G17.inbox')
    const { postern } = await open({ limits: { pendingPerAgent: 1 } })
    await tell(postern, 'quinn', 'full')
    await postern.inbox.push({ to: ['all'], content: 'heard all the same' })
    expect(contents(await postern.inbox.drain({ agent: 'quinn' }))).toEqual(['full', 'heard all the same'])
  })

  rule('never reaches an agent that was not registered when it was sent', async () => {
    verifies('S000.broadcast.late')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    await postern.inbox.push({ to: ['all'], content: 'not taken up before it left' })
    await postern.agents.remove({ id: 'quinn' })
    await postern.inbox.push({ to: ['all'], content: 'while it was away' })
    await postern.agents.add({ id: 'quinn', restore: true })
    await postern.inbox.push({ to: ['all'], content: 'welcome back' })
    expect(await read(postern, 'quinn')).toEqual(['welcome back'])
  })

  rule('can be taken back from whoever has not been shown it', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'a mistake' })
    expect(await read(postern, 'ada')).toEqual(['a mistake'])
    expect(await postern.inbox.cancel({ id })).toEqual({ cancelled: 1 })
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await stateOf(postern, id, 'quinn')).toBe('cancelled')
  })

  rule('is shown to nobody who comes after it was taken back from everybody', async () => {
    verifies('S000.broadcast.late')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'a mistake' })
    await postern.inbox.cancel({ id })
    await postern.agents.add({ id: 'curious', withBroadcasts: true })
    expect(await postern.agents.show({ id: 'curious' })).toMatchObject({ pending: 0 })
    expect(await read(postern, 'curious')).toEqual([])
    expect(await stateOf(postern, id, 'curious')).toBe('expired')
    expect(await stateOf(postern, id, 'ada')).toBe('cancelled')
  })

  rule('still reaches others where it was taken back from one', async () => {
    verifies('S000.broadcast.late')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'not for ada' })
    expect(await postern.inbox.cancel({ id, agent: 'ada' })).toEqual({ cancelled: 1 })
    await postern.agents.add({ id: 'curious', withBroadcasts: true })
    expect(await read(postern, 'curious')).toEqual(['not for ada'])
    expect(await read(postern, 'quinn')).toEqual(['not for ada'])
  })

  rule('stands in the list of whoever it waits for', async () => {
    verifies('S000.list.pending')
    const { postern } = await open()
    await postern.inbox.push({ to: ['all'], content: 'hello' })
    expect((await postern.inbox.list({ agent: 'quinn' })).items.map(({ content }) => content)).toEqual(['hello'])
    expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ pending: 1 })
  })
})
