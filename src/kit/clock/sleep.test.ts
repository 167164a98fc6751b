import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { sleep } from './sleep.ts'

const HOUR_MS = 3_600_000

describe('sleep', () => {
  it('resolves after its time', async () => {
    const begunAt = performance.now()
    await sleep(20)
    expect(performance.now() - begunAt).toBeGreaterThan(18)
  })

  it('resolves with the signal, and keeps no listener on it', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const sleeping = sleep(HOUR_MS, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    controller.abort()
    await sleeping
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('keeps no listener on a signal that was never aborted', async () => {
    const { signal } = new AbortController()
    await sleep(1, { signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('resolves at once with a signal that was aborted before', async () => {
    await sleep(HOUR_MS, { signal: AbortSignal.abort() })
  })

  it('resolves when it is woken, and unsubscribes once', async () => {
    const bell = createBell()
    const sleeping = sleep(HOUR_MS, { subscribe: bell.subscribe })
    bell.ring()
    bell.ring()
    await sleeping
    expect(bell.left()).toBe(1)
  })

  it('unsubscribes from whatever wakes it while it subscribes', async () => {
    const bell = createBell()
    await sleep(HOUR_MS, {
      subscribe(wake) {
        wake()
        return bell.subscribe(wake)
      },
    })
    expect(bell.left()).toBe(1)
  })

  it('does not end at once when its time is longer than a timer can be', async () => {
    const bell = createBell()
    let isAwake = false
    const sleeping = sleep(2 ** 40, { subscribe: bell.subscribe }).then(() => {
      isAwake = true
    })
    await sleep(5)
    expect(isAwake).toBe(false)
    bell.ring()
    await sleeping
  })
})

function createBell() {
  const wakes = new Set<() => void>()
  let left = 0
  return {
    ring() {
      for (const wake of wakes) wake()
    },
    left: () => left,
    subscribe(wake: () => void) {
      wakes.add(wake)
      return () => {
        left++
      }
    },
  }
}
