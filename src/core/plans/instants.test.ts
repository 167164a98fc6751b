import { describe, expect, it } from 'vitest'
import type { MissedPolicy } from '../../model/sources/plan.ts'
import { dueInstants, MOST_AT_ONCE, type Next } from './instants.ts'

const MINUTE_MS = 60_000
const NOW = 1_000_000 * MINUTE_MS

/** Instants at the given minutes. */
function at(...minutes: readonly number[]): Next {
  return (after) => minutes.map((minute) => minute * MINUTE_MS).find((instant) => instant > after)
}

const due = (missed: MissedPolicy, next: Next, first: number, now: number) =>
  dueInstants({ nextRunAt: first, missed, cron: '', gateId: null }, next, { now, most: MOST_AT_ONCE })

describe('the latest of missed instants', () => {
  it('is what a look at each of them finds', () => {
    for (let round = 0; round < 200; round++) {
      const minutes = Array.from({ length: 30 }, () => Math.floor(Math.random() * 500)).toSorted((a, b) => a - b)
      const first = (minutes[0] ?? 0) * MINUTE_MS
      const now = first + Math.floor(Math.random() * 500 * MINUTE_MS)
      const { instants, nextRunAt } = due('once', at(...minutes), first, now)
      const all = minutes.map((minute) => minute * MINUTE_MS)
      expect(instants).toEqual([all.findLast((instant) => instant <= now)])
      expect(nextRunAt).toBe(all.find((instant) => instant > now) ?? null)
    }
  })

  it('is found in few steps', () => {
    let looks = 0
    const everyMinute: Next = (after) => {
      looks++
      return (Math.floor(after / MINUTE_MS) + 1) * MINUTE_MS
    }
    expect(due('once', everyMinute, MINUTE_MS, NOW).instants).toEqual([NOW])
    expect(looks).toBeLessThan(60)
  })
})

describe('what comes after what is due', () => {
  it.each(['once', 'skip', 'all'] as const)('is never what has come before: %s', (missed) => {
    for (const now of [10, 11, 12, 15, 60].map((minute) => minute * MINUTE_MS)) {
      const { instants, nextRunAt } = due(missed, at(10, 11, 13, 60, 61), 10 * MINUTE_MS, now)
      for (const instant of instants) expect(instant).toBeLessThanOrEqual(now)
      expect(nextRunAt).toBeGreaterThan(now)
    }
  })

  it('is nothing where nothing is due', () => {
    expect(due('once', at(20), 20 * MINUTE_MS, 19 * MINUTE_MS)).toEqual({ instants: [], nextRunAt: 20 * MINUTE_MS })
  })
})
