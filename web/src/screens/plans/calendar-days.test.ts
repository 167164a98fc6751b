import { describe, expect, it } from 'vitest'
import { daysOf } from './calendar-days.ts'

const NOW = new Date(2026, 1, 18, 15).getTime()
const plan = { id: 'plan_1', name: 'a', agent: 'quinn', pausedAt: null, upcomingAt: [], lastRunAt: null }

describe('the days of a calendar', () => {
  it('begin with a Monday and are four weeks', () => {
    const days = daysOf([], NOW)
    expect(days).toHaveLength(28)
    expect(new Date(days[0]?.at ?? 0).getDay()).toBe(1)
    expect(days.filter(({ isToday }) => isToday)).toHaveLength(1)
    expect(days[2]?.isToday).toBe(true)
  })

  it('hold what fires on them, and what has', () => {
    const upcomingAt = [new Date(2026, 1, 19, 9).getTime(), new Date(2026, 1, 19, 8).getTime()]
    const days = daysOf([{ ...plan, upcomingAt, lastRunAt: new Date(2026, 1, 17, 9).getTime() }], NOW)
    expect(days[1]?.firings.map(({ isPast }) => isPast)).toEqual([true])
    expect(days[3]?.firings.map(({ at }) => new Date(at).getHours())).toEqual([8, 9])
  })

  it('are empty for a plan that is paused', () => {
    const days = daysOf([{ ...plan, pausedAt: 1, upcomingAt: [NOW + 1] }], NOW)
    expect(days.flatMap(({ firings }) => firings)).toEqual([])
  })
})
