import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30 * SECOND],
    ['10m', 10 * MINUTE],
    ['1h30m', 90 * MINUTE],
    ['1h 30m', 90 * MINUTE],
    ['1.5h', 90 * MINUTE],
    ['2d', 2 * DAY],
    ['1w', 7 * DAY],
    ['5 hours', 5 * HOUR],
    ['5 Hours', 5 * HOUR],
    ['90 minutes', 90 * MINUTE],
    ['1 hour 5 minutes', 65 * MINUTE],
    ['1 day', DAY],
    [' 1 day ', DAY],
    ['0s', 0],
    ['PT5H', 5 * HOUR],
    ['P1DT2H', 26 * HOUR],
    ['P2W', 14 * DAY],
    ['PT0.5S', 500],
  ])('takes %j', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    ...['', ' ', '5', '0', '-5m', '+5m', '5x', 'm', 'five minutes', '1h-30m', '1h30', '1h,30m', '1e3s', '.5h', '5 m m'],
    ...[
      '1 month',
      '3 months',
      '1y',
      '2 years',
      '5M',
      '1mo',
      'P1M',
      'P1Y',
      'P',
      'PT',
      'P1D T2H',
      'P1DT',
      'PT1H1D',
      'P1H',
      'PT5H 3m',
    ],
    ...['1m1h', '1h1h', '1h  30m', '1h\n30m', '99999999999999999w', '１h', '1h '.repeat(34)],
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })

  it('never throws, and gives a whole number that is not negative or nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^P?[0-9. T]*[a-zA-Z0-9 ]*$/)), (text) => {
        const ms = parseDuration(text)
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true)
      }),
    )
  })
})

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [12, '<0.1s'],
    [200, '0.2s'],
    [1_250, '1.3s'],
    [9_990, '10s'],
    [45 * SECOND, '45s'],
    [59_700, '1m'],
    [90 * MINUTE, '1h 30m'],
    [HOUR, '1h'],
    [HOUR + 5 * SECOND, '1h'],
    [59 * MINUTE + 59_800, '1h'],
    [26 * HOUR, '1d 2h'],
    [-90 * SECOND, '-1m 30s'],
  ])('writes %d as %j', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  it('writes what parseDuration takes, within a tenth of the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 400 * DAY }), (ms) => {
        const back = parseDuration(formatDuration(ms)) ?? Number.NaN
        expect(Math.abs(back - ms)).toBeLessThanOrEqual(ms / 10)
      }),
    )
  })
})
