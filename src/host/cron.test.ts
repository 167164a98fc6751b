import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../model/errors.ts'
import { createRecurrences } from './cron.ts'

const NOW = Date.parse('2026-01-15T09:00:00Z')
const { parse, parseZone, next } = createRecurrences()

function instants(cron: string, zone: string, from: string, count: number): string[] {
  const found: string[] = []
  for (let at = Date.parse(from); found.length < count; ) {
    at = next({ cron, zone }, at) ?? expect.fail(`${cron} ends`)
    found.push(new Date(at).toISOString().replace('.000', ''))
  }
  return found
}

function refusal(act: () => unknown): { readonly code: ErrorCode; readonly message: string } {
  try {
    act()
  } catch (error) {
    return error as { code: ErrorCode; message: string }
  }
  return expect.fail('it was not refused')
}

describe('a cron expression', () => {
  it('tells its instants in its zone, each after the other', () => {
    expect(instants('0 9 * * 1', 'Europe/Berlin', '2026-03-20T00:00:00Z', 3)).toEqual([
      '2026-03-23T08:00:00Z',
      '2026-03-30T07:00:00Z',
      '2026-04-06T07:00:00Z',
    ])
    expect(next({ cron: '0 9 * * *', zone: 'UTC' }, NOW)).toBe(NOW + 86_400_000)
    expect(next({ cron: '0 9 * * *', zone: 'UTC' }, NOW - 1)).toBe(NOW)
    expect(next({ cron: '0 9 * * *', zone: 'UTC' }, NOW + 999)).toBe(NOW + 86_400_000)
  })

  it.each([
    ['60 * * * *', 'the minute "60" is wrong; it takes 0 to 59'],
    ['0 24 * * *', 'the hour "24" is wrong; it takes 0 to 23'],
    ['0 9 32 * *', 'the day of the month "32" is wrong; it takes 1 to 31'],
    ['* * * 13 *', 'the month "13" is wrong; it takes 1 to 12, or JAN to DEC'],
    ['* * * 0 *', 'the month "0" is wrong; it takes 1 to 12, or JAN to DEC'],
    ['0 9 * * 8', 'the day of the week "8" is wrong; it takes 0 to 7, or SUN to SAT'],
  ])('says which field is wrong, and counts it as its writer does: %s', (cron, reason) => {
    expect(refusal(() => parse({ cron, zone: 'UTC' }, NOW)).message).toContain(reason)
  })

  it('fires once at the end of the gap where its time is skipped', () => {
    expect(instants('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-30T00:30:00Z',
    ])
    expect(instants('15 2 * * *', 'America/New_York', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:00:00Z',
      '2026-03-09T06:15:00Z',
    ])
  })

  it('fires once where its hour is repeated', () => {
    expect(instants('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ])
    expect(instants('15 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:15:00Z',
      '2026-11-02T06:15:00Z',
    ])
  })

  it('goes on every so many minutes through both', () => {
    expect(instants('*/30 * * * *', 'Europe/Berlin', '2026-03-29T00:15:00Z', 3)).toEqual([
      '2026-03-29T00:30:00Z',
      '2026-03-29T01:00:00Z',
      '2026-03-29T01:30:00Z',
    ])
    expect(instants('*/30 * * * *', 'America/New_York', '2026-11-01T05:15:00Z', 4)).toEqual([
      '2026-11-01T05:30:00Z',
      '2026-11-01T06:00:00Z',
      '2026-11-01T06:30:00Z',
      '2026-11-01T07:00:00Z',
    ])
  })

  it('comes on leap days, within five years', () => {
    expect(instants('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T00:00:00Z',
      '2032-02-29T00:00:00Z',
    ])
    expect(refusal(() => parse({ cron: '0 0 29 2 *', zone: 'UTC' }, Date.parse('2096-03-01T00:00:00Z')))).toMatchObject(
      {
        code: 'CRON_INVALID',
      },
    )
  })

  it.each([
    '30 2 * * *',
    '*/20 1-3 * * *',
    '0 9 * * 1',
    '59 23 L * *',
    '0 12 13 * 5',
  ])('has the same instants from wherever it is asked: %s', (cron) => {
    for (const [zone, from] of [
      ['Europe/Berlin', '2026-03-27T00:00:00Z'],
      ['Europe/Berlin', '2026-10-23T00:00:00Z'],
      ['America/New_York', '2026-03-06T00:00:00Z'],
      ['America/New_York', '2026-10-30T00:00:00Z'],
    ] as const) {
      const start = Date.parse(from)
      const expected: number[] = []
      for (let at = start; at <= start + 6 * 86_400_000; ) {
        at = next({ cron, zone }, at) ?? expect.fail('it ends')
        expected.push(at)
      }
      for (let at = start; at < start + 6 * 86_400_000; at += 7 * 60_000) {
        expect(next({ cron, zone }, at)).toBe(expected.find((each) => each > at))
      }
    }
  })

  it('is kept as five fields with one space between them', () => {
    expect(parse({ cron: '  0   9 *\t* mon-fri ', zone: 'europe/berlin' }, NOW)).toEqual({
      cron: '0 9 * * mon-fri',
      zone: 'Europe/Berlin',
    })
  })

  it.each([
    ['@hourly', '0 * * * *'],
    ['@Daily', '0 0 * * *'],
    ['@weekly', '0 0 * * 0'],
    ['@monthly', '0 0 1 * *'],
    ['@yearly', '0 0 1 1 *'],
  ])('may be called %s', (name, cron) => {
    expect(parse({ cron: name, zone: 'UTC' }, NOW).cron).toBe(cron)
  })

  it.each([
    ['', 'nothing'],
    ['* * * *', 'too few fields'],
    ['* * * * * *', 'seconds'],
    ['0 0 9 * * 1 2027', 'a year'],
    ['@reboot', 'an event'],
    ['@daily @daily', 'two names'],
    ['*/0 * * * *', 'no step'],
    ['*/61 * * * *', 'a step that never ends'],
    ['60 * * * *', 'a minute that is none'],
    ['* 24 * * *', 'an hour that is none'],
    ['* * 0 * *', 'a day that is none'],
    ['* * * 13 *', 'a month that is none'],
    ['* * * * 8', 'a day of the week that is none'],
    ['5-1 * * * *', 'a range that goes back'],
    ['1,,2 * * * *', 'an empty part'],
    ['? ? * * *', 'what depends on when it is read'],
    ['2026-02-20T10:00:00Z', 'a date'],
    ['0 9 * * 1\n0 9 * * 2', 'two lines'],
    ['a b c d e', 'words'],
    ['0 0 31 2 *', 'a day that never comes'],
    ['0 0 31 2,4,6,9,11 *', 'days that never come'],
    ['0 0 30 FEB *', 'a day that never comes, by name'],
    ['* '.repeat(2_500), 'five kilobytes'],
    [`${'1,'.repeat(2_500)}1 * * * *`, 'five kilobytes in one field'],
    [`*/${'9'.repeat(190)} * * * *`, 'an endless number'],
  ])('is refused, soon and with a reason: %s (%s)', (cron) => {
    const { code, message } = refusal(() => parse({ cron, zone: 'UTC' }, NOW))
    expect(code).toBe('CRON_INVALID')
    expect(message.length).toBeLessThan(600)
  })

  it.each([
    ['', 'is empty: it has 0 fields.'],
    ['hourly', '"hourly" is not valid: it has 1 field.'],
    ['* * * *', '"* * * *" is not valid: it has 4 fields.'],
  ])('says how many fields it has: %s', (cron, said) => {
    expect(refusal(() => parse({ cron, zone: 'UTC' }, NOW)).message).toBe(`The cron expression ${said}`)
  })
})

describe('a zone', () => {
  it.each([
    ['UTC', 'UTC'],
    ['europe/berlin', 'Europe/Berlin'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('is a name of the list: %s', (written, zone) => {
    expect(parseZone(written)).toBe(zone)
  })

  it.each([
    '',
    'Mars/Olympus',
    '+02:00',
    'Europe/../Berlin',
    'Europe/Berlin\0',
    'x'.repeat(5_000),
  ])('is refused where nobody knows it: %j', (zone) => {
    expect(refusal(() => parseZone(zone)).code).toBe('ZONE_UNKNOWN')
    expect(refusal(() => parse({ cron: '0 9 * * 1', zone }, NOW)).code).toBe('ZONE_UNKNOWN')
  })
})
