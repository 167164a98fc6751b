import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { bodiesOf, busPath, openTestBus, plant, plantedEntry, post } from '../../helpers/bus/bus-files.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { inTurn } from '../harness/in-turn.ts'
import { figures } from '../harness/need.ts'
import { needsTrace, type Point, pointsIn, spread } from '../harness/strace.ts'
import { type Acknowledged, bundle } from './crew.ts'
import { judge } from './verdict.ts'

const AT_ONCE = 3
/** Rounds over all points of a victim: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.08, full: 1, long: 150, most: 1 }
/** Calls after which an entry counts: their first and last are always struck. */
const DECISIVE = ['fdatasync', 'rename']
const POSTS = 3
/** How often the disk fails. */
const FAILURES = { quick: 2, full: 12, long: 1_200, most: 12 }
/** So many of them that the disk is known to be quick. */
const MANY_POSTS = 12
/** After the first and the third post, so that the victim rotates twice. */
const ROTATE_BYTES = 700
const TORN = plantedEntry(0, 'torn'.repeat(20)).subarray(0, -9)

const CASES: readonly (readonly [string, string | Uint8Array, Omit<Victim, 'root'>])[] = [
  ['into a bus that is new', '', { posts: POSTS, rotateBytes: 0 }],
  ['after an entry that is torn', TORN, { posts: POSTS, rotateBytes: 0 }],
  ['while the file is set aside', '', { posts: POSTS, rotateBytes: ROTATE_BYTES }],
  ['on a disk that is known to be quick', '', { posts: MANY_POSTS, rotateBytes: 0, plant: 'quick' }],
]

describe('a post that is killed at a storage syscall', needsTrace(), () => {
  for (const [name, before, victim] of CASES) {
    campaign(`a post that is killed is whole or not there, and harms no other: ${name}`, ROUNDS, async (rounds) => {
      verifies('S002.crash')
      const folder = temporaryFolder()
      const counted = prepare(join(folder, 'counted'), before)
      const log = join(folder, 'strace.log')
      expect((await run({ root: counted, ...victim }, ['-o', log])).acknowledged).toHaveLength(victim.posts)
      const all = pointsIn(log)
      expect(all.length).toBeGreaterThan(2 * POSTS)
      const points = spread(all, rounds, DECISIVE)
      const { struck, faults } = await strikeAll(name, points, (at) => ({
        root: prepare(join(folder, `${at}`), before),
        ...victim,
      }))
      expect(faults).toEqual([])
      // Calls are counted by thread, and which thread waits for the disk differs from run to run.
      expect(struck).toBeGreaterThanOrEqual(points.length * 0.6)
    })
  }

  campaign(
    'a post is refused where the disk fails, and stands there once or not at all',
    FAILURES,
    async (failures) => {
      const folder = temporaryFolder()
      const points = Array.from({ length: failures }, (_, at) => 1 + Math.floor((at * MANY_POSTS) / failures))
      const found = await inTurn(points, AT_ONCE, async (nth, at) => {
        const root = prepare(join(folder, `${at}`), '')
        const failing = ['-e', 'trace=fdatasync', '-e', `inject=fdatasync:error=EIO:when=${nth}`]
        const victim: Victim = { root, posts: MANY_POSTS, rotateBytes: 0, plant: 'quick' }
        const { acknowledged, trouble } = await run(victim, ['-o', '/dev/null', ...failing])
        const { lost, twice, notRising } = await judge(root, acknowledged)
        const isTold = acknowledged.length === MANY_POSTS ? trouble === '' : trouble.includes('BUS_UNUSABLE')
        return { isFailed: acknowledged.length < MANY_POSTS, isTold, faults: [...lost, ...twice, ...notRising] }
      })
      expect(found.flatMap(({ faults }) => faults)).toEqual([])
      expect(found.every(({ isTold }) => isTold)).toBe(true)
      // Calls are counted by thread, and which thread waits for the disk differs from run to run.
      expect(found.filter(({ isFailed }) => isFailed).length).toBeGreaterThan(failures / 4)
    },
  )

  it('finds a planted post that is acknowledged before it is written', FULL, async () => {
    const folder = temporaryFolder()
    const points = [1, 2, 3].map((nth) => ({ syscall: 'fdatasync', nth }))
    const { faults } = await strikeAll('planted: late', points, (at) => ({
      root: prepare(join(folder, `${at}`), plantedEntry(0)),
      posts: POSTS,
      rotateBytes: 0,
      plant: 'late',
    }))
    expect(faults).toContainEqual(expect.stringContaining('entry 0 is lost'))
  })
})

interface Victim {
  readonly root: string
  readonly posts: number
  readonly rotateBytes: number
  readonly plant?: 'late' | 'quick'
}

async function strikeAll(name: string, points: readonly Point[], victimOf: (at: number) => Victim) {
  const found = await inTurn(points, AT_ONCE, (point, at) => strike(victimOf(at), point))
  const struck = found.filter(({ isStruck }) => isStruck).length
  const faults = found.flatMap((each) => each.faults)
  figures('bus crash', `${name}: ${struck} of ${points.length} points struck, ${faults.length} faults`)
  return { struck, faults }
}

function prepare(root: string, before: string | Uint8Array): string {
  mkdirSync(root, { recursive: true })
  if (before.length > 0) plant(busPath(root), before)
  return root
}

async function strike(victim: Victim, { syscall, nth }: Point) {
  const { root } = victim
  const what = ['-e', `trace=${syscall}`, '-e', `inject=${syscall}:signal=SIGKILL:when=${nth}`]
  const { acknowledged, isKilled, trouble } = await run(victim, ['-o', '/dev/null', ...what])
  expect(trouble).toBe('')
  const { shelf } = openTestBus({ root })
  await post(shelf, 'after')
  const { lost, twice, notRising, strange } = await judge(root, acknowledged)
  const bodies = await bodiesOf(shelf)
  const faults = [
    ...lost.map((key) => `${key} is lost`),
    ...twice.map((key) => `${key} is there twice`),
    ...notRising.map((id) => `${id} does not rise`),
    ...strange.map((fault) => JSON.stringify(fault)),
    ...(bodies.at(-1) === 'after' ? [] : ['the next one is not there']),
    ...(bodies.length <= acknowledged.length + 2 ? [] : [`there are ${bodies.length}`]),
  ]
  return { isStruck: isKilled, faults: faults.map((fault) => `${syscall} ${nth}: ${fault}`) }
}

async function run(
  { root, posts, rotateBytes, plant }: Victim,
  tracing: readonly string[],
): Promise<{ readonly acknowledged: Acknowledged[]; readonly isKilled: boolean; readonly trouble: string }> {
  const path = busPath(root)
  const archives = ['.0001.md', '.0002.md'].map((ending) => path.replace('.md', ending))
  const paths = [path, ...archives, dirname(path), dirname(dirname(path)), root].flatMap((each) => ['-P', each])
  const words = ['-f', '-qq', ...paths, ...tracing, process.execPath, bundle('post-some'), root, `${posts}`]
  const child = spawn('strace', [...words, `${rotateBytes}`, plant ?? ''], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Calls are counted by thread: one thread waits for the disk, so that each run makes the same calls.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
  })
  const [out, trouble] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const acknowledged = out.split('\n').slice(0, -1)
  const isKilled = child.signalCode === 'SIGKILL'
  return { acknowledged: acknowledged.map((line) => JSON.parse(line)), isKilled, trouble }
}
