import { expect, it } from 'vitest'
import { HOOK_TIMEOUTS } from '../../src/hooks/timeouts.ts'
import { verifies } from '../scenarios/verifies.ts'
import { withStore } from './harness/home.ts'
import { type Fired, fire, idsIn, makePlace } from './harness/hook.ts'
import { figures } from './harness/need.ts'

const MESSAGES = 10_000
const BATCH = 1_000
const ROUNDS = 5
/** Makes the shell print the CPU time of a command, which is the same on a busy machine. */
const TIMED = ['bash', '-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash']

function cpuMsOf({ stderr }: Fired): number {
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number)
  return (user + system) * 1000
}

it('answers within its budget and in time though ten thousand messages wait, and none is lost or shown twice', async () => {
  verifies('G4.hook.many')
  const place = await makePlace()
  await withStore(place.home, async ({ inbox }) => {
    for (let from = 0; from < MESSAGES; from += BATCH) {
      const messages = Array.from({ length: BATCH }, (_, at) => ({
        to: ['quinn'],
        content: `${from + at} ${'x'.repeat(500)}`,
      }))
      await inbox.pushMany({ messages })
    }
  })
  const fired: Fired[] = []
  for (let at = 0; at < ROUNDS; at++) fired.push(await fire(place, 'UserPromptSubmit', { wrap: TIMED }))
  figures('many waiting', `${fired.map((each) => Math.round(cpuMsOf(each))).join(', ')} ms`)
  for (const each of fired) {
    const { context } = each
    expect(cpuMsOf(each)).toBeLessThan(HOOK_TIMEOUTS.answerMs)
    expect(context.length).toBeLessThanOrEqual(8_000)
  }
  const ids = fired.flatMap(idsIn)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThan(ROUNDS * 5)
  const pending = await withStore(place.home, async ({ agents }) => (await agents.show({ id: 'quinn' })).pending)
  expect(pending).toBe(MESSAGES - ids.length)
  expect(fired[0]?.context).toContain('over 1000 more wait')
})

it('shows headlines of what is too long, and always something', async () => {
  verifies('G4.hook.many')
  const place = await makePlace()
  await withStore(place.home, async ({ inbox }) => {
    for (let at = 0; at < 30; at++)
      await inbox.push({ to: ['quinn'], content: 'y'.repeat(60_000), subject: `long ${at}`, priority: 0 })
  })
  const fired = await fire(place, 'PostToolBatch', { fields: { tool_calls: [{ tool_use_id: 'toolu_1' }] } })
  expect(fired.context.length).toBeLessThanOrEqual(8_000)
  expect(idsIn(fired).length).toBeGreaterThan(0)
  expect(fired.context).toContain('long 0')
})
