import { describe, expect, it } from 'vitest'
import type { ParcelStep } from './parcel.ts'
import { formatDollars, fromDollars, priceOfSteps, priceOfSubmission, priceOfTopic, toDollars } from './price.ts'

describe('the price', () => {
  it('of a submission is flat up to 100 bytes and then grows by the byte', () => {
    expect(formatDollars(priceOfSubmission(0))).toBe('0.00017')
    expect(formatDollars(priceOfSubmission(100))).toBe('0.00017')
    expect(formatDollars(priceOfSubmission(101))).toBe('0.00017068')
    expect(toDollars(priceOfSubmission(1024))).toBeCloseTo(0.0008, 5)
  })

  it('counts every chunk as a submission of its own', () => {
    expect(priceOfSubmission(1025)).toBe(priceOfSubmission(1024) + priceOfSubmission(1))
    expect(priceOfSubmission(3 * 1024)).toBe(3 * priceOfSubmission(1024))
  })

  it('counts the memo of a transaction', () => {
    expect(priceOfSubmission(90, 'hcs-10:op:6:3')).toBe(priceOfSubmission(103))
  })

  it('of a topic grows with its keys', () => {
    expect([0, 1, 2].map((keys) => formatDollars(priceOfTopic(keys)))).toEqual(['0.01', '0.02', '0.03'])
  })

  it('of steps is that of all of them', () => {
    const topic = { kind: 'topic', name: 'file', memo: '', role: 'file', agent: null, entity: null } as const
    const steps: ParcelStep[] = [
      { ...topic, adminKey: null, submitKey: 'account:0.0.2' },
      { kind: 'submission', topicId: '{file}', text: 'é'.repeat(60), memo: '', mayChunk: false },
      { kind: 'memo', account: '0.0.2', memo: 'hcs-11:hcs://1/{file}' },
    ]
    expect(priceOfSteps(steps)).toBe(priceOfTopic(1) + priceOfSubmission(120) + 220_000)
    expect(priceOfSteps([])).toBe(0)
  })
})

describe('dollars', () => {
  it('are shown with all the digits that count, and at least two', () => {
    expect([0, 1, 1_500_000_000, 12_000_000_000, 798_320].map(formatDollars)).toEqual([
      '0.00',
      '0.000000001',
      '1.50',
      '12.00',
      '0.00079832',
    ])
  })

  it('are counted in billionths without loss', () => {
    expect([0, 0.00017, 0.1 + 0.2, 1.5].map(fromDollars)).toEqual([0, 170_000, 300_000_000, 1_500_000_000])
    expect(toDollars(1_500_000_000)).toBe(1.5)
  })
})
