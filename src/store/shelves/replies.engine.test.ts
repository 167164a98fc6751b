import { describe, expect, it } from 'vitest'
import { usePostgres } from '../../../test/helpers/postgres-store.ts'
import { openHome } from '../../../test/helpers/shelf-things.ts'
import type { Store } from '../store.ts'

const createWorld = usePostgres()

const ENGINES: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => (await openHome()).store,
  PostgreSQL: async () => (await createWorld()).open(),
}

const MINE = { caller: 'tok_1', key: 'key-1' } as const
const claim = (store: Store, more: object = {}) =>
  store.transact((tx) => tx.replies.claim({ ...MINE, fingerprint: 'print', at: 1_000, abandonedBefore: 0, ...more }))

describe.each(Object.entries(ENGINES))('answers that are kept on %s', (_, open) => {
  it('are given by whoever takes the key first, and repeated to everybody else', async () => {
    const store = await open()
    expect(await claim(store)).toBeUndefined()
    expect(await claim(store)).toEqual({ fingerprint: 'print', status: null, body: null })
    await store.single((tx) => tx.replies.keep({ ...MINE, status: 201, body: '{"id":"ü"}' }))
    expect(await claim(store, { fingerprint: 'other' })).toEqual({
      fingerprint: 'print',
      status: 201,
      body: '{"id":"ü"}',
    })
    expect(await claim(store, { caller: 'tok_2' })).toBeUndefined()
    expect(await claim(store, { key: 'key-2' })).toBeUndefined()
  })

  it('go to one of many who take a key at once', async () => {
    const store = await open()
    const taken = await Promise.all(Array.from({ length: 8 }, () => claim(store)))
    expect(taken.filter((each) => each === undefined)).toHaveLength(1)
  })

  it('are taken over where somebody began and never answered, but only for the same request', async () => {
    const store = await open()
    await claim(store)
    expect(await claim(store, { abandonedBefore: 1_000 })).toBeDefined()
    expect(await claim(store, { abandonedBefore: 1_001, fingerprint: 'other' })).toBeDefined()
    expect(await claim(store, { abandonedBefore: 1_001, at: 2_000 })).toBeUndefined()
    expect(await claim(store, { abandonedBefore: 1_001 })).toBeDefined()
    await store.single((tx) => tx.replies.keep({ ...MINE, status: 200, body: '' }))
    expect(await claim(store, { abandonedBefore: 9_000 })).toMatchObject({ status: 200 })
  })

  it('leave the key free where a request came to nothing, and stay where it was answered', async () => {
    const store = await open()
    await claim(store)
    await store.single((tx) => tx.replies.drop(MINE))
    expect(await claim(store)).toBeUndefined()
    await store.single((tx) => tx.replies.keep({ ...MINE, status: 200, body: '' }))
    await store.single((tx) => tx.replies.drop(MINE))
    expect(await claim(store)).toMatchObject({ status: 200 })
  })

  it('are removed when they are old, oldest first and a few at a time', async () => {
    const store = await open()
    for (const at of [3_000, 1_000, 2_000]) await claim(store, { key: `key-${at}`, at })
    const reap = (begunBefore: number, limit: number) => store.single((tx) => tx.replies.reap({ begunBefore, limit }))
    expect(await reap(1_000, 10)).toBe(0)
    expect(await reap(3_000, 1)).toBe(1)
    expect(await claim(store, { key: 'key-2000' })).toBeDefined()
    expect(await reap(3_000, 10)).toBe(1)
    expect(await claim(store, { key: 'key-2000' })).toBeUndefined()
    expect(await claim(store, { key: 'key-3000' })).toBeDefined()
  })
})
