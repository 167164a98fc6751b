import { expect } from 'vitest'
import type { ListInbox, Postern } from '../../src/model/postern.ts'
import type { Store } from '../../src/store/store.ts'
import { storeWith } from '../helpers/store-with.ts'
import { caller, conformance, read, tell } from './suite.ts'

const HOUR_MS = 3_600_000

conformance('reading', ({ rule, open }) => {
  rule('writes nothing, even with broadcasts to take up, due snoozes and unindexed messages', async () => {
    const writes = createCounter()
    const { postern, advance } = await open({ agents: PEOPLE, through: writes.through, hasUpkeep: true })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'to everybody' })
    await tell(postern, 'quinn', 'to quinn')
    await snooze(postern, 'quinn', 'put off', HOUR_MS)
    const gate = await postern.gates.create({ agent: 'quinn', kind: 'timer', afterMs: HOUR_MS, reason: 'wait' })
    const options = [{ key: 'yes', label: 'Yes' }]
    const decision = await postern.decisions.create({ agent: 'quinn', question: 'Go?', options, deadlineMs: HOUR_MS })
    await postern.inbox.push({ to: ['all'], content: 'again to everybody' })
    advance(HOUR_MS)
    const before = writes.count()
    for (const which of WHICH) await postern.inbox.list({ which })
    for (const which of WHICH) await postern.inbox.list({ which, agent: 'ada', order: 'newest' })
    await postern.inbox.search({ query: 'everybody', agent: 'ada' })
    await postern.as({ ...caller('ada'), via: 'http' }).inbox.search({ query: 'everybody' })
    await postern.inbox.trace({ id })
    await postern.gates.list()
    await postern.gates.show({ id: gate.id })
    await postern.decisions.list()
    await postern.decisions.show({ id: decision.id })
    expect(writes.count()).toBe(before)
    await read(postern, 'ada')
    expect(writes.count()).toBeGreaterThan(before)
  })

  rule('lists each inbox as its agent would find it', async () => {
    const { postern, advance } = await open({ agents: ['ada', 'quinn', { id: 'ci', kind: 'service' }] })
    await snooze(postern, 'quinn', 'put off', HOUR_MS)
    await tell(postern, 'quinn', 'before')
    await postern.as(caller('ada')).inbox.push({ to: ['all'], content: 'from ada' })
    await postern.inbox.push({ to: ['all'], content: 'brief', ttlMs: HOUR_MS })
    await postern.inbox.push({ to: ['all'], content: 'for all' })
    const shown = async (input: ListInbox) =>
      (await postern.inbox.list(input)).items.map(({ agent, content, state }) => `${agent} ${content} ${state}`)
    expect(await shown({ which: 'snoozed' })).toEqual(['quinn put off held'])
    advance(HOUR_MS)
    const ofQuinn = ['quinn put off pending', 'quinn before pending', 'quinn from ada pending', 'quinn for all pending']
    expect(await shown({})).toEqual(['ada for all pending', ...ofQuinn])
    expect(await shown({ agent: 'quinn', order: 'newest' })).toEqual(ofQuinn.toReversed())
    expect(await shown({ which: 'snoozed' })).toEqual([])
    expect(await shown({ which: 'all', agent: 'ada' })).toEqual(['ada brief expired', 'ada for all pending'])
    const before = await postern.inbox.list({ which: 'all' })
    for (const agent of ['ada', 'quinn']) await postern.inbox.read({ agent, ids: [] })
    expect(await postern.inbox.list({ which: 'all' })).toEqual(before)
  })

  rule('goes on after a broadcast, also where another message comes between two pages', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    for (const n of [1, 2, 3]) await postern.as(caller('ada')).inbox.push({ to: ['all'], content: `all ${n}` })
    const shown: string[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const page = await postern.inbox.list({ agent: 'quinn', limit: 1, ...(after !== undefined && { after }) })
      shown.push(...page.items.map(({ content }) => content))
      if (shown.length === 2) await tell(postern, 'quinn', 'direct')
      after = page.next
      expect(shown.length).toBeLessThan(10)
    }
    expect(shown.toSorted()).toEqual(['all 1', 'all 2', 'all 3', 'direct'])
  })

  rule('turns pages without a gap or a repetition while broadcasts are taken up and others come', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex', 'sam'] })
    for (const n of [1, 2, 3]) await tell(postern, 'quinn', `own ${n}`)
    for (const n of [1, 2, 3, 4, 5]) await postern.inbox.push({ to: ['all'], content: `all ${n}` })
    const all = (await postern.inbox.list({})).items.map(keyOf)
    for (const order of ['oldest', 'newest'] as const) {
      const ofQuinn = all.filter((key) => key.startsWith('quinn'))
      const wanted = order === 'newest' ? ofQuinn.toReversed() : ofQuinn
      expect(await turnPages(postern, { agent: 'quinn', order, limit: 2 })).toEqual(wanted)
    }
    expect(await turnPages(postern, { limit: 3 })).toEqual(all)
    // Half way, the broadcasts get their places, behind a message that came meanwhile.
    const numbers = [1, 2, 3, 4, 5]
    for (const [agent, order] of [
      ['rex', 'oldest'],
      ['sam', 'newest'],
    ] as const) {
      const first = await postern.inbox.list({ agent, order, limit: 2 })
      await tell(postern, agent, 'late')
      await postern.inbox.read({ agent, ids: [] })
      const rest = await turnPages(postern, { agent, order, limit: 2, after: first.next as string })
      const inOrder = numbers.map((n) => `${agent} all ${n}`)
      const wanted =
        order === 'oldest'
          ? [`${agent} late`, ...inOrder.slice(2)]
          : [...inOrder.slice(0, 3).toReversed(), `${agent} late`]
      expect(first.items.map(keyOf)).toEqual(order === 'oldest' ? inOrder.slice(0, 2) : inOrder.slice(3).toReversed())
      expect(rest).toEqual(wanted)
    }
  })

  rule('acts on a broadcast that was only listed', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const { id } = await postern.inbox.push({ to: ['all'], content: 'to everybody' })
    const [listed] = (await postern.inbox.list({ agent: 'ada' })).items
    expect(await postern.inbox.read({ agent: 'ada', ids: [listed?.id as string] })).toEqual([{ id, state: 'seen' }])
    await expect(postern.inbox.ack({ agent: 'quinn', ids: [id] })).rejects.toMatchObject({ code: 'DELIVERY_STATE' })
    expect((await postern.inbox.trace({ id })).deliveries).toMatchObject([
      { agent: 'ada', state: 'seen', inboxSeq: 1 },
      { agent: 'quinn', state: 'pending', inboxSeq: 1 },
    ])
  })
})

