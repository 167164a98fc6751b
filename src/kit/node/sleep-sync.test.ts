import { expect, it } from 'vitest'
import { sleepSync } from './sleep-sync.ts'

it('stops the thread for a time', () => {
  const begunAt = performance.now()
  sleepSync(5)
  expect(performance.now() - begunAt).toBeGreaterThanOrEqual(5)
})
