import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAccessLog, createLog } from './log.ts'
import { LEVELLED_EVENTS } from './log-levels.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('the log', () => {
  it('has a line of JSON for everything that goes wrong', () => {
    const lines: string[] = []
    createLog(
      (line) => lines.push(line),
      () => 0,
    ).note('request.failed', { requestId: 'req_1' })
    expect(lines).toEqual([
      '{"at":"1970-01-01T00:00:00.000Z","level":"error","event":"request.failed","requestId":"req_1"}',
    ])
  })

  it('has the level of each event', () => {
    const levels: string[] = []
    const log = createLog((line) => levels.push(JSON.parse(line).level))
    for (const event of ['wire.connected', 'wire.lost', 'request.failed']) log.note(event)
    expect(levels).toEqual(['info', 'warn', 'error'])
  })

  it('knows the level of no event that nobody notes', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT, exclude: (name) => name.includes('log-levels') })
    const text = sources.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n')
    expect(LEVELLED_EVENTS.filter((event) => !text.includes(`'${event}'`))).toEqual([])
  })

  it('has a line for every request, however many there are', () => {
    const lines: string[] = []
    const accessLog = createAccessLog(
      (line) => lines.push(line),
      () => 0,
    )
    const answered = { requestId: 'req_1', method: 'GET', path: '/healthz', status: 200, ms: 1, caller: null }
    for (let time = 0; time < 100; time++) accessLog(answered)
    expect(lines).toHaveLength(100)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'request.answered',
      ...answered,
    })
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
    for (let time = 0; time < 1_000; time++) log.note('a', { time })
    log.note('b')
    expect(events).toHaveLength(61)
    now = 60_000
    log.note('a')
    expect(events.slice(60)).toEqual(['b', 'log.passed-over 940', 'a'])
  })
  it('says the same once a minute, and how often it was so', () => {
    let now = 0
    const lines: string[] = []
    const log = createLog(
      (line) => lines.push(line),
      () => now,
    )
    for (; now < 60_000; now += 1_000) log.note('upkeep.failed', { error: 'the store is away' })
    log.note('upkeep.failed', { error: 'the store is away' })
    log.note('upkeep.failed', { error: 'the disk is full' })
    expect(lines.map((line) => JSON.parse(line)).map(({ event, error, lines }) => [event, error ?? lines])).toEqual([
      ['upkeep.failed', 'the store is away'],
      ['log.passed-over', 59],
      ['upkeep.failed', 'the store is away'],
      ['upkeep.failed', 'the disk is full'],
    ])
  })
})
