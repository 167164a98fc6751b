import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSharing } from './sharing.ts'

/** Whether a turn of the event loop goes by first. */
async function waitsForOthers({ gather }: { gather(): Promise<void> }): Promise<boolean> {
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await gather()
  return hasTurned
}

describe('who is about to write', () => {
  it('waits for others, but where the process had nothing to do', async () => {
    let idle = 1_000
    const sharing = createSharing(() => idle)
    expect(await waitsForOthers(sharing)).toBe(false)
    expect(await waitsForOthers(sharing)).toBe(true)
    idle += 1
    expect(await waitsForOthers(sharing)).toBe(true)
    idle += 1.1
    expect(await waitsForOthers(sharing)).toBe(false)
  })

  it('waits for others where the process was busy all the time, however long that was', async () => {
    const sharing = createSharing()
    await sharing.gather()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    expect(await waitsForOthers(sharing)).toBe(true)
    await delay(20)
    expect(await waitsForOthers(sharing)).toBe(false)
  })
})
