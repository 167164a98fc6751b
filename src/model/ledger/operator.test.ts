import { describe, expect, it } from 'vitest'
import { formatOperatorId, parseOperatorId } from './operator.ts'

describe('operator_id', () => {
  it('names an inbound topic and an account', () => {
    const operator = { inboundTopicId: '0.0.789101', account: '0.0.123456' }
    expect(formatOperatorId(operator)).toBe('0.0.789101@0.0.123456')
    expect(parseOperatorId('0.0.789101@0.0.123456')).toEqual(operator)
  })

  it.each([
    '',
    '@',
    '0.0.1',
    '0.0.1@',
    '@0.0.1',
    '0.0.1@0.0.2@0.0.3',
    '0.0.1@quinn',
    ' 0.0.1@0.0.2',
    '0.0.1@0.0.2\n',
    '0.0.01@0.0.2',
    '@'.repeat(100_000),
    17,
    null,
    undefined,
    { inboundTopicId: '0.0.1' },
  ])('is nothing else: %j', (value) => {
    expect(parseOperatorId(value)).toBeUndefined()
  })
})
