import { describe, expect, it } from 'vitest'
import { ringLater } from './later.ts'
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

describe('a wire that rings later', () => {
  it('rings once what many ring within a moment', async () => {
    const wire = new Ringing()
    const later = ringLater(wire)
    const rings = [later.ring(['quinn']), later.ring(['mindy', 'quinn'])]
    expect(wire.rung).toEqual([])
    await Promise.all(rings)
    expect(wire.rung).toEqual([['quinn', 'mindy']])
    await later.ring(['quinn'])
    expect(wire.rung).toHaveLength(2)
    expect(later.lastRungAt('quinn')).toBe(2)
    expect(await later.health()).toEqual({ isUp: true, detail: '2' })
  })

  it('tells everybody who rang that it could not', async () => {
    const wire = new Ringing()
    wire.failure = new Error('it is away')
    const later = ringLater(wire)
    const outcomes = await Promise.allSettled([later.ring(['quinn']), later.ring(['mindy'])])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('rings what it still has before it is closed', async () => {
    const wire = new Ringing()
    const later = ringLater(wire, 60_000)
    const ringing = later.ring(['quinn'])
    await later.close()
    await ringing
    expect(wire).toMatchObject({ rung: [['quinn']], isClosed: true })
    await later.close()
  })
})
