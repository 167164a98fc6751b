import { describe, expect, it } from 'vitest'
import { createLog } from './log.ts'

describe('the log', () => {
  it('has a line of JSON for everything that goes wrong', () => {
    const lines: string[] = []
    createLog(
      (line) => lines.push(line),
      () => 0,
    ).warn('request.failed', { requestId: 'req_1' })
    expect(lines).toEqual([
      '{"at":"1970-01-01T00:00:00.000Z","level":"warn","event":"request.failed","requestId":"req_1"}',
    ])
  })

  it('passes over what goes wrong too often, and says how often it did', () => {
    let now = 0
    const events: string[] = []
    const log = createLog(
      (line) => {
        const { event, lines } = JSON.parse(line)
        events.push(lines === undefined ? event : `${event} ${lines}`)
      },
      () => now,
    )
    for (let time = 0; time < 1_000; time++) log.warn('a', { time })
    log.warn('b')
    expect(events).toHaveLength(61)
    now = 60_000
    log.warn('a')
    expect(events.slice(60)).toEqual(['b', 'log.passed-over 940', 'a'])
  })
  it('says the same once a minute, and how often it was so', () => {
    let now = 0
    const lines: string[] = []
    const log = createLog(
      (line) => lines.push(line),
      () => now,
    )
    for (; now < 60_000; now += 1_000) log.warn('upkeep.failed', { error: 'the store is away' })
    log.warn('upkeep.failed', { error: 'the store is away' })
    log.warn('upkeep.failed', { error: 'the disk is full' })
    expect(lines.map((line) => JSON.parse(line)).map(({ event, error, lines }) => [event, error ?? lines])).toEqual([
      ['upkeep.failed', 'the store is away'],
      ['log.passed-over', 59],
      ['upkeep.failed', 'the store is away'],
      ['upkeep.failed', 'the disk is full'],
    ])
  })
})
