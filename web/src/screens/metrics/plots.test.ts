import { describe, expect, it } from 'vitest'
import type { MetricSeries } from '../../../../src/model/metrics.ts'
import { figuresOf, plotsOf, stack } from './plots.ts'

const SERIES: MetricSeries = {
  window: 'hour',
  stepMs: 60_000,
  at: [60_000, 120_000],
  pushed: [2, 3],
  pending: [
    [0, 1],
    [0, 0],
    [2, 4],
    [0, 0],
    [0, 0],
  ],
  oldestMs: [null, 90_000],
  seenMs: { p50: [1_500, null], p95: [9_000, null] },
  hookMs: { p50: [null, null], p95: [null, null] },
  redelivered: [0, 1],
  tokens: [{ agent: 'quinn', shown: [10, 20] }],
  isPartial: false,
}

describe('the plots', () => {
  it('have a value for every step', () => {
    for (const { at, lines } of plotsOf(SERIES)) {
      expect(at).toEqual([60, 120])
      for (const { values } of lines) expect(values).toHaveLength(2)
    }
  })

  it('leave out what has no line', () => {
    expect(plotsOf({ ...SERIES, tokens: [] }).map(({ title }) => title)).not.toContain('Tokens shown, each 1 min')
  })

  it('stack lines upon each other', () => {
    const lines = [
      { label: 'a', colour: '', values: [1, null] },
      { label: 'b', colour: '', values: [2, 3] },
    ]
    expect(stack(lines)).toEqual([
      [1, 0],
      [3, 3],
    ])
  })

  it('are told in figures first', () => {
    expect(Object.fromEntries(figuresOf(SERIES).map(({ name, value }) => [name, value]))).toEqual({
      pushed: '5',
      'not seen yet': '5',
      'oldest waits': '1 min',
      'push to seen, p50': '1 s',
      'push to seen, p95': '9 s',
      'shown again': '1',
      'tokens shown': '30',
    })
  })
})
