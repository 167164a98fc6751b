import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBackoff, jitter } from './backoff.ts'

const highest = () => 1 - Number.EPSILON

it('doubles its ceiling up to the greatest wait', () => {
  const backoff = createBackoff({ minMs: 10, maxMs: 100, random: highest })
  expect([1, 2, 3, 4, 5].map(() => Math.round(backoff.next()))).toEqual([20, 40, 80, 100, 100])
})

it('never waits less than the smallest wait', () => {
  const backoff = createBackoff({ minMs: 10, maxMs: 100, random: () => 0 })
  expect([1, 2, 3].map(() => backoff.next())).toEqual([10, 10, 10])
})

it('begins again after a reset', () => {
  const backoff = createBackoff({ minMs: 10, maxMs: 1_000, random: highest })
  backoff.next()
  backoff.next()
  backoff.reset()
  expect(Math.round(backoff.next())).toBe(20)
})

it('stays within the bounds for ever', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 1, max: 2_000 }), (random, tries) => {
      const backoff = createBackoff({ minMs: 1, maxMs: 50, random: () => random })
      for (let i = 0; i < tries; i++) {
        const wait = backoff.next()
        expect(wait >= 1 && wait <= 50).toBe(true)
      }
    }),
  )
})

it('spreads evenly between two bounds', () => {
  expect([0, 0.5, 0.75].map((random) => jitter(100, 200, () => random))).toEqual([100, 150, 175])
})
