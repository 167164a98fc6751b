import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Drained } from '../../src/model/postern.ts'
import { checkHistory, type HistoryEvent } from '../helpers/history.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { askCli, type Ran, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { storeFault } from './harness/soundness.ts'
import { countPoints, killAt, needsTrace, type Point, spread } from './harness/strace.ts'

const AT_ONCE = 3
const LEASE_MS = 200
const LATE_OUTPUT = fileURLToPath(new URL('./harness/late-output.cjs', import.meta.url))
const EARLIER = ['earlier one', 'earlier two', 'earlier three'] as const

/** Rounds over all points of a command: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.03, full: 1, long: 80, most: 1 }
/** A new store is many pages, written one after the other. */
const FIRST_ROUNDS = { quick: 0.008, full: 1, long: 16, most: 1 }
/** Calls before which something is promised, or after which it is gone: their first and last are always struck. */
const DECISIVE = ['fsync', 'unlink']

/** One command that is killed at its points, and what must be true of its home afterwards. */
interface Victim {
  readonly name: string
  readonly args: readonly string[]
  /** Options of Node itself, with which a bug is planted. */
  readonly node?: readonly string[]
  /** Makes the home that every point begins with. */
  prepare(home: string): Promise<unknown>
  /** What is wrong after the kill, if anything. The store was checked before. */
  inspect(home: string, killed: Ran): Promise<string[]>
}

const drain: Victim = {
  name: 'drain',
  args: ['inbox', 'drain', '--agent', 'quinn', '--json'],
  prepare: (home) => prepareInbox(home, { unprintedOfferMs: LEASE_MS }),
  inspect: inspectDrain,
}

describe('a command killed at a storage syscall', needsTrace(), () => {
  campaign(
    'a push keeps for all recipients what it acknowledged, and the rest for all or none',
    ROUNDS,
    async (rounds) => {
      verifies('G1.kill')
      const text = 'the message whose push is killed'
      const push: Victim = {
        name: 'push',
        args: ['inbox', 'push', '--to', 'quinn,robin', text, '--json'],
        prepare: (home) => prepareInbox(home),
        inspect: (home, killed) => inspectPush(home, killed, text),
      }
      expect(await strike(push, rounds)).toEqual([])
    },
  )

  campaign('a first push leaves a store that the next command completes', FIRST_ROUNDS, async (rounds) => {
    verifies('G1.kill')
    const text = 'the first message of all'
    const firstPush: Victim = {
      name: 'first push',
      args: ['inbox', 'push', '--create', '--to', 'quinn,robin', text, '--json'],
      prepare: async (home) => makeHome(home),
      inspect: (home, killed) => inspectPush(home, killed, text, []),
    }
    expect(await strike(firstPush, rounds)).toEqual([])
  })

  campaign(
    'a drain shows again what was not confirmed, and confirms only what it printed whole',
    ROUNDS,
    async (rounds) => {
      verifies('G4.crash')
      expect(await strike(drain, rounds)).toEqual([])
    },
  )

  it('finds a planted drain that confirms before it has printed', FULL, async () => {
    const planted = { ...drain, name: 'drain, planted', node: ['--require', LATE_OUTPUT] }
    const faults = await strike(planted, 1, ({ syscall }) => DECISIVE.includes(syscall))
    expect(faults).toContainEqual(expect.stringContaining('was confirmed but never printed'))
  })

  campaign('an ack acts on all that it names or on none, and keeps what it answered', ROUNDS, async (rounds) => {
    verifies('G1.kill')
    // The same ids in every copy of the home, so the command is known before it is struck.
    const template = temporaryFolder()
    const ids = await prepareSeen(template)
    const ack: Victim = {
      name: 'ack',
      args: ['inbox', 'ack', '--agent', 'quinn', ...ids, '--json'],
      prepare: async (home) => copyHome(template, home),
      inspect: (home, killed) => inspectAck(home, killed, ids),
    }
    expect(await strike(ack, rounds)).toEqual([])
  })
})

/** Kills the command at its points, each time in a fresh copy of the same home. Returns what is wrong then. */
async function strike(
  victim: Victim,
  rounds: number,
  isChosen: (point: Point) => boolean = () => true,
): Promise<string[]> {
  const folder = temporaryFolder()
  const template = join(folder, 'template')
  await victim.prepare(template)
  const { points, ran } = await countPoints(copyHome(template, join(folder, 'counted')), victim.args)
  expect(ran.code, ran.stderr).toBe(0)
  expect(points.length).toBeGreaterThan(20)

  const chosen = spread(points.filter(isChosen), rounds, DECISIVE)
  const found = await inTurn(chosen, AT_ONCE, (point, at) =>
    strikeOnce(victim, point, copyHome(template, join(folder, `${at}`))),
  )
  const faults = found.flat()
  figures('crash points', `${victim.name}: ${chosen.length} kills at ${points.length} points, ${faults.length} faults`)
  return faults
}

async function strikeOnce(victim: Victim, point: Point, home: string): Promise<string[]> {
  const killed = await runCli(home, victim.args, { wrap: killAt(home, point), node: victim.node ?? [] })
  if (killed.signal !== 'SIGKILL')
    return [`${point.syscall} ${point.nth}: was not killed (exit ${killed.code}) ${killed.stderr}`]
  const unsound = await storeFault(home)
  const faults = [...(unsound === null ? [] : [unsound]), ...(await victim.inspect(home, killed))]
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
  const third = await withStore(home, ({ inbox }) => inbox.drain({ agent: 'quinn' }))
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
  const pushed = await withStore(home, ({ inbox }) => inbox.push({ to: ['quinn'], content: 'afterwards' }))
  return [
    ...(isWhole ? [] : [`after the kill: ${[...states].join(', ')}, answered: ${isAnswered}`]),
    ...(next.code === 0 && after.size === 1 && after.has('acted')
      ? []
      : [`the next ack: ${next.stderr} ${[...after].join(', ')}`]),
    ...(pushed.duplicate ? ['the next push found a duplicate'] : []),
  ]
}
