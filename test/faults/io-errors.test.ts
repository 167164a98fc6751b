import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { faultOfFailure, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { storeFault } from './harness/soundness.ts'
import { countPoints, failAt, needsTrace, type Point, spread } from './harness/strace.ts'

const AT_ONCE = 3
/** Rounds over all points of a push: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.04, full: 1, long: 150, most: 1 }
/** Calls that can fail after something was promised: their first and last always fail. */
const DECISIVE = ['fsync', 'unlink']
const EARLIER = ['earlier one', 'earlier two']
const TEXT = 'the message whose push fails'
const PUSH = ['inbox', 'push', '--to', 'quinn,robin', TEXT, '--json']

describe('a push whose storage fails at a syscall', needsTrace(), () => {
  for (const error of ['EIO', 'ENOSPC']) {
    campaign(
      `a push that ${error} meets at a syscall is refused or stored, and loses nothing`,
      ROUNDS,
      async (rounds) => {
        verifies('G1.kill')
        const folder = temporaryFolder()
        const template = await prepare(join(folder, 'template'))
        const { points } = await countPoints(copyHome(template, join(folder, 'counted')), PUSH)
        expect(points.length).toBeGreaterThan(20)

        const chosen = spread(points, rounds, DECISIVE)
        const outcomes = await inTurn(chosen, AT_ONCE, (point, at) =>
          failOnce(point, error, copyHome(template, join(folder, `${at}`))),
        )
        const faults = outcomes.flatMap((outcome) => outcome.faults)
        const refused = outcomes.filter((outcome) => !outcome.isAcknowledged).length
        figures(
          'I/O errors',
          `${error}: ${chosen.length} failures at ${points.length} points, ${refused} refused, ${faults.length} faults`,
        )
        expect(faults).toEqual([])
        expect(refused).toBeGreaterThan(chosen.length / 5)
      },
    )
  }
})

async function prepare(home: string): Promise<string> {
  await withStore(makeHome(home), async ({ agents, inbox }) => {
    for (const id of ['quinn', 'robin']) await agents.add({ id })
    for (const content of EARLIER) await inbox.push({ to: ['quinn'], content })
  })
  return home
}

async function failOnce(
  point: Point,
  error: string,
  home: string,
): Promise<{ isAcknowledged: boolean; faults: string[] }> {
  const failed = await runCli(home, PUSH, { wrap: failAt(home, point, error) })
  const isAcknowledged = failed.code === 0
  const unsound = await storeFault(home)
  const deliveries = await deliveriesIn(home)
  const copies = deliveries.filter(({ content }) => content === TEXT).length
  const next = await runCli(home, ['inbox', 'push', '--to', 'quinn', 'afterwards'])
  const failure = isAcknowledged ? undefined : faultOfFailure(failed)
  const faults = [
    ...(failure === undefined ? [] : [failure]),
    ...(unsound === null ? [] : [unsound]),
    ...(copies === 2 || (copies === 0 && !isAcknowledged)
      ? []
      : [`${copies} of 2 deliveries, acknowledged: ${isAcknowledged}`]),
    ...(copies > 0 && failed.stderr.includes('nothing was stored') ? [`stored, although: ${failed.stderr}`] : []),
    ...EARLIER.filter((each) => !deliveries.some(({ content }) => content === each)).map((each) => `"${each}" is gone`),
    ...(next.code === 0 ? [] : [`the next push failed: ${next.stderr}`]),
  ]
  return { isAcknowledged, faults: faults.map((fault) => `${error} at ${point.syscall} ${point.nth}: ${fault}`) }
}
