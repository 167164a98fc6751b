import { describe, expect, it } from 'vitest'
import { createSemaphore } from './semaphore.ts'

describe('tasks that take turns', () => {
  it('run so many at once, in the order in which they came, whether they fail or not', async () => {
    const inTurn = createSemaphore(2)
    const begun: number[] = []
    const ends: (() => void)[] = []
    const tasks = [0, 1, 2, 3, 4].map((at) =>
      inTurn(async () => {
        begun.push(at)
        await new Promise<void>((resolve) => {
          ends[at] = resolve
        })
        if (at === 1) throw new Error('it failed')
        return at
      }).catch(String),
    )
    for (const at of [1, 0, 3, 2, 4]) {
      while (!ends[at]) await Promise.resolve()
      expect(begun.length - ends.filter((end) => end === done).length).toBeLessThanOrEqual(2)
      ends[at]()
      ends[at] = done
      await tasks[at]
    }
    expect(begun).toEqual([0, 1, 2, 3, 4])
    expect(await Promise.all(tasks)).toEqual([0, 'Error: it failed', 2, 3, 4])
  })
})

function done(): void {}
