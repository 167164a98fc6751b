import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Drained, PushResult } from '../../src/model/postern.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/requirements.ts'
import { askCli, type Ran, runCli } from './harness/cli.ts'
import { checkHistory, type HistoryEvent } from './harness/history.ts'
import { copyHome, deliveriesIn, makeHome, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures, isLong } from './harness/need.ts'
import { doctorFault } from './harness/soundness.ts'
import { canTrace, countPoints, killAt, type Point } from './harness/strace.ts'

const AT_ONCE = 3
const LEASE_MS = 200
const LATE_OUTPUT = fileURLToPath(new URL('./harness/late-output.cjs', import.meta.url))
const EARLIER = ['earlier one', 'earlier two', 'earlier three'] as const

/** One command that is killed at each of its points, and what must be true of its home afterwards. */
interface Campaign {
  readonly name: string
  readonly args: readonly string[]
  /** Options of Node itself, with which a bug is planted. */
  readonly node?: readonly string[]
  /** Makes the home that every point begins with. */
  prepare(home: string): Promise<unknown>
  /** What is wrong after the kill, if anything. The doctor has looked at the home before. */
  inspect(home: string, killed: Ran): Promise<string[]>
}

const drain: Campaign = {
  name: 'drain',
  args: ['inbox', 'drain', '--agent', 'quinn', '--json'],
  prepare: (home) => prepareInbox(home, { unprintedOfferMs: LEASE_MS }),
  inspect: inspectDrain,
}

describe.runIf(canTrace())('a command killed at every storage syscall', () => {
  it('push: what was acknowledged is there for all recipients, what was not for all or none', async () => {
    verifies('G1.kill')
    const text = 'the message whose push is killed'
    const faults = await strike({
      name: 'push',
      args: ['inbox', 'push', '--to', 'quinn,robin', text, '--json'],
      prepare: (home) => prepareInbox(home),
      inspect: (home, killed) => inspectPush(home, killed, text),
    })
    expect(faults).toEqual([])
  })

  it('first push: a store that is being made is made by the next command', async () => {
    verifies('G1.kill')
    const text = 'the first message of all'
    const firstPush: Campaign = {
      name: 'first push',
      args: ['inbox', 'push', '--create', '--to', 'quinn,robin', text, '--json'],
      prepare: async (home) => makeHome(home),
      inspect: (home, killed) => inspectPush(home, killed, text, []),
    }
    // A new store is many pages, written one after the other: all but the long run kills at some of them.
    const faults = await strike(firstPush, ({ syscall, nth }) => isLong || syscall !== 'pwrite64' || nth % 5 === 1)
    expect(faults).toEqual([])
  })

  it('drain: what was not confirmed is shown again, what was confirmed had been printed whole', async () => {
    verifies('G4.crash')
    expect(await strike(drain)).toEqual([])
  })

  it('finds a planted drain that confirms before it has printed', async () => {
    const planted = { ...drain, name: 'drain, planted', node: ['--require', LATE_OUTPUT] }
    const faults = await strike(planted, ({ syscall }) => syscall === 'fsync' || syscall === 'unlink')
    expect(faults).toContainEqual(expect.stringContaining('was confirmed but never printed'))
  })

  it('ack: all that it names is acted, or none; what it answered holds', async () => {
    verifies('G1.kill')
    // The same ids in every copy of the home, so the command is known before it is struck.
    const template = temporaryFolder()
    const ids = await prepareSeen(template)
    const faults = await strike({
      name: 'ack',
      args: ['inbox', 'ack', '--agent', 'quinn', ...ids, '--json'],
      prepare: async (home) => copyHome(template, home),
      inspect: (home, killed) => inspectAck(home, killed, ids),
    })
    expect(faults).toEqual([])
  })
})

/** Kills the command at each of its points, each time in a fresh copy of the same home. Returns what is wrong then. */
async function strike(campaign: Campaign, isChosen: (point: Point) => boolean = () => true): Promise<string[]> {
  const folder = temporaryFolder()
  const template = join(folder, 'template')
  await campaign.prepare(template)
  const { points, ran } = await countPoints(copyHome(template, join(folder, 'counted')), campaign.args)
  expect(ran.code, ran.stderr).toBe(0)
  expect(points.length).toBeGreaterThan(20)

  const chosen = points.filter(isChosen)
  const found = await inTurn(chosen, AT_ONCE, (point, at) =>
    strikeOnce(campaign, point, copyHome(template, join(folder, `${at}`))),
  )
  const faults = found.flat()
  figures('crash points', `${campaign.name}: ${chosen.length} points, ${faults.length} faults`)
  return faults
}

