import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEAD_MACHINE_MS } from '../../../test/helpers/patience.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { openFlock } from '../../kit/node/native/flock.ts'
import { createQueue } from './queue.ts'

/** For tests in which every writer moves on, however slow the machine is. */
const PATIENT = { longestWaitMs: DEAD_MACHINE_MS, withoutMs: DEAD_MACHINE_MS }
/** For tests in which one never does. */
const IMPATIENT = { longestWaitMs: 50, withoutMs: DEAD_MACHINE_MS }

/** How many threads of the machine wait for the lock. */
function waitersOf(path: string): number {
  const inode = `:${statSync(`${path}-queue`).ino} `
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.includes('-> FLOCK') && line.includes(inode)).length
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

describe('the line of writers', () => {
  it('lets in one after the other, in order', async () => {
    const path = join(temporaryFolder(), 'x.db')
    const [first, second, third] = [createQueue(path, PATIENT), createQueue(path, PATIENT), createQueue(path, PATIENT)]
    const turn = await first.wait(DEAD_MACHINE_MS)
    const order: string[] = []
    const waiting = second.wait(DEAD_MACHINE_MS).then((next) => {
      order.push('second')
      next?.end()
    })
    await expect.poll(() => waitersOf(path)).toBe(1)
    const last = third.wait(DEAD_MACHINE_MS).then((next) => {
      order.push('third')
      next?.end()
    })
    await expect.poll(() => waitersOf(path)).toBe(2)
    expect(order).toEqual([])
    turn?.end()
    await Promise.all([waiting, last])
    expect(order).toEqual(['second', 'third'])
    expect(await first.wait(DEAD_MACHINE_MS)).toBeDefined()
  })

  it('is left by whoever stands behind a process that never moves, and not joined again soon', async () => {
    const path = join(temporaryFolder(), 'x.db')
    const holder = openFlock(`${path}-queue`)
    expect(await holder?.lock(DEAD_MACHINE_MS)).toBe(true)
    const queue = createQueue(path, IMPATIENT)
    expect(await queue.wait(DEAD_MACHINE_MS)).toBeUndefined()
    holder?.unlock()
    await expect.poll(() => waitersOf(path)).toBe(0)
    expect(await queue.wait(DEAD_MACHINE_MS)).toBeUndefined()
    holder?.close()
  })

  it('takes nobody for stopped whom it had no patience for', async () => {
    const path = join(temporaryFolder(), 'x.db')
    const [first, second] = [createQueue(path, PATIENT), createQueue(path, PATIENT)]
    const turn = await first.wait(DEAD_MACHINE_MS)
    expect(await second.wait(1)).toBeUndefined()
    expect(await second.wait(1)).toBeUndefined()
    await expect.poll(() => waitersOf(path)).toBe(1)
    turn?.end()
    expect(await second.wait(DEAD_MACHINE_MS)).toBeDefined()
  })

  it('closes its file', async () => {
    const path = join(temporaryFolder(), 'x.db')
    const queue = createQueue(path)
    const turn = await queue.wait(DEAD_MACHINE_MS)
    const isOpen = () => readdirSync('/proc/self/fd').some((fd) => linkOf(`/proc/self/fd/${fd}`) === `${path}-queue`)
    expect(isOpen()).toBe(true)
    queue.close()
    turn?.end()
    expect(isOpen()).toBe(false)
  })

  it('is done without where its file cannot be made', async () => {
    const path = join(temporaryFolder(), 'missing', 'x.db')
    expect(await createQueue(path).wait(DEAD_MACHINE_MS)).toBeUndefined()
    expect(existsSync(`${path}-queue`)).toBe(false)
    mkdirSync(join(path, '..'))
    expect(await createQueue(path).wait(DEAD_MACHINE_MS)).toBeDefined()
  })
})
