import { expect } from 'vitest'
import type { PosternEvent } from '../../../src/model/network/event.ts'
import type { ListEvents } from '../../../src/model/network/events.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { asTimePasses, caller, conformance, read, refused, tell } from '../suite.ts'
import { presentOf, toldSince } from './telling.ts'

const DAY_MS = 24 * 3_600_000

/** Reads pages until one holds an event that is about this. */
async function followTo(postern: Postern, subject: string, wanted: ListEvents): Promise<PosternEvent[]> {
  const seen: PosternEvent[] = []
  let after = wanted.after ?? ''
  while (seen.at(-1)?.subject !== subject) {
    const page = await postern.events.wait({ ...wanted, after, timeoutMs: 60_000 })
    expect(page.hasGap).toBe(false)
    seen.push(...page.items)
    after = page.cursor
  }
  return seen
}

conformance('following events', ({ rule, open }) => {
  rule('begins with the present', async () => {
    const { postern } = await open()
    await tell(postern, 'quinn', 'before')
    const present = await toldSince(postern, (await postern.events.list()).cursor)
    const { items, cursor, hasGap, hasMore } = await postern.events.list()
    expect({ items, hasGap, hasMore }).toEqual({ items: [], hasGap: false, hasMore: false })
    expect(cursor).toBe(present.cursor)
  })

  rule('may begin with the latest, or with everything that is kept', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    await tell(postern, 'quinn', 'hello')
    await toldSince(postern, (await postern.events.list()).cursor)
    const typesOf = async (latest: number) => (await postern.events.list({ latest })).items.map(({ type }) => type)
    expect(await typesOf(2)).toEqual(['message.created', 'agent.added'])
    expect(await typesOf(1_000)).toEqual(['agent.added', 'agent.added', 'message.created', 'agent.added'])
  })

  rule('goes on with every cursor, over pages of any size, without gap or repetition', async () => {
    verifies('events.all')
    const { postern } = await open()
    const cursor = await presentOf(postern)
    const messages = Array.from({ length: 23 }, (_, i) => ({ to: ['quinn'], content: `${i}` }))
    await postern.inbox.pushMany({ messages })
    const whole = (await toldSince(postern, cursor)).events.map((event) => event.cursor)
    expect(whole).toHaveLength(23)
    expect(whole.toSorted()).toEqual(whole)
    for (const limit of [1, 2, 7, 23, 24]) {
      const seen: string[] = []
      let page = await postern.events.list({ after: cursor, limit })
      for (;;) {
        seen.push(...page.items.map((item) => item.cursor))
        if (!page.hasMore) break
        page = await postern.events.list({ after: page.cursor, limit })
      }
      expect(seen.slice(0, 23)).toEqual(whole)
    }
    for (const [at, after] of whole.entries()) {
      const { items } = await postern.events.list({ after, limit: 50 })
      expect(items.slice(0, 22 - at).map((item) => item.cursor)).toEqual(whole.slice(at + 1))
    }
  })

  rule('moves on over what is not wanted, a bounded way at a time', async () => {
    const { postern } = await open()
    const cursor = await presentOf(postern)
    for (const batch of Array.from({ length: 3 }, (_, i) => i)) {
      const messages = Array.from({ length: 900 }, (_, i) => ({ to: ['quinn'], content: `${batch} ${i}` }))
      await postern.inbox.pushMany({ messages })
    }
    const { cursor: present } = await toldSince(postern, cursor, { types: ['gate.*'] })
    const first = await postern.events.list({ after: cursor, types: ['gate.*'] })
    expect(first).toMatchObject({ items: [], hasMore: true, hasGap: false })
    expect(first.cursor > cursor && first.cursor < present).toBe(true)
    const second = await postern.events.list({ after: first.cursor, types: ['gate.*'] })
    expect(second).toEqual({ items: [], cursor: present, hasMore: false, hasGap: false })
  })

  rule('sees what many do at once, each thing once and in one order for all', async () => {
    verifies('events.all', 'events.late')
    const { postern, again } = await open({ agents: ['ada', 'quinn', 'rex'] })
    const after = await presentOf(postern)
    const writers = [postern, await again(), await again()]
    const followers = [postern, await again()].map((each) => followTo(each, 'the-end', { after, limit: 7 }))
    const pushed = await Promise.all(
      writers.map(async (writer, at) => {
        const ids: string[] = []
        for (let i = 0; i < 25; i++) {
          const to = [['ada', 'quinn', 'rex'][(i + at) % 3] ?? 'quinn']
          ids.push((await writer.inbox.push({ to, content: `${at} ${i}` })).id)
          if (i % 5 === 0) await read(writer, 'quinn')
        }
        return ids
      }),
    )
    await postern.agents.add({ id: 'the-end' })
    const [one = [], other] = await Promise.all(followers)
    expect(other).toEqual(one)
    expect(one.map(({ cursor }) => cursor)).toEqual([...new Set(one.map(({ cursor }) => cursor))].sort())
    const told = one.filter(({ type }) => type === 'message.created').map(({ subject }) => subject)
    expect(told.toSorted()).toEqual(pushed.flat().sort())
    // Of one writer, in the order in which it was answered.
    for (const ids of pushed) expect(told.filter((id) => ids.includes(id))).toEqual(ids)
  })

  rule('is woken by what another process does, and by what rings nobody', async () => {
    verifies('events.wake')
    const { postern, again } = await open()
    const other = await again()
    const after = await presentOf(postern)
    const woken = postern.events.wait({ after, timeoutMs: 60_000 })
    await tell(other, 'quinn', 'hello')
    const page = await woken
    expect(page.items).toMatchObject([{ type: 'message.created' }])
    const again_ = postern.events.wait({ after: page.cursor, timeoutMs: 60_000 })
    await other.agents.add({ id: 'ada' })
    expect((await again_).items).toMatchObject([{ type: 'agent.added', subject: 'ada' }])
  })

  rule('waits for what is wanted only', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    const after = await presentOf(postern)
    const waiting = postern.as(caller('ada')).events.wait({ after, types: ['message.*'], timeoutMs: 60_000 })
    await tell(postern, 'quinn', 'not for ada')
    const id = await tell(postern, 'ada', 'for ada')
    expect((await waiting).items.map(({ subject }) => subject)).toEqual([id])
  })

  rule('ends with nothing when its time is over, or when it is told to', async () => {
    const { postern, advance } = await open()
    const after = await presentOf(postern)
    const nothing = { items: [], cursor: after, hasMore: false, hasGap: false }
    expect(await asTimePasses(advance, postern.events.wait({ after, timeoutMs: 5 }))).toEqual(nothing)
    const stop = new AbortController()
    const stopped = postern.events.wait({ after, timeoutMs: 60_000, signal: stop.signal })
    stop.abort()
    expect(await stopped).toEqual(nothing)
  })

  rule('says where what came after the cursor is not kept any more', async () => {
    verifies('events.gap')
    const { postern, advance, now } = await open()
    const cursor = await presentOf(postern)
    await tell(postern, 'quinn', 'one')
    await tell(postern, 'quinn', 'two')
    const { events } = await toldSince(postern, cursor)
    const [one, two] = events.map((event) => event.cursor)
    advance(8 * DAY_MS)
    const id = await tell(postern, 'quinn', 'three')
    await toldSince(postern, two ?? '')
    expect(now()).toBeGreaterThan(7 * DAY_MS)
    await postern.upkeep.run()
    const after = (from = '') => postern.events.list({ after: from, types: ['message.*'] })
    expect(await after(cursor)).toMatchObject({ hasGap: true, items: [{ subject: id }] })
    expect(await after(one)).toMatchObject({ hasGap: true, items: [{ subject: id }] })
    const gap = postern.events.wait({ after: one ?? '', types: ['gate.*'], timeoutMs: 60_000 })
    expect(await gap).toMatchObject({ hasGap: true, items: [] })
    const { items, hasGap } = await postern.events.list({ latest: 1_000, types: ['message.*'] })
    expect({ hasGap, subjects: items.map(({ subject }) => subject) }).toEqual({ hasGap: false, subjects: [id] })
  })

  rule('keeps the last event for ever, so that its cursor stays good', async () => {
    const { postern, advance } = await open()
    await tell(postern, 'quinn', 'one')
    const cursor = await presentOf(postern)
    for (const _ of [1, 2]) {
      advance(365 * DAY_MS)
      await postern.upkeep.run()
    }
    expect(await postern.events.list({ after: cursor })).toMatchObject({ items: [], hasGap: false })
    expect((await toldSince(postern, cursor)).types).toEqual([])
  })

  rule('refuses a cursor of another store', async () => {
    const [here, there] = [await open(), await open()]
    for (let i = 0; i < 30; i++) await tell(there.postern, 'quinn', `${i}`)
    const cursor = await presentOf(there.postern)
    await refused(here.postern.events.list({ after: cursor }), 'CURSOR_UNKNOWN')
  })
})
