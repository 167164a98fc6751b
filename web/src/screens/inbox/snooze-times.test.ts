import { describe, expect, it } from 'vitest'
import { snoozeTimes } from './snooze-times.ts'

describe('the times of a snooze', () => {
  it('lie ahead, in order', () => {
    for (let hour = 0; hour < 24 * 7; hour++) {
      const now = new Date(2026, 1, 16, hour, 30)
      const times = snoozeTimes(now).map(({ at }) => at)
      expect(times[0]).toBe(now.getTime() + 3_600_000)
      expect(times).toEqual([...times].sort((one, other) => one - other))
    }
  })

  it('do not offer an evening that is over', () => {
    expect(snoozeTimes(new Date(2026, 1, 18, 20)).map(({ words }) => words)).toEqual([
      'in an hour',
      'tomorrow morning',
      'Monday morning',
      'in a week',
    ])
  })
})