const PEOPLE = ['ada', 'quinn', { id: 'justin', kind: 'human' }] as const
const WHICH = ['pending', 'delivered', 'done', 'open', 'snoozed', 'all'] as const

function createCounter() {
  let writes = 0
  return {
    count: () => writes,
    through: (store: Store): Store =>
      storeWith(store, {
        transact: (verb, options) => {
          writes++
          return store.transact(verb, options)
        },
        single: (call, options) => {
          writes++
          return store.single(call, options)
        },
        push: (params) => {
          writes++
          return store.push(params)
        },
      }),
  }
}

async function snooze(postern: Postern, agent: string, content: string, ms: number): Promise<void> {
  const id = await tell(postern, agent, content)
  const untilAt = Date.UTC(2026, 0, 15, 9) + ms
  await postern.inbox.snooze({ agent, ids: [id], untilAt })
}

function keyOf({ agent, content }: { readonly agent: string; readonly content: string }): string {
  return `${agent} ${content}`
}

async function turnPages(postern: Postern, input: ListInbox): Promise<string[]> {
  const found: string[] = []
  for (let after = input.after; ; ) {
    const { items, next } = await postern.inbox.list({ ...input, ...(after !== undefined && { after }) })
    found.push(...items.map(keyOf))
    if (next === null) return found
    after = next
  }
}
