import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMsgId, nextMsgId, parseMsgId } from './msg-id.ts'

const NOW = Date.parse('2026-02-05T12:34:56.123Z')

describe('an id', () => {
  it('has the form of the seed', () => {
    const at = BigInt(NOW) * 1_000_000n + 456_789n
    expect(formatMsgId({ at, pid: 1234, count: 1 })).toBe('MSG-20260205-123456-123456789-PID01234-0001')
    expect(formatMsgId({ at: 0n, pid: 4_194_304, count: 12_345 })).toBe(
      'MSG-19700101-000000-000000000-PID4194304-12345',
    )
  })

  it('tells when and by whom it was made', () => {
    expect(parseMsgId('MSG-20260205-123456-123456789-PID01234-0001')).toEqual({
      time: '20260205123456123456789',
      pid: 1234,
      count: 1,
    })
  })

  it.each([
    'LEGACY-LINE-7',
    'MSG-20260205-123456-123456789-PID01234-0001x',
    'MSG-20260205-123456-12345678-PID01234-0001',
    'MSG-20261305-123456-123456789-PID01234-0001',
    'MSG-20260231-123456-123456789-PID01234-0001',
    'MSG-20260205-126156-123456789-PID01234-0001',
    'msg-20260205-123456-123456789-pid01234-0001',
    '',
  ])('is not %j', (text) => {
    expect(parseMsgId(text)).toBeUndefined()
  })
})

describe('the next id', () => {
  it('has the time of the clock', () => {
    expect(nextMsgId(undefined, NOW, 7, 3)).toBe('MSG-20260205-123456-123000000-PID00007-0003')
    expect(nextMsgId('MSG-20260205-123456-122999999-PID01234-0001', NOW, 7, 3)).toBe(
      'MSG-20260205-123456-123000000-PID00007-0003',
    )
    expect(nextMsgId('LEGACY-LINE-7', NOW + 0.5, 7, 3)).toBe('MSG-20260205-123456-123500000-PID00007-0003')
  })

  it('is a nanosecond later where the clock is behind', () => {
    const last = 'MSG-20261231-235959-999999999-PID01234-0001'
    expect(nextMsgId(last, NOW, 7, 3)).toBe('MSG-20270101-000000-000000000-PID00007-0003')
    expect(nextMsgId('MSG-20260205-123456-123000000-PID99999-9999', NOW, 7, 3)).toBe(
      'MSG-20260205-123456-123000001-PID00007-0003',
    )
  })

  it('is always later, whatever clocks do', () => {
    const clock = fc.array(fc.integer({ min: NOW - 5, max: NOW + 5 }), { minLength: 2 })
    fc.assert(
      fc.property(clock, fc.integer({ min: 1, max: 4_194_304 }), (times, pid) => {
        let last: string | undefined
        for (const [count, now] of times.entries()) {
          const next = nextMsgId(last, now, pid, count)
          const before = last === undefined ? '' : (parseMsgId(last)?.time ?? '')
          expect((parseMsgId(next)?.time ?? '') > before).toBe(true)
          last = next
        }
      }),
    )
  })

  it('goes by the clock where nothing can be later', () => {
    const last = 'MSG-99991231-235959-999999999-PID01234-0001'
    expect(nextMsgId(last, NOW, 7, 3)).toBe('MSG-20260205-123456-123000000-PID00007-0003')
  })
})
