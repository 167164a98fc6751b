import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLocal } from '../../helpers/open-local.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { gateOf, judge, mailUnder } from '../gates/people.ts'
import { foreign, scribble, TASK_FILE } from './buses.ts'

const GATES = 20
const SLOW_MS = 400

/** Gates of quinn that all wait for the same bus, which has just heard what they wait for; every look takes long. */
async function slowBuses() {
  const folder = temporaryFolder()
  const root = join(folder, 'buses')
  let now = Date.UTC(2026, 0, 15, 9)
  let stepMs = 0
  const clock = () => {
    now += stepMs
    return now
  }
  const postern = await openLocal(join(folder, 'postern.db'), { upkeep: false, bus: { root }, now: clock })
  await postern.agents.add({ id: 'quinn' })
  await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
  // They hold tools, so that the end of a turn looks at none of them for its own sake.
  for (let at = 0; at < GATES; at++)
    await gateOf(postern, { kind: 'bus', awaits: 'conductor-loop/task-docs', hook: 'tool', tool: 'Bash' })
  scribble(root, TASK_FILE, foreign('MSG-1', 'x', { ts: '2026-01-15T09:00:01Z' }))
  now += 60_000
  /** How many gates have opened, after something that takes long. */
  const openedBy = async (act: () => Promise<unknown>) => {
    stepMs = SLOW_MS
    await act()
    stepMs = 0
    return (await mailUnder(postern, 'quinn', 'gate:')).length
  }
  return { postern, openedBy }
}

it('the end of a turn waits no longer for slow buses than it has time', async () => {
  verifies('S002.gate')
  const { postern, openedBy } = await slowBuses()
  expect(await openedBy(() => judge(postern, { timeoutMs: 1_000 }))).toBeLessThan(GATES)
  await postern.close()
})

it('a gate for which there was no time is looked at next', async () => {
  verifies('S002.gate')
  const { postern, openedBy } = await slowBuses()
  let opened = await openedBy(() => postern.upkeep.run())
  expect(opened).toBeLessThan(GATES)
  for (let round = 0; round < GATES; round++) opened = await openedBy(() => postern.upkeep.run())
  expect(opened).toBe(GATES)
  await postern.close()
})
