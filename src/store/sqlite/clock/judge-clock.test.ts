import { describe, expect, it } from 'vitest'
import { type ClockRecord, followClock, judgeClock, type Sighting, timeBefore } from './judge-clock.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const BEGIN = Date.parse('2026-11-19T12:00:00Z')

/** So long after the anchor, by the time for which the machine has been running, and with a clock that was changed. */
function seen(afterMs: number, changedMs = 0): Sighting {
  return { boot: 'first', uptimeMs: HOUR_MS + afterMs, wallMs: BEGIN + afterMs + changedMs }
}

const ANCHOR = judgeClock(undefined, seen(0)).record

function judgeAll(sightings: readonly Sighting[]) {
  let verdict = judgeClock(ANCHOR, seen(0))
  for (const sighting of sightings) verdict = judgeClock(verdict.record, sighting)
  return verdict
}

describe('the clock of an embedded store', () => {
  it('begins with the wall clock', () => {
    expect(judgeClock(undefined, seen(0))).toEqual({
      record: { ...seen(0), gaps: [] },
      correctionMs: 0,
      isLasting: false,
    })
  })

  it('takes sleep for no step, because the uptime counts it', () => {
    expect(judgeAll([seen(40 * DAY_MS)])).toMatchObject({ correctionMs: 0, record: { wallMs: BEGIN + 40 * DAY_MS } })
  })

  it('takes it for no step that the machine was off, however long', () => {
    const sighting = { boot: 'second', uptimeMs: 5_000, wallMs: BEGIN + 40 * DAY_MS }
    expect(judgeAll([seen(MINUTE_MS, DAY_MS), sighting])).toEqual({
      record: { ...sighting, gaps: [] },
      correctionMs: 0,
      isLasting: false,
    })
  })

  it.each([40 * DAY_MS, -3_652 * DAY_MS, 2 * MINUTE_MS, -2 * MINUTE_MS])('leaves a step of %d ms out', (byMs) => {
    const { record, correctionMs, isLasting } = judgeAll([seen(MINUTE_MS, byMs)])
    expect({ correctionMs, isLasting, step: record.step }).toEqual({
      correctionMs: -byMs,
      isLasting: false,
      step: { at: BEGIN + MINUTE_MS, byMs },
    })
  })

  it('follows corrections of less than a minute, and writes nothing for them', () => {
    expect(judgeClock(ANCHOR, seen(MINUTE_MS, 50_000))).toEqual({ record: ANCHOR, correctionMs: 0, isLasting: false })
  })

  it('follows a clock that drifts or is slewed, for as long as that takes', () => {
    let { record } = judgeAll([])
    for (let hours = 1; hours < 200; hours++) {
      const verdict = judgeClock(record, seen(hours * 2 * HOUR_MS, hours * 50_000))
      expect(verdict.correctionMs).toBe(0)
      record = verdict.record
    }
  })

  it('says that a step has lasted when everybody has seen it for ten minutes', () => {
    const steps = [0, 3, 6, 9].map((minutes) => seen(minutes * MINUTE_MS, DAY_MS))
    expect(judgeAll(steps).isLasting).toBe(false)
    expect(judgeAll([...steps, seen(10 * MINUTE_MS, DAY_MS)]).isLasting).toBe(true)
  })

  it('restarts the ten minutes if a process saw the old time or another step', () => {
    const [first, last] = [seen(0, DAY_MS), seen(11 * MINUTE_MS, DAY_MS)]
    expect(judgeAll([first, last]).isLasting).toBe(true)
    expect(judgeAll([first, seen(5 * MINUTE_MS), last]).isLasting).toBe(false)
    expect(judgeAll([first, seen(5 * MINUTE_MS, 2 * DAY_MS), last]).isLasting).toBe(false)
  })

  it('knows of a step that is over', () => {
    const { record, correctionMs } = judgeAll([seen(MINUTE_MS, DAY_MS), seen(2 * MINUTE_MS)])
    expect([correctionMs, record.heldSinceMs, record.step?.byMs]).toEqual([0, undefined, DAY_MS])
  })

  it.each([DAY_MS, -DAY_MS])('goes by the wall clock once it has followed a step of %d ms', (byMs) => {
    const record = followed(ANCHOR, 0, byMs)
    const later = judgeClock(record, seen(HOUR_MS / 2, byMs))
    expect(later).toEqual({ record, correctionMs: 0, isLasting: false })
    expect(record.gaps).toEqual(byMs > 0 ? [[BEGIN + 10 * MINUTE_MS, BEGIN + 10 * MINUTE_MS + DAY_MS]] : [])
  })

  it('counts no time that it has left out, however often it was put forward', () => {
    const once = followed(ANCHOR, 0, DAY_MS)
    const { gaps } = followed(once, DAY_MS, DAY_MS)
    const now = BEGIN + 2 * HOUR_MS + 2 * DAY_MS
    expect(timeBefore(now, MINUTE_MS, gaps)).toBe(now - MINUTE_MS)
    expect(timeBefore(now, 3 * HOUR_MS, gaps)).toBe(BEGIN - HOUR_MS)
    expect(timeBefore(now, 3 * HOUR_MS, once.gaps)).toBe(now - 3 * HOUR_MS)
    expect(timeBefore(now, DAY_MS, [])).toBe(now - DAY_MS)
  })
})

/** A step on a clock that was changed before, after ten minutes. */
function followed(record: ClockRecord, beforeMs: number, byMs: number): ClockRecord {
  const lastMs = record.uptimeMs - HOUR_MS
  const held = judgeClock(record, seen(lastMs, beforeMs + byMs)).record
  return followClock(held, seen(lastMs + 10 * MINUTE_MS, beforeMs + byMs))
}
