import { expect } from 'vitest'
import type { MetricSeries } from '../../../src/model/metrics.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused, show, tell } from '../suite.ts'

const MINUTE_MS = 60_000
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Every list has a value for every step. */
function expectEven({ at, pushed, pending, oldestMs, seenMs, hookMs, redelivered, tokens }: MetricSeries): void {
  const lists = [pushed, ...pending, oldestMs, seenMs.p50, seenMs.p95, hookMs.p50, hookMs.p95, redelivered]
  for (const list of [...lists, ...tokens.map(({ shown }) => shown)]) expect(list).toHaveLength(at.length)
  expect(at.length).toBeLessThanOrEqual(120)
}

conformance('metrics', ({ rule, open }) => {
  rule('tell of an empty store that nothing has happened', async () => {
    const { postern, now } = await open({ agents: [] })
    for (const window of ['hour', 'day', 'week'] as const) {
      const series = await postern.metrics.series({ window })
      expectEven(series)
      expect(series).toMatchObject({ window, isPartial: false, tokens: [] })
      expect(sum(series.pushed)).toBe(0)
      expect(series.at.at(-1)).toBeLessThanOrEqual(now())
      expect((series.at.at(-1) ?? 0) + series.stepMs).toBeGreaterThan(now())
    }
  })

  rule('tell when messages were pushed, how many waited and for how long, and when they were seen', async () => {
    verifies('page.metrics')
    const { postern, advance } = await open({ agents: ['quinn', 'mindy'] })
    await postern.inbox.push({ to: ['quinn', 'mindy'], content: 'x'.repeat(350), priority: 1 })
    advance(10 * MINUTE_MS)
    await tell(postern, 'quinn', 'another')
    advance(MINUTE_MS)
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.confirm({ offerId, evidence: 'read' })
    advance(MINUTE_MS)
    const series = await postern.metrics.series()
    expectEven(series)
    expect([series.pushed.at(-13), series.pushed.at(-3), sum(series.pushed)]).toEqual([1, 1, 2])
    expect(series.pending.map((row) => [row.at(-13), row.at(-3), row.at(-1)])).toEqual([
      [0, 0, 0],
      [2, 2, 1],
      [0, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect(series.oldestMs.at(-14)).toBeNull()
    expect(series.oldestMs.at(-1)).toBe(12 * MINUTE_MS)
    expect([series.seenMs.p50.at(-2), series.seenMs.p95.at(-2)]).toEqual([MINUTE_MS, 11 * MINUTE_MS])
    expect(series.tokens).toMatchObject([{ agent: 'quinn' }])
    expect(sum(series.tokens[0]?.shown ?? [])).toBe(100 + 2)
  })

  rule('count what has to be shown again, and how long sessions took to print', async () => {
    const { postern, advance } = await open()
    await tell(postern, 'quinn', 'one')
    const { offer } = await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses_1' })
    advance(40)
    await postern.inbox.printed({ offerId: offer?.id ?? '' })
    await postern.inbox.release({ offerId: offer?.id ?? '', reason: 'the window was closed' })
    const series = await postern.metrics.series({ window: 'day' })
    expect(series.redelivered.at(-1)).toBe(1)
    expect(series.hookMs.p50.at(-1)).toBe(40)
  })

  rule('know what waits since before they begin, and nothing else of that time', async () => {
    const { postern, advance } = await open()
    await tell(postern, 'quinn', 'old')
    advance(3 * 60 * MINUTE_MS)
    const series = await postern.metrics.series()
    expect(sum(series.pushed)).toBe(0)
    expect(series.pending[2]?.every((count) => count === 1)).toBe(true)
    expect(series.oldestMs.at(-1)).toBe(3 * 60 * MINUTE_MS)
  })

  rule('take only the windows there are', async () => {
    const { postern } = await open({ agents: [{ id: 'justin', kind: 'human' }] })
    const justin = postern.as(caller('justin', 'human'))
    await refused(justin.metrics.series({ window: 'year' as 'week' }), 'VALUE_INVALID')
  })
})
