import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openFlock } from '../../kit/node/flock.ts'
import { createQueue } from './queue.ts'

describe('the line of writers', () => {
  it('lets in one after the other, in order', async () => {
    const path = join(temporaryFolder(), 'x.db')
    const [first, second, third] = [createQueue(path), createQueue(path), createQueue(path)]
    const turn = await first.wait(1_000)
    const order: string[] = []
    const waiting = second.wait(1_000).then((next) => {
      order.push('second')
      next?.end()
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const last = third.wait(1_000).then((next) => {
      order.push('third')
      next?.end()
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(order).toEqual([])
    turn?.end()
    await Promise.all([waiting, last])
    expect(order).toEqual(['second', 'third'])
    expect(await first.wait(1_000)).toBeDefined()
  })

  it('is left by whoever stands behind a process that never moves, and not joined again soon', async () => {
    const path = join(temporaryFolder(), 'x.db')
    const holder = openFlock(`${path}-queue`)
    expect(await holder?.lock(1_000)).toBe(true)
    const queue = createQueue(path)
    expect(await queue.wait(60_000)).toBeUndefined()
    const startedAt = performance.now()
    expect(await queue.wait(60_000)).toBeUndefined()
    expect(performance.now() - startedAt).toBeLessThan(100)
    holder?.close()
  })

  it('is done without where its file cannot be made', async () => {
    const path = join(temporaryFolder(), 'missing', 'x.db')
    expect(await createQueue(path).wait(1_000)).toBeUndefined()
    expect(existsSync(`${path}-queue`)).toBe(false)
    mkdirSync(join(path, '..'))
    expect(await createQueue(path).wait(1_000)).toBeDefined()
  })
})
