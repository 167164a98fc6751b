import { expect, it } from 'vitest'
import { createWakeBudget } from './budget.ts'

const HOUR_MS = 60 * 60_000
const NOW = 1_700_000_000_000

it('allows so many within any hour, and then waits until the first of them is an hour old', () => {
  const budget = createWakeBudget(3, [])
  for (const at of [0, 10, 20]) {
    expect(budget.waitMs(NOW + at)).toBe(0)
    budget.spend(NOW + at)
  }
  expect(budget.waitMs(NOW + 30)).toBe(HOUR_MS - 30)
  expect(budget.waitMs(NOW + HOUR_MS)).toBe(0)
  budget.spend(NOW + HOUR_MS)
  expect(budget.waitMs(NOW + HOUR_MS)).toBe(10)
})

it('remembers what was spent before, and only that of the last hour', () => {
  const budget = createWakeBudget(2, [NOW - 1, NOW - HOUR_MS, NOW - 5])
  expect(budget.waitMs(NOW)).toBe(HOUR_MS - 5)
  expect(budget.spent).toEqual([NOW - 5, NOW - 1])
})

it('holds nobody for what a clock that was set has put into the future', () => {
  const budget = createWakeBudget(1, [NOW + 10 * HOUR_MS])
  expect(budget.waitMs(NOW)).toBe(0)
})
