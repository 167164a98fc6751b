import { describe, expect, it } from 'vitest'
import { usePostgres } from '../../../test/helpers/postgres-store.ts'
import { openHome } from '../../../test/helpers/shelf-things.ts'
import type { Store } from '../store.ts'

const createWorld = usePostgres()

const ENGINES: Readonly<Record<string, () => Promise<Store>>> = {
  SQLite: async () => (await openHome()).store,
  PostgreSQL: async () => (await createWorld()).open(),
}

const KEY = { caller: 'tok_1', key: 'key-1' } as const
/** The number of a claim is its time, or one more than that of the claim before. */
const MINE = { ...KEY, taken: 1_000 } as const
const RUN = { isMine: true, taken: 1_000, outcome: null } as const
const BUSY = { isMine: false, fingerprint: 'print', status: null, body: null } as const
const claim = (store: Store, more: object = {}) =>
  store.transact((tx) => tx.replies.claim({ ...KEY, fingerprint: 'print', at: 1_000, abandonedBefore: 0, ...more }))

describe.each(Object.entries(ENGINES))('answers that are kept on %s', (_, open) => {
  it('are given by whoever takes the key first, and repeated to everybody else', async () => {
    const store = await open()
    expect(await claim(store)).toEqual(RUN)
    expect(await claim(store)).toEqual(BUSY)
    await store.single((tx) => tx.replies.keep({ ...MINE, status: 201, body: '{"id":"ü"}' }))
    const answered = { ...BUSY, status: 201, body: '{"id":"ü"}' }
    expect(await claim(store, { fingerprint: 'other' })).toEqual(answered)
    expect(await claim(store, { caller: 'tok_2' })).toEqual(RUN)
    expect(await claim(store, { key: 'key-2' })).toEqual(RUN)
  })

  it('go to one of many who take a key at once', async () => {
    const store = await open()
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim(store)))
    expect(claims.filter(({ isMine }) => isMine)).toHaveLength(1)
  })

  it('are taken over where somebody began and never answered, but only for the same request', async () => {
    const store = await open()
    await claim(store)
    expect(await claim(store, { abandonedBefore: 1_000 })).toEqual(BUSY)
    expect(await claim(store, { abandonedBefore: 1_001, fingerprint: 'other' })).toEqual(BUSY)
    expect(await claim(store, { abandonedBefore: 1_001, at: 2_000 })).toEqual({ ...RUN, taken: 2_000 })
    expect(await claim(store, { abandonedBefore: 1_001 })).toEqual(BUSY)
    await store.single((tx) => tx.replies.keep({ ...MINE, taken: 2_000, status: 200, body: '' }))
    expect(await claim(store, { abandonedBefore: 9_000 })).toMatchObject({ status: 200 })
  })

  it('are stored, and keys given back, only by the request that holds the claim', async () => {
    const store = await open()
    await claim(store)
    await claim(store, { abandonedBefore: 1_001 })
    await store.transact(async ({ replies }) => {
      expect(await replies.record({ ...MINE, outcome: '[1]' })).toBe(false)
      await replies.keep({ ...MINE, status: 200, body: 'mine' })
      await replies.drop(MINE)
      await replies.release(MINE)
    })
    expect(await claim(store)).toEqual(BUSY)
  })

  it('leave the key free where a request came to nothing, and stay where it was answered', async () => {
    const store = await open()
    for (const give of ['drop', 'release'] as const) {
      await claim(store)
      await store.transact((tx) => tx.replies[give](MINE))
      expect(await claim(store)).toEqual(RUN)
      await store.transact((tx) => tx.replies.drop(MINE))
    }
    await claim(store)
    await store.single((tx) => tx.replies.keep({ ...MINE, status: 200, body: '' }))
    for (const give of ['drop', 'release'] as const) await store.transact((tx) => tx.replies[give](MINE))
    expect(await claim(store)).toMatchObject({ status: 200 })
  })

  it('hand a recorded outcome to the next request after a release, and once the claim is abandoned', async () => {
    const store = await open()
    await claim(store)
    expect(await store.transact((tx) => tx.replies.record({ ...MINE, outcome: '["one"]' }))).toBe(true)
    await store.transact((tx) => tx.replies.release(MINE))
    expect(await claim(store, { fingerprint: 'other' })).toEqual(BUSY)
    expect(await claim(store)).toEqual({ isMine: true, taken: 1_001, outcome: '["one"]' })
    expect(await claim(store)).toEqual(BUSY)
    expect(await claim(store, { abandonedBefore: 1_001 })).toEqual({ isMine: true, taken: 1_002, outcome: '["one"]' })
  })

  it('are removed when they are old, oldest first and a few at a time', async () => {
    const store = await open()
    for (const at of [3_000, 1_000, 2_000]) await claim(store, { key: `key-${at}`, at })
    const reap = (begunBefore: number, limit: number) => store.single((tx) => tx.replies.reap({ begunBefore, limit }))
    expect(await reap(1_000, 10)).toBe(0)
    expect(await reap(3_000, 1)).toBe(1)
    expect(await claim(store, { key: 'key-2000' })).toEqual(BUSY)
    expect(await reap(3_000, 10)).toBe(1)
    expect(await claim(store, { key: 'key-2000' })).toEqual(RUN)
    expect(await claim(store, { key: 'key-3000' })).toEqual(BUSY)
  })
})
