import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { campaign } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { deliveriesIn } from './harness/home.ts'
import {
  copyPlace,
  deliveryOf,
  describeEvent,
  type Fired,
  fire,
  idsIn,
  makePlace,
  type Place,
  push,
  readAnswer,
} from './harness/hook.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { doctorFault } from './harness/soundness.ts'
import { killAt, needsTrace, type Point, pointsIn, spread, watchInto } from './harness/strace.ts'

/** How often the hook is killed at each of its points; `npm test` kills it at some of them. */
const ROUNDS = { quick: 0.15, full: 1, long: 60, most: 1 }
/** What comes next differs before and after the first and last of these: the answer is written, the store has committed. */
const DECISIVE = ['write', 'fsync', 'rename']
const AT_ONCE = 3
const LEASE_MS = 200
const PROMPT = 'UserPromptSubmit'
const LATE_OUTPUT = fileURLToPath(new URL('./harness/late-output.cjs', import.meta.url))
/** What a hook writes beside its store; `out` is its standard output. */
const BESIDE = ['out', 'quiet', 'quiet/quinn', 'quiet/.partial', 'live/quinn', 'shadow', 'hook-errors.log']

describe('a hook that is killed at a storage or write syscall', needsTrace(), () => {
  campaign('a hook that is killed has its messages shown again, or had printed them whole', ROUNDS, async (rounds) => {
    verifies('G4.hook.killed')
    expect(await strike({ rounds })).toEqual([])
  })

  it('is caught where it says "printed" before it prints', async () => {
    const isChosen = ({ syscall }: Point) => syscall === 'write'
    const faults = await strike({ rounds: 1, node: ['--require', LATE_OUTPUT], isChosen })
    expect(faults).toContainEqual(expect.stringContaining('is seen but was never printed'))
  })
})

describe('a hook that dies', () => {
  it('between offer and print has its messages shown again after their lease', async () => {
    verifies('G4.hook.killed')
    // As a host does at its timeout.
    const killing = {
      event: 'turn.stop',
      command: 'touch offered; kill -KILL $PPID',
      priority: 40,
      timeoutMs: DEAD_MACHINE_MS,
    }
    const place = await prepare([killing])
    const [id = ''] = await waitingIn(place)
    const killed = await fire(place, 'Stop')
    expect(killed.signal).toBe('SIGKILL')
    expect([killed.stdout, existsSync(join(place.project, 'offered'))]).toEqual(['', true])
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'offered', attempt: 1 })
    await delay(LEASE_MS)
    const next = await fire(place, PROMPT)
    expect(idsIn(next)).toContain(id)
    expect(next.context).toContain('attempt 2')
  })
})

describe('a hook whose output is not taken', () => {
  for (const [what, line] of [
    ['a closed output', '"$@" >&-'],
    ['a full disk', '"$@" > /dev/full'],
    ['a reader that is gone', '"$@" | { exec 0<&-; sleep 1; }'],
  ] as const) {
    it(`gives its messages back at once: ${what}`, async () => {
      verifies('G4.hook.unread')
      const place = await prepare()
      const ids = await waitingIn(place)
      const fired = await fire(place, PROMPT, { wrap: ['bash', '-c', line, 'bash'] })
      expect([fired.code, fired.stdout]).toEqual([0, ''])
      expect(await waitingIn(place)).toEqual(ids)
      const next = await fire(place, PROMPT)
      expect(idsIn(next)).toEqual(ids)
      // Nobody was shown them, so this is the first attempt.
      expect(next.context).not.toContain('attempt 2')
    })
  }
})

interface Strike {
  /** The part of the points, evenly spread, at which the hook is killed. */
  readonly rounds: number
  readonly node?: readonly string[]
  readonly isChosen?: (point: Point) => boolean
}

