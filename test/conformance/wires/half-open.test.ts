import { describe, expect, it, onTestFinished } from 'vitest'
import { createSignal } from '../../helpers/signal.ts'
import { ENGINES } from './makers.ts'

/** To notice it takes a quarter or half of a minute for each of them. */
const isLong = process.env['POSTERN_LONG'] === '1'

describe.skipIf(!isLong)('a connection that is dead without anybody saying so', () => {
  it.each(ENGINES)('is noticed by $name, and all who listen are rung over the next one', async (maker) => {
    const world = await maker.open()
    onTestFinished(() => world?.destroy())
    // Whoever looked for its server has said that it is missing.
    if (!world?.engine) return
    const wire = world.create()
    onTestFinished(() => wire.close())
    const rung = createSignal<readonly string[]>()
    await wire.listen(['quinn'], rung.fire)
    world.engine.stall()
    expect(await rung.fired).toEqual(['quinn'])
    await wire.ring(['quinn'])
    await rung.times(2)
  })
})
