import { describe, expect, it } from 'vitest'
import { usePostgres } from '../../../test/helpers/postgres-store.ts'
import { addAgent, messageTo, openHome } from '../../../test/helpers/shelf-things.ts'
import type { Store } from '../store.ts'

const createWorld = usePostgres()

const ENGINES: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => (await openHome()).store,
  PostgreSQL: async () => {
    const store = await (await createWorld()).open()
    await store.transact((tx) => addAgent(tx, 'quinn'))
    return store
  },
}

describe.each(Object.entries(ENGINES))('a look back on %s', (_, open) => {
  it('at what waits reads no more than it may, whenever that was pushed', async () => {
    const store = await open()
    const messages = [3, 2, 1].map((createdAt) => ({ ...messageTo(['quinn']), createdAt }))
    await store.transact((tx) => tx.messages.push({ items: messages.map(inFull), pendingLimit: 10 }))
    expect(await store.read.history.waiting({ limit: 2 })).toHaveLength(2)
    const all = await store.read.history.waiting({ limit: 9 })
    expect(all.map(({ createdAt }) => createdAt).toSorted()).toEqual([1, 2, 3])
  })

  it('at what was fired reads what it is and what became of it, not what it says', async () => {
    const store = await open()
    const [first, other, last] = ['plan', 'message', 'plan'].map((type, at) => {
      return { ...messageTo(['quinn']), type, ref: `plan:${at}`, content: 'x'.repeat(1_000), createdAt: at }
    })
    const items = [first, other, last].flatMap((message) => (message ? [inFull(message)] : []))
    await store.transact((tx) => tx.messages.push({ items, pendingLimit: 10 }))
    expect(await store.read.history.fired({ agent: 'quinn', type: 'plan' })).toEqual([
      { id: last?.id, ref: 'plan:2', createdAt: 2, state: 'pending' },
      { id: first?.id, ref: 'plan:0', createdAt: 0, state: 'pending' },
    ])
    expect(await store.read.history.fired({ agent: 'nobody', type: 'plan' })).toEqual([])
  })
})

function inFull(message: ReturnType<typeof messageTo>) {
  return { message, held: [] }
}
