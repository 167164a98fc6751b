import { expect } from 'vitest'
import type { Postern, PushMessage } from '../../src/model/postern.ts'
import type { Priority } from '../../src/model/priority.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, contents, read, stateOf, tell } from './suite.ts'

conformance('order and budget', ({ rule, open }) => {
  rule('shows the urgent first, and what is equally urgent in the order in which it came', async () => {
    verifies('S000.drain.priority', 'G6.inbox-order')
    const { postern } = await open()
    const said = ['c2', 'e4', 'a0', 'b1', 'd3', 'c2 again', 'a0 again', 'e4 again']
    for (const content of said) await pushAt(postern, content, Number(content[1]) as Priority)
    expect(await read(postern, 'quinn')).toEqual(['a0', 'a0 again', 'b1', 'c2', 'c2 again', 'd3', 'e4', 'e4 again'])
  })

  rule('keeps the order of commits whatever the clock does', async () => {
    verifies('G6.clock', 'G6.inbox-order')
    const { postern, now, setNow } = await open()
    const begin = now()
    const times = [0, 3_600_000, -3_600_000, 10 * 365 * 86_400_000, 5]
    const said = times.map((offset) => `at ${offset}`)
    for (const [i, offset] of times.entries()) {
      setNow(begin + offset)
      await tell(postern, 'quinn', said[i] as string)
    }
    setNow(begin)
    expect(await read(postern, 'quinn')).toEqual(said)
  })

  rule('keeps the order of a batch', async () => {
    verifies('G6.inbox-order')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const messages = Array.from(
      { length: 30 },
      (_, i): PushMessage => ({ to: i % 3 ? ['quinn'] : ['ada', 'quinn'], content: `${i}` }),
    )
    await postern.inbox.pushMany({ messages })
    expect(await read(postern, { agent: 'quinn', maxMessages: 100 })).toEqual(messages.map(({ content }) => content))
    expect(await read(postern, 'ada')).toEqual(['0', '3', '6', '9', '12', '15', '18', '21', '24', '27'])
  })

  rule('gives what comes back its old place', async () => {
    verifies('G6.inbox-order', 'G4.shown-again')
    const { postern } = await open()
    for (const content of ['one', 'two', 'three']) await tell(postern, 'quinn', content)
    const { offer } = await postern.inbox.drain({ agent: 'quinn', maxMessages: 2 })
    await tell(postern, 'quinn', 'four')
    await postern.inbox.release({ offerId: offer?.id ?? '', reason: 'closed pipe' })
    expect(await read(postern, 'quinn')).toEqual(['one', 'two', 'three', 'four'])
  })

  rule('shows at most twenty, and counts the rest', async () => {
    verifies('S000.drain.cap-20')
    const { postern } = await open()
    const said = Array.from({ length: 45 }, (_, i) => `message ${i}`)
    await postern.inbox.pushMany({ messages: said.map((content) => ({ to: ['quinn'], content })) })
    const sizes = []
    const shown = []
    for (let i = 0; i < 3; i++) {
      const drained = await postern.inbox.drain({ agent: 'quinn' })
      shown.push(...contents(drained))
      sizes.push([drained.messages.length, drained.remaining])
    }
    expect(sizes).toEqual([
      [20, 25],
      [20, 5],
      [5, 0],
    ])
    expect(shown).toEqual(said)
  })

  rule('never leaves a critical message out for the count', async () => {
    verifies('S000.drain.critical')
    const { postern } = await open()
    for (let i = 0; i < 25; i++) await pushAt(postern, `critical ${i}`, 0)
    for (let i = 0; i < 3; i++) await pushAt(postern, `normal ${i}`, 2)
    const drained = await postern.inbox.drain({ agent: 'quinn' })
    expect(contents(drained)).toEqual(Array.from({ length: 25 }, (_, i) => `critical ${i}`))
    expect(drained.remaining).toBe(3)
  })

  rule('always shows the oldest, in the place of the least urgent', async () => {
    verifies('S000.drain.oldest')
    const { postern } = await open()
    await pushAt(postern, 'oldest', 4)
    for (let i = 0; i < 5; i++) await pushAt(postern, `high ${i}`, 1)
    const drained = await postern.inbox.drain({ agent: 'quinn', maxMessages: 3 })
    expect(contents(drained)).toEqual(['high 0', 'high 1', 'oldest'])
    expect(drained.remaining).toBe(3)
  })

  rule('lets nothing starve, however much that is more urgent keeps coming', async () => {
    verifies('S000.drain.oldest')
    const { postern } = await open()
    await pushAt(postern, 'patient', 4)
    for (let i = 0; i < 4; i++) await pushAt(postern, 'urgent', 0)
    expect(await read(postern, { agent: 'quinn', maxMessages: 2 })).toContain('patient')
  })

  rule('shows only what is urgent enough when asked, and counts all that wait', async () => {
    verifies('S000.drain.priority')
    const { postern } = await open()
    for (const priority of [3, 1, 2, 0, 4] as const) await pushAt(postern, `priority ${priority}`, priority)
    const first = await postern.inbox.drain({ agent: 'quinn', maxPriority: 1 })
    expect([contents(first), first.remaining]).toEqual([['priority 0', 'priority 1'], 3])
    const second = await postern.inbox.drain({ agent: 'quinn', maxPriority: 1 })
    expect([second.offer, second.messages, second.remaining]).toEqual([null, [], 3])
    expect(await read(postern, 'quinn')).toEqual(['priority 2', 'priority 3', 'priority 4'])
  })

  rule('stays within the room it is given', async () => {
    verifies('S000.drain.room')
    const { postern } = await open()
    for (let i = 0; i < 20; i++) await tell(postern, 'quinn', `${i}: ${'words '.repeat(100)}`)
    const drained = await postern.inbox.drain({ agent: 'quinn', maxCharacters: 4_000 })
    expect(contents(drained).join('').length).toBeLessThanOrEqual(4_000)
    expect(drained.messages.length).toBeGreaterThan(1)
    expect(drained.messages.every(({ form }) => form === 'whole')).toBe(true)
    expect(drained.messages.length + drained.remaining).toBe(20)
    expect(contents(drained)[0]).toMatch(/^0:/)
    expect((await postern.inbox.drain({ agent: 'quinn' })).messages[0]?.content).toMatch(
      new RegExp(`^${drained.messages.length}:`),
    )
  })

  rule('shows the headline of what can never fit, once, and offers it like the rest', async () => {
    verifies('S000.drain.room', 'G4.exactly-once')
    const { postern } = await open()
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'x'.repeat(20_000), subject: 'A long story' })
    await tell(postern, 'quinn', 'short')
    const { messages, remaining } = await postern.inbox.drain({ agent: 'quinn', maxCharacters: 8_000 })
    expect(messages.map(({ content, form }) => [content.length, form])).toEqual([
      [20_000, 'headline'],
      [5, 'whole'],
    ])
    expect(remaining).toBe(0)
    expect(await stateOf(postern, id)).toBe('offered')
  })

  rule('shows critical messages by their headlines where the room is spent', async () => {
    verifies('S000.drain.room', 'S000.drain.critical')
    const { postern } = await open()
    for (let i = 0; i < 6; i++) await pushAt(postern, `${i} ${'x'.repeat(1_500)}`, 0)
    const { messages, remaining } = await postern.inbox.drain({ agent: 'quinn', maxCharacters: 6_000 })
    expect(messages.length + remaining).toBe(6)
    expect(new Set(messages.map(({ form }) => form))).toEqual(new Set(['whole', 'headline']))
  })

  rule('keeps room for the oldest among the urgent', async () => {
    verifies('S000.drain.oldest', 'S000.drain.room')
    const { postern } = await open()
    await pushAt(postern, 'the oldest of all', 4)
    for (let i = 0; i < 10; i++) await pushAt(postern, `${i} ${'x'.repeat(900)}`, 1)
    expect(contents(await postern.inbox.drain({ agent: 'quinn', maxCharacters: 4_000 }))).toContain('the oldest of all')
  })

  rule('counts all that wait where not even a headline fits', async () => {
    verifies('S000.drain.room')
    const { postern } = await open()
    for (let i = 0; i < 30; i++) await tell(postern, 'quinn', `message ${i}`)
    const drained = await postern.inbox.drain({ agent: 'quinn', maxCharacters: 10 })
    expect(drained).toEqual({ offer: null, messages: [], remaining: 30 })
  })

  rule('pages through an inbox without skipping or repeating', async () => {
    verifies('G6.cursor')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    for (let i = 0; i < 7; i++) await postern.inbox.push({ to: i % 2 ? ['ada', 'quinn'] : ['quinn'], content: `${i}` })
    const seen: string[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<Postern['inbox']['list']>> = await postern.inbox.list({
        limit: 3,
        which: 'all',
        ...(after !== null && { after }),
      })
      expect(page.items.length).toBeLessThanOrEqual(3)
      seen.push(...page.items.map(({ agent, content }) => `${agent} ${content}`))
      after = page.next
      if (seen.length === 3) await tell(postern, 'quinn', 'meanwhile')
    } while (after !== null)
    const quinn = ['0', '1', '2', '3', '4', '5', '6', 'meanwhile'].map((content) => `quinn ${content}`)
    expect(seen).toEqual(['ada 1', 'ada 3', 'ada 5', ...quinn])
  })

  rule('says that a page is the last one even where it is full', async () => {
    verifies('G6.cursor')
    const { postern } = await open()
    for (let i = 0; i < 3; i++) await tell(postern, 'quinn', `${i}`)
    expect((await postern.inbox.list({ agent: 'quinn', limit: 3 })).next).toBeNull()
    expect((await postern.inbox.list({ agent: 'quinn', limit: 2 })).next).not.toBeNull()
  })
})

function pushAt(postern: Postern, content: string, priority: Priority): Promise<unknown> {
  return postern.inbox.push({ to: ['quinn'], content, priority })
}
