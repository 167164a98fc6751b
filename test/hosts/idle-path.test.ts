import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { installLauncher } from '../../src/hooks/install/install-launcher.ts'
import { DRIVERS, describeReal, makeScene, repeatedBy, type Scene } from './scene.ts'

describeReal.each(DRIVERS)('in $host', (driver) => {
  const work = { calls: [driver.callShell('true')] }

  test(
    'hooks that only deliver start no Node while nothing waits, and one as soon as something does',
    repeatedBy(driver),
    async () => {
      const scene = await makeScene(driver)
      const starts = countStarts(scene)
      const counts: number[] = []
      const count = () => {
        counts.push(starts())
        return work
      }
      await scene.run({
        steps: [
          count,
          count,
          count,
          async () => {
            count()
            await scene.push('something', 1)
            return work
          },
          () => {
            count()
            return { text: 'done' }
          },
          { text: 'done' },
        ],
      })
      const [first = 0, second, third, fourth, last = 0] = counts
      // The session's start has reached Node; prompts and tools since then have not.
      expect(first).toBe(1)
      expect([second, third, fourth]).toEqual([first, first, first])
      expect(last).toBeGreaterThan(first)
    },
  )
})

/** Puts a program between the launcher and the Node it has recorded, which writes a line for each start. */
function countStarts({ home }: Scene): () => number {
  const own = join(home, '.postern')
  const counter = join(home, 'counting-node')
  const log = join(home, 'starts')
  writeFileSync(log, '')
  writeFileSync(counter, `#!/bin/sh\necho "$*" >>'${log}'\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  const recorded = { program: inject('executable'), home: own }
  expect(installLauncher({ ...recorded, node: process.execPath }), 'is what was installed').toBe(false)
  installLauncher({ ...recorded, node: counter })
  // A watcher in the background is no hook that delivers.
  const isHook = (line: string) => line !== '' && !line.includes('--rewake')
  return () => readFileSync(log, 'utf8').split('\n').filter(isHook).length
}
