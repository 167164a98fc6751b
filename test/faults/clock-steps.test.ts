import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Drained, HealthReport } from '../../src/model/postern.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/verifies.ts'
import { answerOf, runCli } from './harness/cli.ts'
import { makeHome, storeOf, withStore } from './harness/home.ts'

const OTHER_CLOCK = fileURLToPath(new URL('../helpers/other-clock.cjs', import.meta.url))

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS

interface Times {
  /** By how much the clock of the process is wrong. */
  readonly changedMs?: number
  /** How long before the machine slept. */
  readonly passedMs?: number
}

interface Pushed {
  readonly id: string
}

interface Listed {
  readonly items: readonly { readonly content: string; readonly createdAt: string }[]
}

const makeAgents = async () => {
  const home = makeHome(join(temporaryFolder(), 'home'))
  await withStore(home, async ({ agents }) => {
    await agents.add({ id: 'quinn' })
    await agents.add({ id: 'rex' })
  })
  return home
}

async function run<T = unknown>(home: string, args: readonly string[], { changedMs = 0, passedMs = 0 }: Times = {}) {
  const env = { TEST_CLOCK_MS: `${changedMs}`, TEST_PASSED_MS: `${passedMs}` }
  return answerOf<T>(await runCli(home, [...args, '--json'], { node: ['--require', OTHER_CLOCK], env }))
}

const PUSH = ['inbox', 'push', '--as', 'rex', '--to', 'quinn']

const push = (home: string, words: readonly string[], times?: Times) => run<Pushed>(home, [...PUSH, ...words], times)

async function drain(home: string, times?: Times): Promise<readonly string[]> {
  const { messages } = await run<Drained>(home, ['inbox', 'drain', '--agent', 'quinn'], times)
  return messages.map(({ content }) => content)
}

async function pending(home: string, times?: Times): Promise<readonly string[]> {
  const { items } = await run<Listed>(home, ['inbox', 'list', '--agent', 'quinn'], times)
  return items.map(({ content }) => content)
}

async function checkClock(home: string, times?: Times) {
  const { checks } = await run<HealthReport>(home, ['doctor'], times)
  return checks.find(({ name }) => name === 'store.clock')
}

describe.skipIf(!existsSync('/proc/uptime'))('a command whose clock was changed', () => {
  it('erases nothing and expires nothing, and doctor tells of the step', async () => {
    verifies('S000.clock')
    const home = await makeAgents()
    const { id } = await push(home, ['finished'])
    expect(await drain(home)).toEqual(['finished'])
    await run(home, ['inbox', 'ack', '--agent', 'quinn', id])
    await push(home, ['--ttl', '30d', 'pending'])
    await run(home, ['plan', 'set', '--agent', 'quinn', '--run-after', '20 days', 'a plan'])
    expect(await checkClock(home)).toMatchObject({ ok: true, detail: 'no change of the clock was noticed' })

    const later = { changedMs: 40 * DAY_MS }
    expect(await pending(home, later)).toEqual(['pending'])
    expect(await checkClock(home, later)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^the clock was put forward by 40d at .* keeps the time from before/),
    })
    expect(await run(home, ['inbox', 'show', id])).toMatchObject({ message: { content: 'finished' } })
    expect(JSON.stringify(await run(home, ['trace', id]))).toContain('acted')
    expect(await checkClock(home)).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^the clock was put forward by 40d at .* It is right again/),
    })
    expect(await drain(home)).toEqual(['pending'])
  })

  it.each([
    -10 * YEAR_MS,
    10 * YEAR_MS,
  ])('gives a pushed message its full time to live with a clock that is %d ms off', async (changedMs) => {
    const home = await makeAgents()
    await push(home, ['--ttl', '1h', 'for an hour'], { changedMs })
    expect(await pending(home)).toEqual(['for an hour'])
    expect(await pending(home, { passedMs: 61 * MINUTE_MS })).toEqual([])
    await push(home, ['--ttl', '1h', 'again'], { changedMs, passedMs: 62 * MINUTE_MS })
    expect(await drain(home, { passedMs: 63 * MINUTE_MS })).toEqual(['again'])
  })

  it('takes sleep for no step: mail expires, and doctor reports nothing', async () => {
    const home = await makeAgents()
    await push(home, ['--ttl', '30d', 'late'])
    const asleep = { passedMs: 40 * DAY_MS }
    expect(await drain(home, asleep)).toEqual([])
    expect(await checkClock(home, asleep)).toMatchObject({ ok: true, detail: 'no change of the clock was noticed' })
  })

  it('follows a changed clock after ten minutes, and ends nothing because of it', async () => {
    const home = await makeAgents()
    const { id } = await push(home, ['finished'])
    await drain(home)
    await run(home, ['inbox', 'ack', '--agent', 'quinn', id])
    await push(home, ['--ttl', '1h', 'for an hour'])
    await push(home, ['--ttl', '60d', 'for sixty days'])
    await run(home, ['inbox', 'push', '--as', 'rex', '--broadcast', '--ttl', '2h', 'to everybody'])
    const { id: gate } = await run<{ id: string }>(home, [
      'gate',
      'create',
      '--agent',
      'quinn',
      '--timeout',
      '2h',
      'wait',
    ])

    const changedMs = 40 * DAY_MS
    const at = (minutes: number) => ({ changedMs, passedMs: minutes * MINUTE_MS })
    expect(await checkClock(home, at(0))).toMatchObject({ ok: false })
    await push(home, ['--ttl', '1h', 'meanwhile'], at(11))
    expect(await checkClock(home, at(11))).toMatchObject({
      detail: expect.stringMatching(/^the clock was put forward by 40d at .* Postern now follows it/),
    })
    await push(home, ['--ttl', '1h', 'afterwards'], at(12))
    const { items } = await run<Listed>(home, ['inbox', 'list', '--agent', 'quinn'], at(25))
    const last = items.find(({ content }) => content === 'afterwards')
    expect(Date.now() + 40 * DAY_MS - Date.parse(last?.createdAt ?? '')).toBeLessThan(5 * MINUTE_MS)
    expect(await run(home, ['inbox', 'show', id], at(25))).toMatchObject({ message: { content: 'finished' } })
    expect(await pending(home, at(50))).toEqual([
      'for an hour',
      'for sixty days',
      'meanwhile',
      'afterwards',
      'to everybody',
    ])
    expect(await pending(home, at(65))).toEqual(['for sixty days', 'meanwhile', 'afterwards', 'to everybody'])
    expect(await pending(home, at(75))).toEqual(['for sixty days', 'to everybody'])
    expect(await drain(home, at(110))).toEqual(['for sixty days', 'to everybody'])
    expect(await run(home, ['gate', 'show', gate], at(110))).toMatchObject({ state: 'open' })
    expect(await run<HealthReport>(home, ['doctor', '--full'], at(110))).toMatchObject({ ok: true })
  })

  it('goes by its own clock if the file beside the store is damaged', async () => {
    const home = await makeAgents()
    await push(home, ['hello'])
    const path = `${storeOf(home)}-clock`
    for (const text of ['', '{', 'null', '[]', '{"boot":1}']) {
      writeFileSync(path, text)
      expect(await drain(home)).toEqual(text === '' ? ['hello'] : [])
      expect(await checkClock(home)).toMatchObject({ ok: true })
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ gaps: [] })
    }
  })
})