async function strikeOnce(campaign: Campaign, point: Point, home: string): Promise<string[]> {
  const killed = await runCli(home, campaign.args, { wrap: killAt(home, point), node: campaign.node ?? [] })
  if (killed.signal !== 'SIGKILL')
    return [`${point.syscall} ${point.nth}: was not killed (exit ${killed.code}) ${killed.stderr}`]
  const doctor = await doctorFault(home)
  const faults = [...(doctor === null ? [] : [doctor]), ...(await campaign.inspect(home, killed))]
  return faults.map((fault) => `${point.syscall} ${point.nth}: ${fault}`)
}

async function prepareInbox(home: string, limits = {}): Promise<void> {
  makeHome(home, limits)
  await withStore(home, async ({ agents, inbox }) => {
    for (const id of ['quinn', 'robin']) await agents.add({ id })
    for (const content of EARLIER) await inbox.push({ to: ['quinn'], content })
  })
}

async function prepareSeen(home: string): Promise<string[]> {
  await prepareInbox(home)
  const { messages } = await askCli<Drained>(home, ['inbox', 'drain', '--agent', 'quinn'])
  return messages.map(({ id }) => id)
}

async function inspectPush(
  home: string,
  killed: Ran,
  text: string,
  earlier: readonly string[] = EARLIER,
): Promise<string[]> {
  const isAcknowledged = killed.stdout !== ''
  const deliveries = await deliveriesIn(home)
  const copies = deliveries.filter(({ content }) => content === text).length
  const next = await runCli(home, ['inbox', 'push', '--create', '--to', 'quinn', 'afterwards'])
  return [
    ...(copies === 2 || (copies === 0 && !isAcknowledged)
      ? []
      : [`${copies} of 2 deliveries, acknowledged: ${isAcknowledged}`]),
    ...earlier.filter((each) => !deliveries.some(({ content }) => content === each)).map((each) => `"${each}" is gone`),
    ...(next.code === 0 ? [] : [`the next push failed: ${next.stderr}`]),
  ]
}

async function inspectDrain(home: string, killed: Ran): Promise<string[]> {
  await delay(LEASE_MS)
  const deliveries = await deliveriesIn(home)
  const confirmed = deliveries.filter(({ state }) => state === 'seen').map(({ content }) => content)
  const first = printedBy(killed)
  const second = printedBy(await runCli(home, ['inbox', 'drain', '--agent', 'quinn', '--json']))
  const events: HistoryEvent[] = [
    ...EARLIER.map((key): HistoryEvent => ({ kind: 'acknowledged', key, by: 'setup' })),
    ...first.map(({ content, attempt }): HistoryEvent => ({ kind: 'shown', key: content, attempt, by: 'killed' })),
    { kind: 'crashed', by: 'killed' },
    ...second.map(({ content, attempt }): HistoryEvent => ({ kind: 'shown', key: content, attempt, by: 'next' })),
  ]
  const verdict = checkHistory(events)
  const unprinted = confirmed.filter((content) => !first.some((message) => message.content === content))
  const third = await askCli<Drained>(home, ['inbox', 'drain', '--agent', 'quinn'])
  return [
    ...(verdict.isSound ? [] : [JSON.stringify(verdict)]),
    ...unprinted.map((content) => `"${content}" was confirmed but never printed`),
    ...(second.length === 0 || second.length === EARLIER.length ? [] : [`only ${second.length} came back`]),
    ...(third.messages.length === 0 ? [] : ['a third drain shows them again']),
  ]
}

/** What a drain's output shows a reader, who cannot use half an answer. */
function printedBy({ stdout }: Ran): readonly { readonly content: string; readonly attempt: number }[] {
  try {
    return (JSON.parse(stdout) as Drained).messages
  } catch {
    return []
  }
}

async function inspectAck(home: string, killed: Ran, ids: readonly string[]): Promise<string[]> {
  const states = new Set((await deliveriesIn(home)).filter(({ id }) => ids.includes(id)).map(({ state }) => state))
  const isAnswered = killed.stdout !== ''
  const isWhole = states.size === 1 && (states.has('acted') || (states.has('seen') && !isAnswered))
  const next = await runCli(home, ['inbox', 'ack', '--agent', 'quinn', ...ids])
  const after = new Set((await deliveriesIn(home)).map(({ state }) => state))
  const pushed = await askCli<PushResult>(home, ['inbox', 'push', '--to', 'quinn', 'afterwards'])
  return [
    ...(isWhole ? [] : [`after the kill: ${[...states].join(', ')}, answered: ${isAnswered}`]),
    ...(next.code === 0 && after.size === 1 && after.has('acted')
      ? []
      : [`the next ack: ${next.stderr} ${[...after].join(', ')}`]),
    ...(pushed.duplicate ? ['the next push found a duplicate'] : []),
  ]
}
