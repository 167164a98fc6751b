import { expect } from 'vitest'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, expectConserved, read, show, tell } from './suite.ts'

/** Damage that no bug of ours may ever do, and that the check must find if one does. */
const DAMAGES: readonly (readonly [what: string, statement: string, words: RegExp])[] = [
  [
    'a delivery that is gone',
    `DELETE FROM deliveries WHERE agent_id = 'quinn' AND inbox_seq = 1`,
    /addressed to 2 agents but has 1/,
  ],
  ['a delivery without its message', `DELETE FROM messages WHERE content = 'to both'`, /has no message/],
  [
    'a state that there is not',
    `UPDATE deliveries SET state = 'lost' WHERE agent_id = 'quinn' AND inbox_seq = 1`,
    /no known state \(lost\)/,
  ],
  [
    'an offer that is not there',
    `UPDATE deliveries SET state = 'offered', offer_id = 'off_gone' WHERE agent_id = 'ada' AND inbox_seq = 1`,
    /offer that is not there/,
  ],
  [
    'an inbox that counts too low',
    `UPDATE agents SET inbox_seq = 0 WHERE id = 'quinn'`,
    /counts up to 0 but holds number/,
  ],
  [
    'a broadcast that was passed over',
    `UPDATE agents SET broadcast_cursor = broadcast_cursor + 1 WHERE id = 'ada'`,
    /lacks msg_/,
  ],
]

conformance('conservation', ({ rule, open }) => {
  rule('holds after everything that can be done', async () => {
    verifies('G7.conservation')
    const agents = ['ada', 'quinn', 'rex', { id: 'justin', kind: 'human' }] as const
    const { postern, advance } = await open({ agents, limits: { attempts: 2, hops: 0, retentionMs: 86_400_000 } })
    const both = (await postern.inbox.push({ to: ['ada', 'quinn'], content: 'to both', dedupKey: 'both' })).id
    await postern.inbox.push({ to: ['ada', 'quinn', 'rex'], content: 'to both', dedupKey: 'both' })
    await postern.inbox.push({ to: ['all'], content: 'to all', ttlMs: 1_000 })
    await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'held', replyTo: both })
    await read(postern, 'ada')
    await postern.inbox.ack({ agent: 'ada', ids: [both] })
    for (let attempt = 0; attempt < 2; attempt++) {
      const { offerId } = await show(postern, { agent: 'rex' })
      await postern.inbox.release({ offerId, reason: 'no' })
    }
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    await postern.inbox.cancel({ id: await tell(postern, 'quinn', 'cancelled') })
    await postern.agents.remove({ id: 'rex' })
    advance(31 * 60_000)
    await postern.upkeep.run()
    await expectConserved(postern)
    const { checks } = await postern.upkeep.check()
    expect(checks.find(({ name }) => name === 'store.conservation')?.detail).toContain(
      'every delivery is accounted for',
    )
    advance(30 * 86_400_000)
    await postern.upkeep.run()
    await expectConserved(postern)
  })

  rule('counts every delivery in exactly one state', async () => {
    verifies('G7.conservation')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    for (let i = 0; i < 4; i++) await postern.inbox.push({ to: ['ada', 'quinn'], content: `${i}` })
    await read(postern, { agent: 'ada', maxMessages: 3 })
    await postern.inbox.drain({ agent: 'quinn', maxMessages: 1 })
    const { checks } = await postern.upkeep.check()
    const { detail = '' } = checks.find(({ name }) => name === 'store.conservation') ?? {}
    const counted = [...detail.matchAll(/(\d+) (\w+)/g)].map(([, count, state]) => `${state} ${count}`)
    expect(counted.toSorted()).toEqual(['offered 1', 'pending 4', 'seen 3'])
  })

  for (const [what, statement, words] of DAMAGES) {
    rule(`finds ${what}`, async () => {
      verifies('G7.found')
      const { postern, tamper } = await open({ agents: ['ada', 'quinn'], sound: false })
      await postern.inbox.push({ to: ['ada', 'quinn'], content: 'to both' })
      await postern.inbox.push({ to: ['all'], content: 'to all' })
      await expectConserved(postern)
      await tamper(statement)
      const { ok, checks } = await postern.upkeep.check()
      expect(ok).toBe(false)
      expect(checks.find(({ name }) => name === 'store.conservation')).toMatchObject({
        ok: false,
        level: 'error',
        detail: expect.stringMatching(words),
        next: expect.stringContaining('report this'),
      })
    })
  }

  rule('says that a healthy store is healthy, and what is worth knowing', async () => {
    const { postern } = await open()
    const { ok, checks } = await postern.upkeep.check()
    expect(ok).toBe(true)
    expect(checks.filter((check) => !check.ok).map(({ name, level }) => [name, level])).toEqual([
      ['agents.people', 'note'],
    ])
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['store.durability', 'store.integrity', 'store.schema']),
    )
  })
})
