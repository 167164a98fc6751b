import { expect } from 'vitest'
import { presentOf, toldSince } from './events/telling.ts'
import { asJustin, asQuinn, EVERYONE, gateOf } from './gates/people.ts'
import { conformance, read, stateOf, stepsOf, tell } from './suite.ts'

const PEOPLE = [{ id: 'justin', kind: 'human', isOwner: true }, 'mindy', 'quinn'] as const
const IN_SQL = "WHERE content = 'pay 100 to Ann'"

/** One change for each column of a message, as a damaged disk or a careless person might make it. */
const CHANGES = [
  `id = 'msg_01J00000000000000000000000'`,
  `type = 'decision'`,
  `from_id = 'justin'`,
  `from_as = 'human/verified/page'`,
  `addressed = 'mindy'`,
  `subject = 'urgent'`,
  `content = 'pay 900 to Ann'`,
  `extras = '{"payload":{"amount":900}}'`,
  `priority = 0`,
  `ref = 'task:other'`,
  `reply_to = 'msg_x'`,
  `thread_id = 'msg_x'`,
  `hops = 1`,
  `dedup_key = 'k'`,
  `created_at = created_at + 1`,
  `expires_at = 1`,
  // With a right MAC the checksum alone would not count.
  `checksum = checksum + 1, mac = NULL`,
]

