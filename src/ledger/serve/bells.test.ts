import { expect, it } from 'vitest'
import { createBells } from './bells.ts'

const LONG_MS = 3_600_000

it('wakes every stream, whichever topic it waits for', async () => {
  const bells = createBells()
  const { signal } = new AbortController()
  const woken: string[] = []
  const waits = ['0.0.1', '0.0.1', '0.0.2'].map((topic) =>
    bells.wait(topic, LONG_MS, signal).then(() => void woken.push(topic)),
  )
  bells.ring('0.0.2')
  await waits[2]
  expect(woken).toEqual(['0.0.2'])
  bells.ringAll()
  await Promise.all(waits)
  expect(woken).toEqual(['0.0.2', '0.0.1', '0.0.1'])
})
