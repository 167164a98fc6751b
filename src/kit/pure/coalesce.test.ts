import { expect, it } from 'vitest'
import { coalesce } from './coalesce.ts'

it('gives whoever asks a round that begins after that, and shares it among all who wait for it', async () => {
  const ends: (() => void)[] = []
  let begun = 0
  const next = coalesce(async () => {
    const number = ++begun
    await new Promise<void>((resolve) => ends.push(resolve))
    return number
  })
  const first = next()
  await Promise.resolve()
  await Promise.resolve()
  expect(begun).toBe(1)
  const others = [next(), next(), next()]
  ends[0]?.()
  expect(await first).toBe(1)
  await expect.poll(() => ends.length).toBe(2)
  ends[1]?.()
  expect(await Promise.all(others)).toEqual([2, 2, 2])
  expect(begun).toBe(2)
})

it('goes on after a round that failed', async () => {
  let begun = 0
  const next = coalesce(async () => {
    if (++begun === 1) throw new Error('not this time')
    return begun
  })
  await expect(next()).rejects.toThrow('not this time')
  expect(await next()).toBe(2)
})
