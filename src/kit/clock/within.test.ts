import { describe, expect, it } from 'vitest'
import { within } from './within.ts'

describe('within', () => {
  it('gives the outcome that comes in time', async () => {
    expect(await within(10_000, Promise.resolve('done'), 'late')).toBe('done')
    await expect(within(10_000, Promise.reject(new Error('no')), 'late')).rejects.toThrow('no')
  })

  it('gives something else where it comes too late', async () => {
    expect(await within(1, new Promise(() => {}), 'late')).toBe('late')
  })
})
