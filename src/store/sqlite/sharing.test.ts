import { expect, it } from 'vitest'
import { createSharing } from './sharing.ts'

const NOW = 1_000

/** Whether a turn of the event loop goes by first. */
async function waitsForOthers(answeredAt: number): Promise<boolean> {
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await createSharing(() => NOW).gather(answeredAt)
  return hasTurned
}

it('waits for others only where somebody was answered a moment ago', async () => {
  expect(await waitsForOthers(0)).toBe(false)
  expect(await waitsForOthers(NOW - 3)).toBe(false)
  expect(await waitsForOthers(NOW - 2)).toBe(true)
  expect(await waitsForOthers(NOW)).toBe(true)
})
