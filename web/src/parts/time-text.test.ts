import { describe, expect, it } from 'vitest'
import { formatBytes, formatRelative, formatShort, formatSpan } from './time-text.ts'

const NOW = Date.UTC(2026, 1, 20, 10)
const MINUTE = 60_000

describe('times as people read them', () => {
  it('names the largest unit', () => {
    expect([400, 45_000, 12 * MINUTE, 150 * MINUTE, 47 * 60 * MINUTE, 72 * 60 * MINUTE].map(formatSpan)).toEqual([
      '400 ms',
      '45 s',
      '12 min',
      '2 h',
      '47 h',
      '3 d',
    ])
  })

  it('says whether it was or will be', () => {
    expect(formatRelative(NOW - 1_000, NOW)).toBe('now')
    expect(formatRelative(NOW - 12 * MINUTE, NOW)).toBe('12 min ago')
    expect(formatRelative(NOW + 12 * MINUTE, NOW)).toBe('in 12 min')
    expect(formatShort(NOW - 12 * MINUTE, NOW)).toBe('12 min')
  })

  it('gives the date after a week, with the year where it is another', () => {
    expect(formatRelative(Date.UTC(2026, 0, 5, 12), NOW)).toBe('Jan 5')
    expect(formatRelative(Date.UTC(2025, 0, 5, 12), NOW)).toBe('Jan 5, 2025')
  })

  it('shortens bytes', () => {
    expect([0, 999, 1_500, 64_000, 2_500_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.5 KB', '64 KB', '2.5 MB'])
  })
})
