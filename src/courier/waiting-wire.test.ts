import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { PATIENTLY } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createWaitingWire } from './waiting-wire.ts'

async function makeBench() {
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  const store = { isAway: false }
  const rings: (readonly string[])[] = []
  const wire = createWaitingWire({
    agent: 'quinn',
    random: Math.random,
    async reach() {
      if (store.isAway) throw new Error('the store is away')
      return postern
    },
  })
  const listen = async () => {
    const listener = await wire.listen(['quinn', '@all'], (names) => rings.push(names))
    onTestFinished(() => listener.close())
    return listener
  }
  return { postern, store, rings, wire, listen, push: () => postern.inbox.push({ to: ['quinn'], content: 'hello' }) }
}

it('rings when messages are pending, and again while they are', async () => {
  const { rings, listen, push } = await makeBench()
  await listen()
  expect(rings).toEqual([])
  await push()
  await expect.poll(() => rings.length).toBeGreaterThan(1)
  expect(rings[0]).toEqual(['quinn', '@all'])
})

it('is down while the store is down, and rings when it is back', async () => {
  const { rings, listen, store, wire } = await makeBench()
  store.isAway = true
  await listen()
  await expect.poll(() => wire.health()).toEqual({ isUp: false, detail: 'the store is away' })
  store.isAway = false
  await expect.poll(() => rings.length, PATIENTLY).toBe(1)
  expect(await wire.health()).toMatchObject({ isUp: true })
})

it('does not ring after it was closed', async () => {
  const { rings, listen, push } = await makeBench()
  const listener = await listen()
  await listener.close()
  await listener.close()
  await push()
  expect(rings).toEqual([])
})

it('is down while the store does not answer, and can be closed then', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const wire = createWaitingWire({ agent: 'quinn', random: Math.random, reach: () => new Promise(() => {}) })
  const listener = await wire.listen(['quinn'], () => {})
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await wire.health()).toMatchObject({ isUp: false })
  const closed = listener.close()
  await vi.advanceTimersByTimeAsync(5_000)
  await closed
})
