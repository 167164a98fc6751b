import { describe, expect, it } from 'vitest'
import { checkHistory, type HistoryEvent } from '../helpers/history.ts'

const pushed = (...keys: string[]): HistoryEvent[] =>
  keys.flatMap((key) => [
    { kind: 'attempted', key, by: 'writer' },
    { kind: 'acknowledged', key, by: 'writer' },
  ])
const shown = (key: string, by = 'drainer', attempt = 1): HistoryEvent => ({ kind: 'shown', key, by, attempt })
const confirmed = (key: string, by = 'drainer'): HistoryEvent => ({ kind: 'confirmed', key, by })
const crashed = (by = 'drainer'): HistoryEvent => ({ kind: 'crashed', by })

describe('the history checker', () => {
  it('finds nothing wrong where everything was shown once', () => {
    const verdict = checkHistory([...pushed('a', 'b'), shown('a'), shown('b'), confirmed('a'), confirmed('b')])
    expect(verdict).toMatchObject({ isSound: true, acknowledged: 2, shown: 2, repeated: 0 })
  })

  it('finds what was acknowledged and never shown', () => {
    expect(checkHistory([...pushed('a', 'b'), shown('a')])).toMatchObject({ isSound: false, lost: ['b'] })
  })

  it('misses nothing that still waits or that was never acknowledged', () => {
    const attempted: HistoryEvent = { kind: 'attempted', key: 'b', by: 'writer' }
    expect(checkHistory([...pushed('a'), attempted, { kind: 'waiting', key: 'a' }]).isSound).toBe(true)
  })

  it('finds what was shown twice by processes that lived', () => {
    const twice = [...pushed('a'), shown('a'), confirmed('a'), shown('a', 'other', 2)]
    expect(checkHistory(twice)).toMatchObject({ isSound: false, duplicate: ['a'] })
  })

  it('finds a repetition after a confirmation even where the first to show it died later', () => {
    const again = [...pushed('a'), shown('a'), confirmed('a'), crashed(), shown('a', 'other', 2)]
    expect(checkHistory(again).duplicate).toEqual(['a'])
  })

  it('accepts a repetition after a crash, but only with the next attempt', () => {
    const crash = [...pushed('a'), shown('a'), crashed()]
    expect(checkHistory([...crash, shown('a', 'other', 2)])).toMatchObject({ isSound: true, repeated: 1 })
    expect(checkHistory([...crash, shown('a', 'other', 1)]).duplicate).toEqual(['a'])
  })

  it('accepts a repetition of what was shown too late to be confirmed', () => {
    const late: HistoryEvent[] = [...pushed('a'), shown('a'), { kind: 'refused', key: 'a', by: 'drainer' }]
    expect(checkHistory([...late, shown('a', 'other', 2)]).isSound).toBe(true)
  })

  it('finds what waits again although it was confirmed', () => {
    const waiting: HistoryEvent = { kind: 'waiting', key: 'a' }
    expect(checkHistory([...pushed('a'), shown('a'), confirmed('a'), waiting]).duplicate).toEqual(['a'])
  })

  it('finds what nobody pushed', () => {
    expect(checkHistory([...pushed('a'), shown('a'), shown('b')])).toMatchObject({ isSound: false, phantom: ['b'] })
  })

  it("finds what one process showed out of its writer's order", () => {
    const verdict = checkHistory([...pushed('a', 'b', 'c'), shown('b'), shown('a'), shown('c')])
    expect(verdict).toMatchObject({ isSound: false, reordered: ['a'] })
  })

  it('finds a message that waits although a later one of its writer was shown', () => {
    const waiting: HistoryEvent[] = [
      { kind: 'waiting', key: 'a' },
      { kind: 'waiting', key: 'c' },
    ]
    expect(checkHistory([...pushed('a', 'b', 'c'), shown('b'), ...waiting]).skipped).toEqual(['a'])
  })

  it('finds what is shown again after its reader has acknowledged it', () => {
    const acked: HistoryEvent = { kind: 'acked', key: 'a', by: 'drainer' }
    const again = [...pushed('a'), shown('a'), acked, crashed(), shown('a', 'other', 2)]
    expect(checkHistory(again).duplicate).toEqual(['a'])
  })

  it('expects no order between processes, between writers or after a crash', () => {
    const other: HistoryEvent = { kind: 'attempted', key: 'x', by: 'other' }
    const events = [
      ...pushed('a', 'b', 'c'),
      other,
      shown('x'),
      shown('c'),
      shown('b', 'second'),
      shown('a', 'drainer', 2),
    ]
    expect(checkHistory(events).reordered).toEqual([])
  })
})
