import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/requirements.ts'
import { faultOfFailure, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { doctorFault } from './harness/soundness.ts'
import { canTrace, countPoints, failAt, type Point } from './harness/strace.ts'

const AT_ONCE = 3
const EARLIER = ['earlier one', 'earlier two']
const TEXT = 'the message whose push fails'
const PUSH = ['inbox', 'push', '--to', 'quinn,robin', TEXT, '--json']

describe.runIf(canTrace())('a push whose storage fails at any one syscall', () => {
  for (const error of ['EIO', 'ENOSPC']) {
    it(`says so or stores it, with ${error}, and loses nothing`, async () => {
      verifies('G1.kill')
      const folder = temporaryFolder()
      const template = await prepare(join(folder, 'template'))
      const { points } = await countPoints(copyHome(template, join(folder, 'counted')), PUSH)

      const outcomes = await inTurn(points, AT_ONCE, (point, at) =>
        failOnce(point, error, copyHome(template, join(folder, `${at}`))),
      )
      const faults = outcomes.flatMap((outcome) => outcome.faults)
      const refused = outcomes.filter((outcome) => !outcome.isAcknowledged).length
      figures('I/O errors', `${error}: ${points.length} points, ${refused} refused, ${faults.length} faults`)
      expect(faults).toEqual([])
      expect(refused).toBeGreaterThan(10)
    })
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
  const doctor = await doctorFault(home)
  const deliveries = await deliveriesIn(home)
  const copies = deliveries.filter(({ content }) => content === TEXT).length
  const next = await runCli(home, ['inbox', 'push', '--to', 'quinn', 'afterwards'])
  const failure = isAcknowledged ? undefined : faultOfFailure(failed)
  const faults = [
    ...(failure === undefined ? [] : [failure]),
    ...(doctor === null ? [] : [doctor]),
    ...(copies === 2 || (copies === 0 && !isAcknowledged)
      ? []
      : [`${copies} of 2 deliveries, acknowledged: ${isAcknowledged}`]),
    ...(copies > 0 && failed.stderr.includes('nothing was stored') ? [`stored, although: ${failed.stderr}`] : []),
    ...EARLIER.filter((each) => !deliveries.some(({ content }) => content === each)).map((each) => `"${each}" is gone`),
    ...(next.code === 0 ? [] : [`the next push failed: ${next.stderr}`]),
  ]
  return { isAcknowledged, faults: faults.map((fault) => `${error} at ${point.syscall} ${point.nth}: ${fault}`) }
}
