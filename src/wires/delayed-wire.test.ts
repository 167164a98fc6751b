import { describe, expect, it } from 'vitest'
import { afterCopies, afterMoment, afterThisTurn, delayRings, delayRingsOf } from './delayed-wire.ts'
import type { Wire } from './wire.ts'

/** Remembers what it rang. */
class Ringing implements Wire {
  readonly rung: (readonly string[])[] = []
  failure: Error | undefined
  isClosed = false
  ring(names: readonly string[]): void {
    if (this.failure) throw this.failure
    this.rung.push(names)
  }
  listen() {
    return Promise.resolve({ close() {} })
  }
  lastRungAt() {
    return this.rung.length
  }
  health() {
    return Promise.resolve({ isUp: true, detail: String(this.rung.length) })
  }
  close() {
    this.isClosed = true
  }
}

describe.each([
  ['once copies have gone', afterCopies],
  ['once this turn is over', afterThisTurn],
  ['after a moment', afterMoment],
])('a wire that rings %s', (_, later) => {
  it('rings once what many ring within a moment', async () => {
    const wire = new Ringing()
    const ringing = delayRings(wire, later)
    const rings = [ringing.ring(['quinn']), ringing.ring(['mindy', 'quinn'])]
    expect(wire.rung).toEqual([])
    await Promise.all(rings)
    expect(wire.rung).toEqual([['quinn', 'mindy']])
    await ringing.ring(['quinn'])
    expect(wire.rung).toHaveLength(2)
    expect(ringing.lastRungAt('quinn')).toBe(2)
    expect(await ringing.health()).toEqual({ isUp: true, detail: '2' })
  })

  it('tells everybody who rang that it could not', async () => {
    const wire = new Ringing()
    wire.failure = new Error('it is away')
    const ringing = delayRings(wire, later)
    const outcomes = await Promise.allSettled([ringing.ring(['quinn']), ringing.ring(['mindy'])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

it('rings what it still has before it is closed', async () => {
  const wire = new Ringing()
  const never = () => () => {}
  const ringing = delayRings(wire, never)
  const rung = ringing.ring(['quinn'])
  await ringing.close()
  await rung
  expect(wire).toMatchObject({ rung: [['quinn']], isClosed: true })
  await ringing.close()
})

describe('a wire on which one name may wait', () => {
  it('rings the others at once, and that name once for many', async () => {
    const wire = new Ringing()
    const ringing = delayRingsOf(wire, '@events', afterMoment)
    const rings = [ringing.ring(['quinn', '@events']), ringing.ring(['mindy', '@events'])]
    expect(wire.rung).toEqual([['quinn'], ['mindy']])
    await Promise.all(rings)
    expect(wire.rung).toEqual([['quinn'], ['mindy'], ['@events']])
  })

  it('tells whoever rang that any of it could not be rung', async () => {
    const wire = new Ringing()
    const ringing = delayRingsOf(wire, '@events', afterMoment)
    const rung = ringing.ring(['quinn', '@events'])
    wire.failure = new Error('it is away')
    await expect(rung).rejects.toThrow('it is away')
  })

  it('rings what still waits before it is closed', async () => {
    const wire = new Ringing()
    const ringing = delayRingsOf(wire, '@events', () => () => {})
    const rung = ringing.ring(['@events'])
    await ringing.close()
    await rung
    expect(wire.rung).toContainEqual(['@events'])
    expect(wire.isClosed).toBe(true)
  })
})
