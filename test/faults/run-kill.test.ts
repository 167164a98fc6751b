import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { BusEntry } from '../../src/model/bus/entry.ts'
import { makeTask, type Runner, type TaskForRuns } from '../helpers/bus/runner.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { figures } from './harness/need.ts'

const RUNNERS = 4
/** How often each runner is started and killed. */
const ROUNDS = { quick: 2, full: 25, long: 6_000, most: 50 }

type Told = Pick<BusEntry, 'type' | 'run_id'>

/** What is wrong with what a bus tells of runs, of which some have begun. */
function faultsIn(entries: readonly Told[], begun: readonly string[]): string[] {
  const ids = new Set([...entries.map(({ run_id }) => run_id ?? ''), ...begun])
  return [...ids].flatMap((id) => {
    const told = entries.filter(({ run_id }) => run_id === id).map(({ type }) => type)
    const starts = told.filter((type) => type === 'START').length
    return [
      ...(starts > 1 ? [`${id} starts ${starts} times`] : []),
      ...(told.length - starts === 1 ? [] : [`${id} ends ${told.length - starts} times`]),
      ...(starts === 1 && told[0] !== 'START' ? [`${id} ends before it starts`] : []),
      ...(told.includes('STOP') && starts === 0 ? [`${id} stops and never started`] : []),
      ...(begun.includes(id) && starts === 0 ? [`${id} has begun untold`] : []),
    ]
  })
}

campaign('tells one start and one end of every run, whenever its runner is killed', ROUNDS, async (rounds) => {
  verifies('S002.run.killed')
  const task = makeTask()
  const { faults, entries } = await killRunners(task, rounds, () => task.start('echo $JRUN_ID >>begun'))
  const lost = entries.filter(({ meta }) => meta?.['status'] === 'lost')
  figures('runs, killed', `${rounds * RUNNERS} runners, ${entries.length} entries, ${lost.length} lost`)
  expect(faults).toEqual([])
  expect(readdirSync(join(task.folder, '.running'))).toEqual([])
  // With few runners chance may kill each before it begins or after it has ended.
  if (rounds >= ROUNDS.full) expect(lost.length).toBeGreaterThan(0)
  expect(entries.filter(({ type }) => type === 'STOP').length).toBeGreaterThan(0)
})

it('finds what a planted script leaves untold that runs and posts by itself', FULL, async () => {
  const post = 'eval "$POSTERN" bus post --project p --task t --run run-$$ --type'
  const naive = `${post} START begun; echo run-$$ >>begun; ${post} STOP ended`
  let found = 0
  for (let round = 0; found === 0 && round < 5; round++) {
    const task = makeTask()
    found = (await killRunners(task, 5, () => task.startBare(naive))).faults.length
  }
  expect(found).toBeGreaterThan(0)
})

/** Starts several at a time and kills each at any moment of its work; then one is left in peace. */
async function killRunners(task: TaskForRuns, rounds: number, start: () => Runner) {
  const atOnce = (act: () => Promise<void>) => Promise.all(Array.from({ length: RUNNERS }, act))
  const startedAt = performance.now()
  await atOnce(async () => void (await start().ended))
  const lifeMs = performance.now() - startedAt
  await atOnce(async () => {
    for (let round = 0; round < rounds; round++) {
      const runner = start()
      // Much of its life goes by before it does anything at all.
      await Promise.race([runner.ended, delay((0.4 + 0.7 * Math.random()) * lifeMs)])
      runner.signal('SIGKILL')
      await runner.ended
    }
  })
  await task.run('true')
  const entries = await task.entries()
  const log = join(task.home, 'begun')
  const begun = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []
  return { entries, faults: faultsIn(entries, begun) }
}
