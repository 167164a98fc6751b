import { join } from 'node:path'
import { expect } from 'vitest'
import type { Drained, PushResult } from '../../src/model/postern.ts'
import { checkHistory, describeVerdict, type HistoryEvent } from '../helpers/history.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { runAtOnce } from './harness/barrier.ts'
import { answerOf, askCli } from './harness/cli.ts'
import { deliveriesIn, storeOf, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { integrityFault, storeFault } from './harness/soundness.ts'

/** Processes that push, as many at once as a stampede has. */
const PUSHERS = { quick: 8, full: 64, long: 12_800, most: 64 }
/** How often drains are released at once. */
const ROUNDS = { quick: 1, full: 1, long: 300, most: 1 }
const DRAINERS = 32
const PENDING = 500
const PER_DRAIN = 12

campaign('takes pushes of many processes at once into a store that does not exist yet', PUSHERS, async (pushers) => {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  const texts = Array.from({ length: pushers }, (_, index) => `text ${index}`)
  const startedAt = performance.now()
  const ran = await runAtOnce(
    join(folder, 'barrier'),
    home,
    texts.map((text) => ['inbox', 'push', '--create', '--to', 'quinn', text, '--json']),
  )
  const refused = ran.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)
  figures('stampede', `${pushers} pushes, ${refused.length} refused, ${Math.round(performance.now() - startedAt)} ms`)
  expect(refused).toEqual([])
  expect(new Set(ran.map((each) => answerOf<PushResult>(each).id)).size).toBe(pushers)
  expect((await deliveriesIn(home)).map(({ content }) => content).toSorted()).toEqual(texts.toSorted())
  expect(await storeFault(home)).toBeNull()
  expect(integrityFault(storeOf(home))).toBeNull()
})

campaign(`shows each of ${PENDING} messages exactly once to ${DRAINERS} drains released at once`, ROUNDS, async () => {
  verifies('G5.processes')
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  const keys = Array.from({ length: PENDING }, (_, index) => `message ${index}`)
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await inbox.pushMany({ messages: keys.map((content) => ({ to: ['quinn'], content })) })
  })
  const drain = ['inbox', 'drain', '--agent', 'quinn', '--limit', `${PER_DRAIN}`, '--json']
  const ran = await runAtOnce(
    join(folder, 'barrier'),
    home,
    Array.from({ length: DRAINERS }, () => drain),
  )

  const pushed = keys.map((key): HistoryEvent => ({ kind: 'acknowledged', key, by: 'setup' }))
  const shown = ran.flatMap((each, index) => shownBy(answerOf<Drained>(each), `drain ${index}`))
  const pending = (await deliveriesIn(home)).filter(({ state }) => state === 'pending')
  const waiting = pending.map(({ content }): HistoryEvent => ({ kind: 'waiting', key: content }))
  const verdict = checkHistory([...pushed, ...shown, ...waiting])
  figures('stampede', `${DRAINERS} drains: ${describeVerdict(verdict)}, ${waiting.length} left pending`)
  expect(verdict).toMatchObject({ isSound: true, repeated: 0, shown: DRAINERS * PER_DRAIN })
  expect(waiting).toHaveLength(PENDING - DRAINERS * PER_DRAIN)

  const rest = await askCli<Drained>(home, [...drain.slice(0, -3), '--limit', `${PENDING}`])
  expect(checkHistory([...pushed, ...shown, ...shownBy(rest, 'the last')])).toMatchObject({
    isSound: true,
    shown: PENDING,
  })
  expect(await storeFault(home)).toBeNull()
})

function shownBy({ messages }: Drained, by: string): HistoryEvent[] {
  const shown = messages.map(({ content, attempt }): HistoryEvent => ({ kind: 'shown', key: content, attempt, by }))
  return [...shown, ...messages.map(({ content }): HistoryEvent => ({ kind: 'confirmed', key: content, by }))]
}
