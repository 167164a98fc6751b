import { describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../helpers/needs.ts'
import { createSignal } from '../../helpers/signal.ts'
import { ENGINES } from './makers.ts'

/** Each engine takes a quarter or half of a minute to notice it. */
describe('a connection that is dead without anybody saying so', { tags: ['long'] }, () => {
  for (const { name, programs, open } of ENGINES) {
    it(`is noticed by ${name}, and all who listen are rung over the next one`, needsPrograms(...programs), async () => {
      const world = await open()
      onTestFinished(() => world.destroy())
      const wire = world.create()
      onTestFinished(() => wire.close())
      const rung = createSignal<readonly string[]>()
      await wire.listen(['quinn'], rung.fire)
      world.engine?.stall()
      expect(await rung.fired).toEqual(['quinn'])
      await wire.ring(['quinn'])
      await rung.times(2)
    })
  }
})
