import fs, { openSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { DiskWait } from './disk-wait.ts'

const SLOW_MS = 5
const ENOUGH = 16

/** A disk that takes as long as it is told, and a wait for it. */
function openDisk() {
  const { fdatasync, fdatasyncSync } = fs
  const disk = { isSlow: false }
  const pauses = new Int32Array(new SharedArrayBuffer(4))
  const takeTime = () => void (disk.isSlow && Atomics.wait(pauses, 0, 0, SLOW_MS))
  Object.assign(fs, {
    fdatasyncSync: takeTime,
    fdatasync(_: number, done: (error: null) => void) {
      takeTime()
      setImmediate(done, null)
    },
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { fdatasync, fdatasyncSync })
    syncBuiltinESMExports()
  })
  const fd = openSync(join(temporaryFolder(), 'file'), 'w')
  onTestFinished(() => fs.closeSync(fd))
  const wait = new DiskWait()
  return {
    disk,
    /** Whether the process stood still for it. */
    async stoodStill(): Promise<boolean> {
      const waiting = wait.wait(fd)
      await waiting
      return waiting === undefined
    },
  }
}

describe('a wait for the disk', () => {
  it('stands still once the disk has proved to be quick', async () => {
    const { stoodStill } = openDisk()
    expect(await stoodStill()).toBe(false)
    for (let i = 0; i < ENOUGH; i++) await stoodStill()
    expect(await stoodStill()).toBe(true)
  })

  it('does so though the disk is slow for once, but not where it stays slow', async () => {
    const { disk, stoodStill } = openDisk()
    for (let i = 0; i < 2 * ENOUGH; i++) await stoodStill()
    disk.isSlow = true
    await stoodStill()
    disk.isSlow = false
    expect(await stoodStill()).toBe(true)
    disk.isSlow = true
    for (let i = 0; i < 3; i++) await stoodStill()
    expect(await stoodStill()).toBe(false)
  })
})
