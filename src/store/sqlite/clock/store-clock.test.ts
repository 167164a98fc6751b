import { describe, expect, it } from 'vitest'
import type { ClockRecord } from './judge-clock.ts'
import { StoreClock } from './store-clock.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const BEGIN = Date.parse('2026-11-19T12:00:00Z')

/** A machine whose processes share what they know of its clock. */
function createMachine({ isWritable = true, hasUptime = true, isOfMachine = true } = {}) {
  const machine = { wallMs: BEGIN, uptimeMs: 5 * MINUTE_MS, awakeMs: 5 * MINUTE_MS, looks: 0, writes: 0 }
  let text: string | undefined
  const start = (changedMs = 0) =>
    new StoreClock({
      wallMs: () => machine.wallMs + changedMs,
      monotonicMs: () => machine.awakeMs,
      uptime: () => (hasUptime ? { boot: 'first', uptimeMs: machine.uptimeMs } : undefined),
      isOfMachine: () => isOfMachine,
      read: () => {
        machine.looks++
        return text === undefined ? undefined : (JSON.parse(text) as ClockRecord)
      },
      write: (record) => {
        machine.writes++
        if (isWritable) text = JSON.stringify(record)
        return isWritable
      },
    })
  const pass = (ms: number, { isAsleep = false } = {}) => {
    machine.wallMs += ms
    machine.uptimeMs += ms
    if (!isAsleep) machine.awakeMs += ms
  }
  const step = (ms: number) => {
    machine.wallMs += ms
  }
  return { machine, start, pass, step }
}

describe('the clock of a process', () => {
  it('is steady through a step that comes while the process runs', () => {
    const { start, pass, step } = createMachine()
    const clock = start()
    expect(clock.now()).toBe(BEGIN)
    pass(1_000)
    step(40 * DAY_MS)
    expect(clock.now()).toBe(BEGIN + 1_000)
    pass(1_000)
    expect(clock.now()).toBe(BEGIN + 2_000)
    step(-40 * DAY_MS)
    expect(clock.now()).toBe(BEGIN + 2_000)
    expect(clock.record).toMatchObject({ step: { at: BEGIN + 1_000, byMs: 40 * DAY_MS } })
  })

  it('counts the time that the machine slept', () => {
    const { start, pass } = createMachine()
    const clock = start()
    clock.now()
    pass(DAY_MS, { isAsleep: true })
    expect(clock.now()).toBe(BEGIN + DAY_MS)
    expect(clock.record?.step).toBeUndefined()
  })

  it('is the clock of the other processes if its own was changed', () => {
    const { start, pass } = createMachine()
    start().now()
    pass(MINUTE_MS)
    expect(start(40 * DAY_MS).now()).toBe(BEGIN + MINUTE_MS)
    expect(start(-3_650 * DAY_MS).now()).toBe(BEGIN + MINUTE_MS)
    expect(start().now()).toBe(BEGIN + MINUTE_MS)
  })

  it('follows a step that has lasted, in every process at once', () => {
    const { start, pass, step } = createMachine()
    const [clock, other] = [start(), start()]
    for (const each of [clock, other]) each.now()
    step(DAY_MS)
    for (const each of [clock, other]) each.now()
    expect(clock.follow()).toBe(false)
    pass(10 * MINUTE_MS)
    expect(clock.now()).toBe(BEGIN + 10 * MINUTE_MS)
    expect(clock.lastingStepMs).toBe(DAY_MS)
    expect(clock.follow()).toBe(true)
    for (const each of [clock, other, start()]) {
      expect(each.now()).toBe(BEGIN + DAY_MS + 10 * MINUTE_MS)
      expect(each.lastingStepMs).toBe(0)
      expect(each.ago(30 * MINUTE_MS)).toBe(BEGIN - 20 * MINUTE_MS)
    }
  })

  it('never follows a step if no other process would know of it', () => {
    const { start, pass, step } = createMachine({ isWritable: false })
    const clock = start()
    clock.now()
    step(DAY_MS)
    clock.now()
    pass(10 * MINUTE_MS)
    expect(clock.now()).toBe(BEGIN + 10 * MINUTE_MS)
    expect(clock.isWritable()).toBe(false)
  })

  it('reads a file at most once a minute', () => {
    const { machine, start, pass } = createMachine()
    const clock = start()
    for (let count = 0; count < 1_000; count++) {
      clock.now()
      pass(120)
    }
    expect([machine.looks, machine.writes]).toEqual([2, 1])
  })

  it.each([
    ['nobody can say for how long the machine has been running', { hasUptime: false }],
    ['it runs in a container that has an uptime of its own', { isOfMachine: false }],
  ])('is the wall clock if %s', (_, options) => {
    const { machine, start, pass, step } = createMachine(options)
    const clock = start()
    expect(clock.now()).toBe(BEGIN)
    pass(1_000)
    step(DAY_MS)
    expect(clock.now()).toBe(BEGIN + DAY_MS + 1_000)
    expect(clock.ago(1_000)).toBe(BEGIN + DAY_MS)
    expect([clock.record, machine.writes]).toEqual([undefined, 0])
  })
})
