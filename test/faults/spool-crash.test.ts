import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { quarantinePath, spoolPath, statePath } from '../../src/spool/path.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { cliCommand, type Ran, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, storeOf, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { storeFault } from './harness/soundness.ts'
import { needsTrace, type Point, spread } from './harness/strace.ts'

const AT_ONCE = 3
/** Rounds over all points of a take: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.025, full: 1, long: 90, most: 1 }
/** The same for the calls that decide. */
const DECISIVE_ROUNDS = { quick: 0.1, full: 1, long: 90, most: 1 }
const SESSION = 'ses-1'
const DRAIN = ['inbox', 'drain', '--agent', 'quinn', '--session', SESSION, '--json']

/** Everything that a take treats in its own way: keys, ids, neither (twice the same words), a bad line, a torn end. */
const LINES = [
  { content: 'by key', dedup_key: 'k' },
  { content: 'by id', id: 'u-1' },
  { content: 'nameless' },
  { content: 'nameless' },
  'a bad line',
  { content: 'over', timestamp: 1_707_858_243_000, ttl_seconds: 1, id: 'u-2' },
  { content: 'x'.repeat(70_000), id: 'u-3' },
].map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
const TORN = '{"content":"torn'
const WANTED = ['by id', 'by key', 'earlier', 'nameless', 'nameless', 'over']

/** Calls that change what is stored. */
const STORING = new Set('openat write pwrite64 fsync fdatasync ftruncate unlink rename mkdir flock'.split(' '))

describe('a drain that is killed at a storage syscall while it takes a spool', needsTrace(), () => {
  campaign(
    'a drain that is killed while it takes a spool loses no entry and stores none twice',
    ROUNDS,
    async (rounds) => {
      verifies('G4.spool.crash')
      expect(await strike('with the addon', { rounds, hasAddon: true })).toEqual([])
    },
  )

  campaign('a drain that is killed loses no entry where flock(1) takes the lock', DECISIVE_ROUNDS, async (rounds) => {
    verifies('G4.spool.crash')
    expect(await strike('without the addon', { rounds, isChosen: isDecisive })).toEqual([])
  })

  it('finds a planted drain that empties the spool before the store has committed', FULL, async () => {
    const planted = { rounds: 1, plant: 'truncate-first.cjs', isChosen: isDecisive }
    expect(await strike('planted: truncate first', planted)).toContainEqual(expect.stringContaining('"by key" is lost'))
  })

  it('finds a planted drain that takes entries without a name twice', FULL, async () => {
    const planted = { rounds: 1, plant: 'forget-names.cjs', isChosen: isDecisive }
    expect(await strike('planted: no names', planted)).toContainEqual(
      expect.stringContaining('"nameless" is there 4 times'),
    )
  })
})

/** Calls before which something is promised, or after which it is gone. */
const DECISIVE = ['fsync', 'fdatasync', 'ftruncate', 'unlink']

function isDecisive({ syscall }: Point): boolean {
  return DECISIVE.includes(syscall)
}

interface Strike {
  readonly rounds: number
  readonly hasAddon?: boolean
  readonly plant?: string
  readonly isChosen?: (point: Point) => boolean
}

const projectOf = (home: string) => join(home, 'project')
const spoolOf = (home: string) => spoolPath(projectOf(home), SESSION)

async function strike(
  name: string,
  { rounds, hasAddon = false, plant, isChosen = () => true }: Strike,
): Promise<string[]> {
  placeAddon(hasAddon)
  const folder = temporaryFolder()
  const template = join(folder, 'template')
  await prepare(template)
  const node = plant === undefined ? [] : ['--require', fileURLToPath(new URL(`./harness/${plant}`, import.meta.url))]
  const counted = copyHome(template, join(folder, 'counted'))
  const points = spread((await countPoints(counted, node)).filter(isChosen), rounds, ['ftruncate'])
  expect(points.length).toBeGreaterThan(2)
  const found = await inTurn(points, AT_ONCE, async (point, at) => {
    const home = copyHome(template, join(folder, `${at}`))
    const what = ['-e', `trace=${point.syscall}`, '-e', `inject=${point.syscall}:signal=SIGKILL:when=${point.nth}`]
    const killed = await drain(home, [...strace(home), '-o', '/dev/null', ...what], node)
    // Threads may share the calls in another way than when they were counted; then it simply was not struck.
    const faults = await inspect(home)
    return {
      isStruck: killed.signal === 'SIGKILL',
      faults: faults.map((each) => `${point.syscall} ${point.nth}: ${each}`),
    }
  })
  const struck = found.filter(({ isStruck }) => isStruck).length
  const faults = found.flatMap((each) => each.faults)
  figures('spool', `${name}: ${struck} of ${points.length} points struck, ${faults.length} faults`)
  expect(struck).toBeGreaterThanOrEqual(points.length * 0.8)
  return faults
}

