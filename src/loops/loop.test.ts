import { expect, it, onTestFinished } from 'vitest'
import { createSignal } from '../../test/helpers/signal.ts'
import type { Sleep } from '../kit/clock/sleep.ts'
import { type LoopOptions, startLoop } from './loop.ts'

const LONG_MS = 3_600_000

function startCounting(run: LoopOptions['run']) {
  const rounds = createSignal()
  const said: string[] = []
  const loop = startLoop({
    run() {
      rounds.fire()
      return run()
    },
    onFailure: (error) => void said.push(String(error)),
    onRecovery: () => void said.push('it goes again'),
  })
  onTestFinished(() => loop.close())
  return { loop, rounds, said }
}

it('starts the first round at once, and the next one when it is woken', async () => {
  const { loop, rounds } = startCounting(async () => LONG_MS)
  await rounds.fired
  loop.wake()
  await rounds.times(2)
  loop.wake()
  expect((await rounds.times(3)).length).toBe(3)
})

it('reports the first of several failures, retries by itself, and reports the recovery', async () => {
  let failures = 2
  const { rounds, said } = startCounting(async () => {
    if (failures-- > 0) throw new Error('not now')
    return LONG_MS
  })
  await rounds.times(3)
  await expect.poll(() => said).toEqual(['Error: not now', 'it goes again'])
})

it('ends after the round under way, however often it is closed', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const { loop, rounds } = startCounting(() => promise)
  await rounds.fired
  let isClosed = false
  const closing = loop.close().then(() => {
    isClosed = true
  })
  loop.wake()
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  resolve(0)
  await closing
  await loop.close()
  expect(rounds.values).toHaveLength(1)
})

it('rests before its first round with firstRestMs, until it is woken', async () => {
  const rounds = createSignal()
  const run = async () => {
    rounds.fire()
    return LONG_MS
  }
  const loop = startLoop({ run, firstRestMs: LONG_MS })
  onTestFinished(() => loop.close())
  await new Promise(setImmediate)
  expect(rounds.values).toHaveLength(0)
  loop.wake()
  await rounds.fired
})

it('rests with the sleep function that it is given', async () => {
  const rests: number[] = []
  const sleep: Sleep = async (ms, { subscribe } = {}) => {
    rests.push(ms)
    if (rests.length === 3) await new Promise<void>((wake) => subscribe?.(wake))
  }
  const loop = startLoop({ run: async () => rests.length, sleep })
  onTestFinished(() => loop.close())
  await expect.poll(() => rests).toEqual([0, 1, 2])
})
