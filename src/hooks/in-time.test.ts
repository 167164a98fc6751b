import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inTime } from './in-time.ts'
import { TARGETS } from './install/targets.ts'
import { HOOK_TIMEOUTS } from './timeouts.ts'

/** How old the process is when the hook begins to wait: starting Node took this long. */
const BEFORE_MS = 400

/** The settings of a hook in a process that began some time ago, by the clock of the test. */
function settings() {
  const startedAt = Date.now() - BEFORE_MS
  return { ageMs: () => Date.now() - startedAt, timeouts: HOOK_TIMEOUTS }
}

const never = () => new Promise<never>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the deadline of a hook', () => {
  it('is 1.5 s after its process began, to the millisecond', async () => {
    const outcomes: unknown[] = []
    inTime(settings(), never()).catch((error: unknown) => outcomes.push(error))
    await vi.advanceTimersByTimeAsync(1_500 - BEFORE_MS - 1)
    expect(outcomes).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(outcomes).toEqual([expect.objectContaining({ code: 'STORE_UNAVAILABLE' })])
  })

  it('is the same for every step, however long the steps before it took', async () => {
    const hook = settings()
    const step = inTime(hook, new Promise((resolve) => setTimeout(resolve, 1_000, 'opened')))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await step).toBe('opened')
    const outcomes: unknown[] = []
    inTime(hook, never()).catch((error: unknown) => outcomes.push(error))
    await vi.advanceTimersByTimeAsync(1_500 - BEFORE_MS - 1_000)
    expect(outcomes).toHaveLength(1)
  })

  it('hands a late value to the callback that gives it back, and swallows a late failure', async () => {
    const late: string[] = []
    const later = (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, 'an offer'))
    inTime(settings(), later(2_000), (value) => void late.push(value)).catch(() => {})
    inTime(settings(), later(1_000), (value) => void late.push(`not late: ${value}`)).catch(() => {})
    inTime(
      settings(),
      later(2_000).then(() => Promise.reject(new Error('too late to matter'))),
    ).catch(() => {})
    await vi.advanceTimersByTimeAsync(3_000)
    expect(late).toEqual(['an offer'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("is at most half of every host's timeout, and leaves room for each step", () => {
    const { answerMs, storeMs, checksMs, reserveMs } = HOOK_TIMEOUTS
    const forms = TARGETS.flatMap(({ events }) => Object.values(events).flat())
    const timeouts = forms.flatMap(({ word, after }) => (word === 'rewake' ? [] : [Number(after['timeout'])]))
    // Gemini CLI counts in milliseconds.
    expect(Math.min(...timeouts.map((timeout) => (timeout < 1_000 ? timeout * 1000 : timeout)))).toBeGreaterThanOrEqual(
      2 * answerMs,
    )
    expect(Math.max(storeMs, checksMs) + reserveMs).toBeLessThan(answerMs)
  })
})