/** The copy of the command that the tests run has no addon beside it, unless it is put there. */
function placeAddon(hasAddon: boolean): void {
  const target = join(dirname(dirname(cliCommand([]).at(-1) ?? '')), 'native')
  rmSync(target, { recursive: true, force: true })
  if (hasAddon) cpSync(fileURLToPath(new URL('../../native', import.meta.url)), target, { recursive: true })
}

async function prepare(home: string): Promise<void> {
  makeHome(home)
  await withStore(home, async ({ agents, inbox }) => {
    await agents.add({ id: 'quinn' })
    await inbox.push({ to: ['quinn'], content: 'earlier' })
  })
  mkdirSync(join(projectOf(home), '.git'), { recursive: true })
  mkdirSync(dirname(spoolOf(home)), { recursive: true })
  writeFileSync(spoolOf(home), `${LINES.join('\n')}\n${TORN}`)
}

function drain(home: string, wrap: readonly string[], node: readonly string[] = []): Promise<Ran> {
  return runCli(home, DRAIN, { wrap: ['env', '-C', projectOf(home), ...wrap], node })
}

function strace(home: string): string[] {
  const spool = spoolOf(home)
  const store = ['', '-wal', '-shm', '-journal'].map((suffix) => storeOf(home) + suffix)
  const beside = [statePath(spool), `${statePath(spool)}.partial`, quarantinePath(spool)]
  const folders = [dirname(spool), dirname(quarantinePath(spool))]
  return ['strace', '-f', '-qq', ...[...store, spool, ...beside, ...folders].flatMap((path) => ['-P', path])]
}

async function countPoints(home: string, node: readonly string[]): Promise<Point[]> {
  const log = join(home, 'strace.log')
  const ran = await drain(home, [...strace(home), '-o', log], node)
  expect(ran.code, ran.stderr).toBe(0)
  const counts = new Map<string, number>()
  for (const [, syscall = ''] of readFileSync(log, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)) {
    if (STORING.has(syscall)) counts.set(syscall, (counts.get(syscall) ?? 0) + 1)
  }
  return [...counts].flatMap(([syscall, count]) => Array.from({ length: count }, (_, at) => ({ syscall, nth: at + 1 })))
}

/** What is wrong once another drain has come by. */
async function inspect(home: string): Promise<string[]> {
  const next = await drain(home, [])
  const unsound = await storeFault(home)
  const found = (await deliveriesIn(home)).map(({ content }) => content).sort()
  const spool = spoolOf(home)
  const quarantine = existsSync(quarantinePath(spool)) ? readFileSync(quarantinePath(spool), 'utf8') : ''
  const count = (content: string) => found.filter((each) => each === content).length
  const wanted = (content: string) => WANTED.filter((each) => each === content).length
  return [
    ...(next.code === 0 ? [] : [`the next drain failed: ${next.stderr}`]),
    ...(unsound === null ? [] : [unsound]),
    ...[...new Set(WANTED)].flatMap((each) =>
      count(each) === wanted(each)
        ? []
        : [count(each) < wanted(each) ? `"${each}" is lost` : `"${each}" is there ${count(each)} times`],
    ),
    ...['a bad line', TORN, 'x'.repeat(70_000)].flatMap((line) =>
      quarantine.includes(line) ? [] : [`"${line.slice(0, 20)}" is lost and in no quarantine`],
    ),
    ...(statSync(spool).size === 0 ? [] : [`the spool still holds ${JSON.stringify(readFileSync(spool, 'utf8'))}`]),
    ...(existsSync(statePath(spool)) ? ['a state is left beside an empty spool'] : []),
  ]
}
