import { describe, expect, it } from 'vitest'
import { fromWire, toWire } from './wire-json.ts'

const inside = {
  id: 'gate_1',
  createdAt: 0,
  closedAt: null,
  upcomingAt: [0, 60_000],
  steps: [{ at: 1, step: 'made' }],
  idleSince: 2,
  waitMs: 5,
  payload: { createdAt: 7 },
  consensusAt: '1713898880.739044003',
}

describe('answers as they leave a door', () => {
  it('have times as ISO 8601, and everything else as it is', () => {
    expect(toWire(inside)).toEqual({
      ...inside,
      createdAt: '1970-01-01T00:00:00.000Z',
      upcomingAt: ['1970-01-01T00:00:00.000Z', '1970-01-01T00:01:00.000Z'],
      steps: [{ at: '1970-01-01T00:00:00.001Z', step: 'made' }],
      idleSince: '1970-01-01T00:00:00.002Z',
    })
  })

  it('are what they were when they have come back', () => {
    expect(fromWire(JSON.parse(JSON.stringify(toWire(inside))))).toEqual(inside)
  })
})