/** Kills a prompt's hook at its points, each time in a copy of the same home. Returns what is wrong then. */
async function strike({ rounds, node = [], isChosen = () => true }: Strike): Promise<string[]> {
  const template = await prepare()
  const counted = copyPlace(template)
  const log = join(counted.project, 'strace.log')
  const ran = await fireInto(counted, watchInto(log, counted.home, BESIDE), node)
  expect(idsIn(ran)).toHaveLength(2)
  const points = pointsIn(log)
  expect(points.length).toBeGreaterThan(20)
  expect(points).toContainEqual({ syscall: 'write', nth: 1 })

  const chosen = spread(points.filter(isChosen), rounds, DECISIVE)
  const found = await inTurn(chosen, AT_ONCE, (point) => strikeOnce(copyPlace(template), point, node))
  const faults = found.flat()
  figures('hook', `${node.length > 0 ? 'planted: ' : ''}${chosen.length} points, ${faults.length} faults`)
  return faults
}

async function strikeOnce(place: Place, point: Point, node: readonly string[]): Promise<string[]> {
  const ids = await waitingIn(place)
  const killed = await fireInto(place, killAt(place.home, point, BESIDE), node)
  const faults = killed.signal === 'SIGKILL' ? await inspect(place, ids, killed) : [`was not killed (${killed.code})`]
  return faults.map((fault) => `${point.syscall} ${point.nth}: ${fault}`)
}

async function inspect(place: Place, ids: readonly string[], killed: Fired): Promise<string[]> {
  const doctor = await doctorFault(place.home)
  const printed = idsIn(killed)
  await delay(LEASE_MS)
  const next = await fire(place, PROMPT)
  const again = idsIn(next)
  const afterNext = await statesIn(place)
  const last = idsIn(await fire(place, PROMPT))
  const states = await statesIn(place)
  return [
    ...(doctor === null ? [] : [doctor]),
    ...(printed.length === 0 || printed.length === ids.length ? [] : [`only ${printed.length} were printed`]),
    ...ids.filter((id) => ![...printed, ...again].includes(id)).map((id) => `${id} was never shown`),
    ...ids
      .filter((id) => afterNext.get(id) === 'seen' && !printed.includes(id))
      .map((id) => `${id} is seen but was never printed`),
    ...(printed.length > 0 && again.length > 0 && !next.context.includes('attempt 2') ? ['shown again as if new'] : []),
    ...(last.length === 0 ? [] : ['shown a third time']),
    ...[...states].filter(([, state]) => state !== 'seen').map(([id, state]) => `${id} ended as ${state}`),
  ]
}

/** Messages of quinn: one that was shown and printed before, and two that wait. */
async function prepare(hooks: readonly unknown[] = []): Promise<Place> {
  const place = await makePlace({ limits: { unprintedOfferMs: LEASE_MS }, hooks })
  await push(place, 'shown before')
  expect(idsIn(await fire(place, PROMPT))).toHaveLength(1)
  await push(place, 'one that waits')
  await push(place, 'another that waits')
  return place
}

/** Fires with input and output in files, whose paths the tracer can watch. */
async function fireInto(place: Place, tracer: readonly string[], node: readonly string[]): Promise<Fired> {
  const [input, out] = [join(place.project, 'in'), join(place.home, 'out')]
  writeFileSync(input, JSON.stringify(describeEvent(place, PROMPT, {})))
  const words = tracer.map((word) => `'${word}'`).join(' ')
  const wrap = ['bash', '-c', `exec ${words} "$@" < '${input}' > '${out}'`, 'bash']
  const fired = await fire(place, PROMPT, { wrap, node })
  const stdout = readFileSync(out, 'utf8')
  return { ...fired, stdout, ...readAnswer(stdout) }
}

async function waitingIn({ home }: Place): Promise<string[]> {
  const deliveries = await deliveriesIn(home)
  return deliveries.filter(({ agent, state }) => agent === 'quinn' && state === 'pending').map(({ id }) => id)
}

async function statesIn({ home }: Place): Promise<Map<string, string>> {
  const deliveries = await deliveriesIn(home)
  return new Map(deliveries.filter(({ agent }) => agent === 'quinn').map(({ id, state }) => [id, state]))
}