conformance('damaged messages', ({ rule, open }) => {
  rule("shows no message whose row was changed behind Postern's back, whichever column", async () => {
    const { postern, tamper } = await open({ agents: PEOPLE })
    await tell(postern, 'quinn', 'before')
    for (const [at, change] of CHANGES.entries()) {
      await tell(postern, 'quinn', `pay 100, ${at}`)
      await tamper(`UPDATE messages SET ${change} WHERE content = 'pay 100, ${at}'`)
    }
    await tell(postern, 'quinn', 'after')
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'pending' })
    expect(items.map(({ damaged }) => damaged ?? false)).toEqual([false, ...CHANGES.map(() => true), false])
    expect(await read(postern, { agent: 'quinn', maxMessages: 5 })).toEqual(['before', 'after'])
    expect(await read(postern, 'quinn')).toEqual([])
  })

  rule('quarantines a damaged message as dead, and notifies the owner once', async () => {
    const { postern, tamper } = await open({ agents: PEOPLE })
    const id = await tell(postern, 'quinn', 'pay 100 to Ann')
    await tamper(`UPDATE messages SET content = 'pay 900 to Ann' ${IN_SQL}`)
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await stateOf(postern, id)).toBe('dead')
    expect(await stepsOf(postern, id)).toContain('quarantined')
    const [notice, ...more] = await read(postern, 'justin')
    expect([notice, more]).toEqual([expect.stringContaining('A message at place 1 in the inbox of quinn'), []])
    expect(await read(postern, 'quinn')).toEqual([])
    expect(await read(postern, 'justin')).toEqual([])
  })

  rule('shows the damaged words nowhere else either', async () => {
    const { postern, tamper } = await open({ agents: PEOPLE })
    const id = await tell(postern, 'quinn', 'pay 100 to Ann')
    await tamper(`UPDATE messages SET content = 'pay 900 to Ann' ${IN_SQL}`)
    const seen = [
      await postern.inbox.list({ agent: 'quinn', which: 'all' }),
      await postern.inbox.show({ id }),
      await postern.inbox.trace({ id }),
      await postern.inbox.search({ query: 'pay' }),
    ]
    expect(JSON.stringify(seen)).not.toContain('900')
    const { message } = await postern.inbox.show({ id })
    expect(message).toMatchObject({ id, damaged: true, from: { id: 'system', verified: false } })
  })

  rule('tells of a damaged message in events without anything of its row', async () => {
    const { postern, tamper } = await open({ agents: PEOPLE })
    const after = await presentOf(postern)
    const id = await tell(postern, 'quinn', 'pay 100 to Ann')
    await tamper(`UPDATE messages SET from_id = 'mindy', addressed = 'mindy', subject = 'urgent' ${IN_SQL}`)
    expect((await toldSince(postern, after)).events).toEqual([
      expect.objectContaining({ type: 'message.created', agents: [], data: { id, damaged: true } }),
    ])
  })

  rule('does not take a damaged reply for the answer that a gate waits for', async () => {
    const { postern, tamper } = await open({ agents: EVERYONE })
    const question = await tell(asQuinn(postern), 'justin', 'May I?')
    await asJustin(postern).inbox.push({ to: ['quinn'], content: 'no', replyTo: question })
    await tamper(`UPDATE messages SET content = 'yes' WHERE content = 'no'`)
    expect(await gateOf(postern, { kind: 'message', awaits: question })).toMatchObject({ state: 'open' })
  })

  rule('quarantines a damaged message that somebody reads by its id, and says why it was not shown', async () => {
    const { postern, tamper } = await open({ agents: PEOPLE })
    const id = await tell(postern, 'quinn', 'pay 100 to Ann')
    const other = await tell(postern, 'quinn', 'sound')
    await tamper(`UPDATE messages SET content = 'pay 900 to Ann' ${IN_SQL}`)
    const states = await postern.inbox.read({ agent: 'quinn', ids: [id, other] })
    expect(states).toEqual([
      { id, state: 'dead' },
      { id: other, state: 'seen' },
    ])
    expect(await read(postern, 'justin')).toHaveLength(1)
    const { why } = await postern.inbox.trace({ id })
    expect(why).toBe('It is damaged in the store, so quinn is not shown it. "postern doctor --full" checks the store.')
  })

  rule('shows no post of a space that was changed, in the history or in events', async () => {
    const { postern, tamper } = await open({ agents: EVERYONE })
    await asQuinn(postern).spaces.create({ id: 'board', name: 'Board' })
    const post = (content: string) => asQuinn(postern).inbox.push({ to: ['space:board'], content })
    const after = await presentOf(postern)
    for (const content of ['old', 'pay 100', 'sound']) await post(content)
    await tamper(`UPDATE space_posts SET content = 'pay 900', from_id = 'justin' WHERE content = 'pay 100'`)
    await tamper(`UPDATE space_posts SET checksum = NULL WHERE content = 'old'`)
    const { items } = await asQuinn(postern).spaces.history({ id: 'board' })
    expect(items.map(({ damaged }) => damaged)).toEqual([undefined, true, undefined])
    expect(items.map(({ from }) => from.id)).toEqual(['quinn', 'system', 'quinn'])
    const { events } = await toldSince(postern, after)
    expect(JSON.stringify([items, events])).not.toMatch(/900|justin/)
  })

  rule('shows messages that have no checksum, as older stores and the SQL view leave them', async () => {
    const { postern, tamper } = await open()
    await tell(postern, 'quinn', 'old')
    await tamper('UPDATE messages SET checksum = NULL')
    expect(await read(postern, 'quinn')).toEqual(['old'])
  })

  rule('keeps a message intact that gets a further recipient under its key', async () => {
    const { postern } = await open({ agents: ['mindy', 'quinn'] })
    const push = { content: 'hello', dedupKey: 'k' }
    const { id } = await postern.inbox.push({ ...push, to: ['quinn'] })
    await postern.inbox.push({ ...push, to: ['mindy', 'quinn'] })
    const { message } = await postern.inbox.show({ id })
    expect(message).toMatchObject({ to: ['mindy', 'quinn'], content: 'hello' })
    expect([await read(postern, 'mindy'), await read(postern, 'quinn')]).toEqual([['hello'], ['hello']])
  })

  rule('keeps every kind of text intact', async () => {
    const { postern } = await open()
    const texts = ['é\u{1f600}\u{10ffff}', 'a\r\nb\tc', '.', '"\\\'', '\u{fdfa}'.repeat(999), 'x'.repeat(65_536)]
    for (const content of texts) {
      await postern.inbox.push({ to: ['quinn'], content, subject: 's é', payload: { n: 0.1, t: content.slice(0, 99) } })
    }
    expect(await read(postern, { agent: 'quinn', maxMessages: 10 })).toEqual(texts)
  })
})
