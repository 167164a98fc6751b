import { describe, expect, it } from 'vitest'
import { reasonOf } from './reason-of.ts'

const addresses = [new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')]

describe('reasonOf', () => {
  it.each([
    ['the message of an error', new TypeError('no such thing'), 'no such thing'],
    ['text of whatever else was thrown', 'stop', 'stop'],
    ['text of undefined', undefined, 'undefined'],
    ['the message of an error with a cause', new Error('it failed', { cause: new Error('why') }), 'it failed'],
    [
      'the cause beneath "fetch failed"',
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
      'connect ECONNREFUSED',
    ],
    ['"fetch failed" without a cause', new TypeError('fetch failed'), 'fetch failed'],
    [
      'the reasons inside an aggregate without a message',
      new AggregateError(addresses),
      'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    ],
    ['the message of an aggregate that has one', new AggregateError(addresses, 'nobody answers'), 'nobody answers'],
    ['the code of an error without a message', Object.assign(new Error(''), { code: 'ECONNRESET' }), 'ECONNRESET'],
    ['the class of an error without a message', new RangeError(''), 'RangeError'],
    ['the class of an aggregate that holds nothing', new AggregateError([]), 'AggregateError'],
  ])('returns %s', (_, thrown, reason) => {
    expect(reasonOf(thrown)).toBe(reason)
  })
})
