import { describe, expect, it } from 'vitest'
import { ProtocolError } from './bytes.ts'
import { formatId, formatTransaction, laterBy, parseId, parseTime, parseTransaction, toTransactionId } from './names.ts'

describe('names on a ledger', () => {
  it('are read and written', () => {
    expect(parseId('0.0.1005')).toEqual({ shard: 0, realm: 0, number: 1005 })
    expect(formatId({ shard: 0, realm: 0, number: 1005 })).toBe('0.0.1005')
    const id = toTransactionId('0.0.2@1713898880.739044003')
    expect(id).toEqual({
      account: { shard: 0, realm: 0, number: 2 },
      validStart: { seconds: 1_713_898_880, nanos: 739_044_003 },
    })
    const account = { ...id.account, alias: undefined }
    expect(formatTransaction({ ...id, account, isScheduled: false, nonce: 0 })).toBe('0.0.2@1713898880.739044003')
  })

  it('are later by nanoseconds, over the second too', () => {
    expect(laterBy(1, '5.000000009')).toBe('5.000000010')
    expect(laterBy(3, '5.999999998')).toBe('6.000000001')
  })

  it.each(['', '0.0', '0.0.x', '0.0.1@', '-1.0.0'])('are refused: "%s"', (name) => {
    expect(() => parseId(name)).toThrow(ProtocolError)
    expect(() => parseTransaction(name)).toThrow(ProtocolError)
    expect(() => parseTime(name)).toThrow(ProtocolError)
  })

  it('are not made of an alias or of nothing', () => {
    expect(formatId({ shard: 0, realm: 0, number: 0, alias: Uint8Array.of(1) })).toBeUndefined()
    expect(formatId(undefined)).toBeUndefined()
    expect(formatTransaction(undefined)).toBeUndefined()
  })
})
