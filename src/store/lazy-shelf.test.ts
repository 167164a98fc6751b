import { describe, expect, it } from 'vitest'
import { lazyShelf } from './lazy-shelf.ts'

interface CounterShelf {
  add(params: { readonly by: number }): Promise<number>
  fail(): Promise<never>
}

const METHODS = { add: true, fail: true } as const

function createCounter(): CounterShelf {
  let count = 0
  return {
    add: async ({ by }) => {
      count += by
      return count
    },
    fail: () => Promise.reject(new Error('not here')),
  }
}

describe('lazyShelf', () => {
  it('loads the shelf with the first call, and once', async () => {
    let loads = 0
    const shelf = lazyShelf(async () => {
      loads++
      return createCounter()
    }, METHODS)
    expect(loads).toBe(0)
    await Promise.all([shelf.add({ by: 1 }), shelf.add({ by: 2 })])
    expect(await shelf.add({ by: 4 })).toBe(7)
    expect(loads).toBe(1)
  })

  it('fails as the shelf does', async () => {
    const shelf = lazyShelf(async () => createCounter(), METHODS)
    await expect(shelf.fail()).rejects.toThrow('not here')
  })

  it('fails with the reason if the shelf cannot be loaded', async () => {
    const shelf = lazyShelf((): Promise<CounterShelf> => Promise.reject(new Error('no such file')), METHODS)
    await expect(shelf.add({ by: 1 })).rejects.toThrow('no such file')
  })

  it('lists its methods before it is loaded, and is no promise', async () => {
    const shelf = lazyShelf(async () => createCounter(), METHODS)
    expect(Object.keys(shelf)).toEqual(['add', 'fail'])
    expect(await shelf).toBe(shelf)
  })

  it('does not compile if a method is missing or extra', () => {
    const load = async () => createCounter()
    // @ts-expect-error `fail` is missing.
    lazyShelf(load, { add: true })
    // @ts-expect-error `remove` is extra.
    lazyShelf(load, { add: true, fail: true, remove: true })
  })
})
