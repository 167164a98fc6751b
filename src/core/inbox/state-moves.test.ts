import { describe, expect, it } from 'vitest'
import { DELIVERY_MOVES, DELIVERY_STATES } from '../../model/delivery.ts'
import { mayMove } from './state-moves.ts'

describe('moves of a delivery', () => {
  it('allows what the table has, and the ack of what was only offered', () => {
    for (const from of DELIVERY_STATES)
      for (const to of DELIVERY_MOVES[from]) expect(mayMove([from], to)).toEqual([from])
    expect(mayMove(['seen', 'offered'], 'acted')).toEqual(['seen', 'offered'])
  })

  it('refuses every other move, also beside one that is allowed', () => {
    const anew = DELIVERY_STATES.filter((to) => to !== 'pending' && to !== 'held')
    for (const from of ['acted', 'expired', 'cancelled'] as const) {
      for (const to of from === 'acted' ? DELIVERY_STATES : anew) expect(() => mayMove([from], to)).toThrow(RangeError)
    }
    expect(() => mayMove(['pending', 'dead'], 'cancelled')).toThrow('from dead to cancelled')
    expect(() => mayMove(['pending'], 'acted')).toThrow(RangeError)
  })
})
