import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addAgents, itemFor, push } from '../../../test/helpers/postgres-store.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { Store } from '../store.ts'
import { openSqliteStore } from './store.ts'

async function open(path = join(temporaryFolder(), 'postern.db')): Promise<Store & { readonly path: string }> {
  const store = await openSqliteStore({ path, now: Date.now, random: Math.random })
  onTestFinished(() => store.close())
  return Object.assign(store, { path })
}

async function subjectsAfter(store: Store, cursor: string): Promise<string[]> {
  return (await store.read.events.after({ cursor, limit: 100 })).items.map(({ subject }) => subject)
}

describe('events on SQLite', () => {
  it('change neither the numbers of messages nor the counts of changes', async () => {
    const store = await open()
    await addAgents(store, 'ada', 'bob')
    await push(store, itemFor(['ada']))
    // More events than messages by now: a trigger's row is not taken for the message's.
    const [item, other] = [itemFor(['ada', 'bob']), itemFor(['bob'])]
    await push(store, item, other)
    for (const { message } of [item, other]) {
      const agents = (await store.read.deliveries.ofMessage(message.id)).map(({ agent }) => agent)
      expect(agents).toEqual(message.to)
    }
    const agent = { id: 'cyd', kind: 'ai', displayName: 'cyd', isOwner: false, createdAt: 1, removedAt: null } as const
    const insert = () =>
      store.transact((tx) => tx.agents.insert({ agent, idSkeleton: 'cyd', nameSkeleton: 'cyd', withBroadcasts: false }))
    expect(await insert()).toBe(true)
    expect(await insert()).toBe(false)
    const moved = await store.transact((tx) =>
      tx.deliveries.moveAll({ agent: 'bob', from: ['pending'], to: 'cancelled', at: 2, by: 'ada', reason: 'a test' }),
    )
    expect(moved).toBe(2)
  })

  it('go with the verb that is taken back, and leave the others of its group', async () => {
    const store = await open()
    await addAgents(store, 'ada')
    const start = await store.read.events.last()
    const [kept, lost] = [itemFor(['ada']), itemFor(['ada'])]
    const failing = store.transact(async (tx) => {
      await tx.messages.push({ items: [lost], pendingLimit: 10 })
      throw new Error('on purpose')
    })
    await Promise.all([push(store, kept), expect(failing).rejects.toThrow('on purpose')])
    expect(await subjectsAfter(store, start)).toEqual([kept.message.id])
    // A message that the table itself refuses leaves nothing either.
    await expect(push(store, itemFor(['ada']), kept)).rejects.toThrow()
    expect(await subjectsAfter(store, start)).toEqual([kept.message.id])
    await push(store, lost)
    expect(await subjectsAfter(store, start)).toEqual([kept.message.id, lost.message.id])
  })

  it('tell another event at the same place from the one that was meant, as after a loss of power', async () => {
    const store = await open()
    await addAgents(store, 'ada')
    const start = await store.read.events.last()
    await push(store, itemFor(['ada'], { createdAt: 1_000 }))
    const cursor = await store.read.events.last()
    const database = new DatabaseSync(store.path)
    database.exec('DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)')
    database.close()
    await expect(store.read.events.after({ cursor, limit: 9 })).rejects.toMatchObject({ code: 'CURSOR_UNKNOWN' })
    const item = itemFor(['ada'], { createdAt: 2_000 })
    await push(store, item)
    await expect(store.read.events.after({ cursor, limit: 9 })).rejects.toMatchObject({ code: 'CURSOR_UNKNOWN' })
    expect(await subjectsAfter(store, start)).toEqual([item.message.id])
  })

  it('are kept as many as are wanted, and a bounded number is removed at once', async () => {
    const store = await open()
    await addAgents(store, 'ada')
    const items = Array.from({ length: 20 }, () => itemFor(['ada']))
    await push(store, ...items)
    const ids = items.map(({ message }) => message.id)
    const reap = (keep: number, limit: number) => store.transact((tx) => tx.events.reap({ before: 0, keep, limit }))
    expect(await reap(15, 4)).toBe(4)
    expect(await reap(15, 4)).toBe(2)
    expect(await reap(15, 4)).toBe(0)
    expect(await subjectsAfter(store, await store.read.events.last({ back: 1_000 }))).toEqual(ids.slice(5))
    expect(await reap(0, 100)).toBe(14)
    expect(await reap(0, 100)).toBe(0)
    const last = await store.read.events.last()
    await push(store, itemFor(['ada']))
    expect(await subjectsAfter(store, last)).toHaveLength(1)
  })

  it('are reaped by age only from the beginning on, so that none in between is missing', async () => {
    const store = await open()
    await addAgents(store, 'ada')
    for (const createdAt of [1, 2, 9, 3, 4]) await push(store, itemFor(['ada'], { createdAt }))
    const reaped = await store.transact((tx) => tx.events.reap({ before: 5, keep: 100, limit: 100 }))
    expect(reaped).toBe(3)
    expect(await subjectsAfter(store, await store.read.events.last({ back: 1_000 }))).toHaveLength(3)
  })
})
