import { describe, expect, it } from 'vitest'
import { afterCopies, afterThisTurn, ringLater } from './later.ts'
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
])('a wire that rings %s', (_, later) => {
  it('rings once what many ring within a moment', async () => {
    const wire = new Ringing()
    const ringing = ringLater(wire, later)
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
    const ringing = ringLater(wire, later)
    const outcomes = await Promise.allSettled([ringing.ring(['quinn']), ringing.ring(['mindy'])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

it('rings what it still has before it is closed', async () => {
  const wire = new Ringing()
  const never = () => () => {}
  const ringing = ringLater(wire, never)
  const rung = ringing.ring(['quinn'])
  await ringing.close()
  await rung
  expect(wire).toMatchObject({ rung: [['quinn']], isClosed: true })
  await ringing.close()
})
