import { expect } from 'vitest'
import type { Postern } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, tell } from './suite.ts'

conformance('search', ({ rule, open }) => {
  rule('finds messages by words, in subject and content, whatever their case', async () => {
    verifies('S000.search')
    const { postern } = await open()
    await tell(postern, 'quinn', 'The deployment of Main failed')
    await postern.inbox.push({ to: ['quinn'], subject: 'Deployment', content: 'all is well' })
    await tell(postern, 'quinn', 'lunch is ready')
    expect(await find(postern, 'deployment')).toEqual(['all is well', 'The deployment of Main failed'])
    expect(await find(postern, 'FAILED main')).toEqual(['The deployment of Main failed'])
    expect(await find(postern, 'deploy')).toEqual([])
    expect(await find(postern, 'deployment lunch')).toEqual([])
  })

  rule('finds phrases and beginnings of words', async () => {
    verifies('S000.search')
    const { postern } = await open()
    await tell(postern, 'quinn', 'build the gate')
    await tell(postern, 'quinn', 'the gate was built')
    expect(await find(postern, '"the gate was"')).toEqual(['the gate was built'])
    expect(await find(postern, '"gate the"')).toEqual([])
    expect(await find(postern, 'buil*')).toEqual(['the gate was built', 'build the gate'])
    expect(await find(postern, 'buil* "the gate" was')).toEqual(['the gate was built'])
  })

  rule('finds words of any script, and parts that punctuation joins', async () => {
    verifies('S000.search')
    const { postern } = await open()
    await tell(postern, 'quinn', 'Grüße aus Århus: ping@example.com, task-42, версия 2, 東京')
    for (const query of ['grüße', 'ÅRHUS', 'example', 'ping@example.com', 'task-42', 'ВЕРСИЯ', '東京', 'ｐｉｎｇ']) {
      expect(await find(postern, query), query).toHaveLength(1)
    }
  })

  rule('takes nothing in a query for a command', async () => {
    verifies('S000.search')
    const { postern } = await open()
    await tell(postern, 'quinn', 'plain words or not')
    const hostile = [
      '"',
      '*',
      '""',
      'words OR',
      'NEAR(',
      'a AND',
      'words:',
      '^words',
      '-words',
      "'; DROP TABLE messages; --",
      '&|!',
      '(',
      '\\',
    ]
    for (const query of hostile) expect(Array.isArray(await find(postern, query)), query).toBe(true)
    expect(await find(postern, 'plain OR missing')).toEqual([])
    expect(await find(postern, 'plain OR words')).toEqual(['plain words or not'])
    expect(await find(postern, '  ')).toEqual([])
  })

  rule('finds what was pushed a moment ago, by whoever', async () => {
    verifies('S000.search')
    const { postern, again } = await open()
    const other = await again()
    await tell(postern, 'quinn', 'gate one')
    expect(await find(other, 'gate')).toHaveLength(1)
    await tell(other, 'quinn', 'gate two')
    expect(await find(postern, 'gate')).toEqual(['gate two', 'gate one'])
  })

  rule('shows the newest first, and no more than asked for', async () => {
    const { postern } = await open()
    for (let i = 0; i < 5; i++) await tell(postern, 'quinn', `gate ${i}`)
    const found = await postern.inbox.search({ query: 'gate', limit: 2 })
    expect(found.map(({ content }) => content)).toEqual(['gate 4', 'gate 3'])
  })

  rule('finds for an agent what it sent or was sent, and nothing else', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex'] })
    await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'gate from ada' })
    await tell(postern, 'rex', 'gate for rex')
    await postern.inbox.push({ to: ['all'], content: 'gate for all' })
    await read(postern, 'quinn')
    const find = async (agent: string) =>
      (await postern.inbox.search({ query: 'gate', agent })).map(({ content }) => content)
    expect(await find('quinn')).toEqual(['gate for all', 'gate from ada'])
    expect(await find('ada')).toContain('gate from ada')
    expect(await find('rex')).toContain('gate for rex')
    expect(await find('rex')).not.toContain('gate from ada')
  })

  rule('finds for a confined agent what it shares with another, behind any number of its other messages', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex'] })
    await postern.as(caller('ada')).inbox.push({ to: ['quinn'], content: 'gate of both' })
    for (let i = 0; i < 5; i++) await tell(postern, 'quinn', `gate ${i}`)
    const quinn = postern.as({ ...caller('quinn'), via: 'http' })
    expect(await quinn.inbox.search({ query: 'gate', agent: 'ada', limit: 2 })).toMatchObject([
      { content: 'gate of both' },
    ])
    expect(await quinn.inbox.search({ query: 'gate', agent: 'rex', limit: 2 })).toEqual([])
  })

  rule('finds no message that was removed', async () => {
    verifies('S000.search', 'S000.reap')
    const { postern, advance } = await open({ limits: { retentionMs: 1 } })
    await tell(postern, 'quinn', 'gate')
    expect(await find(postern, 'gate')).toHaveLength(1)
    await read(postern, 'quinn')
    advance(600_000)
    expect(await postern.upkeep.run()).toMatchObject({ reaped: 1 })
    expect(await find(postern, 'gate')).toEqual([])
    await tell(postern, 'quinn', 'another gate')
    expect(await find(postern, 'gate')).toEqual(['another gate'])
  })

  rule('finds a message among more than one page or one index slice', async () => {
    const { postern } = await open()
    await pushNumbered(postern, 5_500)
    expect(await find(postern, 'n5499')).toEqual(['number n5499 of many'])
    expect(await find(postern, 'n0')).toEqual(['number n0 of many'])
    expect(await find(postern, '"n0 of m*"')).toEqual([])
    expect(await find(postern, '"number n0"')).toEqual(['number n0 of many'])
  })

  rule('says that it is not ready while upkeep has more to index than a query may read', async () => {
    const { postern } = await open({ hasUpkeep: true })
    await pushNumbered(postern, 5_500)
    await refused(postern.inbox.search({ query: 'n0' }), 'SEARCH_NOT_READY')
    expect(await postern.inbox.search({ query: 'n5499', limit: 1 })).toHaveLength(1)
    await postern.upkeep.run()
    expect(await find(postern, 'n0')).toEqual(['number n0 of many'])
  })

  rule('lists indexed and unindexed messages once each, in one order', async () => {
    const { postern } = await open({ hasUpkeep: true })
    await pushNumbered(postern, 300)
    await postern.upkeep.run()
    await pushNumbered(postern, 3, 300)
    const found = await postern.inbox.search({ query: 'number', limit: 5 })
    expect(found.map(({ content }) => content.split(' ')[1])).toEqual(['n302', 'n301', 'n300', 'n299', 'n298'])
  })

  rule('refuses a query that is too long or is no text', async () => {
    const { postern } = await open()
    await refused(postern.inbox.search({ query: 'x'.repeat(1_001) }), 'CONTENT_TOO_LARGE')
    await refused(postern.inbox.search({ query: '\ud800' }), 'TEXT_INVALID')
    await refused(postern.inbox.search({ query: 'a\0b' }), 'TEXT_INVALID')
  })
})

async function pushNumbered(postern: Postern, count: number, from = 0): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => from + i)
  for (let at = 0; at < count; at += 2_500) {
    const messages = numbers.slice(at, at + 2_500).map((n) => ({ to: ['quinn'], content: `number n${n} of many` }))
    await postern.inbox.pushMany({ messages })
  }
}

async function find(postern: Postern, query: string): Promise<string[]> {
  return (await postern.inbox.search({ query })).map(({ content }) => content)
}
