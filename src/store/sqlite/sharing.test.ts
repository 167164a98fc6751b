import { expect, it } from 'vitest'
import { createSharing } from './sharing.ts'

/** Whether a turn of the event loop goes by first. */
async function waitsForOthers(gather: () => Promise<void>): Promise<boolean> {
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await gather()
  return hasTurned
}

it('waits for others only where somebody came a moment ago', async () => {
  let at = 1_000
  const { gather } = createSharing(() => at)
  expect(await waitsForOthers(gather)).toBe(false)
  at += 1
  expect(await waitsForOthers(gather)).toBe(true)
  at += 4
  expect(await waitsForOthers(gather)).toBe(true)
  at += 5
  expect(await waitsForOthers(gather)).toBe(false)
})
