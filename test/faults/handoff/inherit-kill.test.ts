import { cpSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { askCli, type Ran, runCli } from '../harness/cli.ts'
import { storeOf, withStore } from '../harness/home.ts'
import { describeEvent, faultsOf, fire, makePlace, type Place } from '../harness/hook.ts'
import { inTurn } from '../harness/in-turn.ts'
import { figures } from '../harness/need.ts'
import { killAt, needsTrace, type Point, pointsIn, spread, watchInto } from '../harness/strace.ts'

const AT_ONCE = 3
const MAX_ATTEMPTS = 3
/** Rounds over all points of a way: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.035, full: 1, long: 80, most: 1 }
/** A hook that half of its time has passed for leaves its upkeep to others, and a busy machine makes it so. */
const MAX_SPARED = 0.3
const LATE_OUTPUT = fileURLToPath(new URL('../harness/late-output.cjs', import.meta.url))
const HOUR_MS = 3_600_000
/** Items that wait in one project. */
const ITEMS_AT_ONCE = { quick: 4, full: 12, long: 1_200, most: 12 }

const ITEMS = ['1736528400-learning.md', '1736528401-caution.md']
const bodyOf = (name: string) => `The words of ${name}.`

/** What inheriting touches beside the store, seen from the home; `out` is the standard output. */
const BESIDE = [
  'out',
  ...['', 'processed', ...ITEMS, ...ITEMS.map((name) => `processed/${name}`)].map((name) => `../project/inbox/${name}`),
]

/** One way to inherit, or to go on with what was inherited before. */
interface Way {
  readonly name: string
  /** What has happened before, undisturbed; answers with what was shown then. The store remembers the place. */
  readonly before?: (place: Place) => Promise<string>
  /** What it must be seen to do. */
  readonly syscalls: readonly string[]
  /** Calls that decide what becomes of an item: their first and last are always struck. */
  readonly edges: readonly string[]
  readonly run: (place: Place, wrap: readonly string[], node: readonly string[]) => Promise<Ran>
}

const MOVING = ['link', 'utimensat', 'unlink', 'fsync']
const COMMAND: Way = {
  name: 'postern handoff inherit',
  syscalls: ['pwrite64', 'write', ...MOVING],
  edges: ['write', 'link'],
  run: inheritByCommand,
}
const BEGINNING: Way = {
  name: 'the hook of a session that begins',
  syscalls: ['pwrite64', 'write'],
  edges: ['write'],
  run: hookOf('SessionStart'),
}
const GOING_ON: Way = {
  name: 'the hook of a session that goes on',
  before: beginSession,
  syscalls: ['pwrite64', ...MOVING],
  edges: ['link'],
  run: hookOf('UserPromptSubmit'),
}

describe('inheriting that is killed at a storage or write syscall', needsTrace(), () => {
  for (const way of [COMMAND, BEGINNING, GOING_ON]) {
    campaign(`inheriting that is killed loses no item and moves none unshown: ${way.name}`, ROUNDS, async (rounds) => {
      verifies('S004.inherit.killed')
      expect(await strike(way, { rounds })).toEqual([])
    })
  }

  it('finds planted inheriting that moves items before they are shown', FULL, async () => {
    const isChosen = ({ syscall }: Point) => syscall === 'write'
    const faults = await strike(COMMAND, { rounds: 1, node: ['--require', LATE_OUTPUT], isChosen })
    expect(faults).toContainEqual(expect.stringContaining('was moved and never shown'))
  })
})

describe('sessions that begin at once', () => {
  campaign('sessions that begin at once share each item exactly once', ITEMS_AT_ONCE, async (items) => {
    verifies('S004.inherit.at-once')
    expect(await shareAmong(items, (place) => [place, place, place, place])).toEqual([])
  })

  it('finds planted sessions that know nothing of each other', FULL, async () => {
    const faults = await shareAmong(ITEMS_AT_ONCE.full, (place) => [place, withOtherHome(place)])
    expect(faults).toContainEqual(expect.stringContaining('was shown 2 times'))
  })
})

interface Strike {
  readonly rounds: number
  /** Options of Node itself, with which a bug is planted. */
  readonly node?: readonly string[]
  readonly isChosen?: (point: Point) => boolean
}

/** Kills one way at its points, each time in a copy of the same place. Returns what is wrong then. */
async function strike(way: Way, { rounds, node = [], isChosen = () => true }: Strike): Promise<string[]> {
  const template = await prepare(ITEMS)
  const points = await until(
    () => countPoints(way, template, node),
    (all) => way.syscalls.every((syscall) => all.some((each) => each.syscall === syscall)),
  )
  for (const syscall of way.syscalls) expect(points).toContainEqual({ syscall, nth: 1 })

  const chosen = spread(points.filter(isChosen), rounds, way.edges)
  const spared: string[] = []
  const found = await inTurn(chosen, AT_ONCE, async (point) => {
    const { place, shown, isKilled, end } = await until(
      async () => killOnce(way, await copySetUp(template), point, node),
      (killed) => killed.isKilled,
    )
    if (!isKilled) spared.push(`${point.syscall} ${point.nth} was not reached: ${end}`)
    const faults = await inspect(place, shown)
    return faults.map((fault) => `${way.name}: ${point.syscall} ${point.nth}: ${fault}`)
  })
  const faults = [...found.flat(), ...(spared.length > chosen.length * MAX_SPARED ? spared : [])]
  const name = `${way.name}${node.length > 0 ? ', planted' : ''}`
  figures(
    'inherit',
    `${name}: ${chosen.length} kills at ${points.length} points, ${spared.length} not reached, ${faults.length} faults`,
  )
  return faults
}

/** Does it again where it ended too early. */
async function until<T>(attempt: () => Promise<T>, isDone: (outcome: T) => boolean): Promise<T> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    const outcome = await attempt()
    if (isDone(outcome) || left === 1) return outcome
  }
}

/** A copy lies elsewhere, so its handoff is set up anew. */
async function copySetUp(template: Place): Promise<Place> {
  const place = copyPlace(template)
  await withStore(place.home, ({ handoff }) => handoff.init({ project: place.project }))
  return place
}

async function countPoints(way: Way, template: Place, node: readonly string[]): Promise<Point[]> {
  const place = await copySetUp(template)
  await way.before?.(place)
  const log = join(place.project, 'strace.log')
  await way.run(place, watchInto(log, place.home, BESIDE), node)
  return pointsIn(log)
}

async function killOnce(way: Way, place: Place, point: Point, node: readonly string[]) {
  const shownBefore = (await way.before?.(place)) ?? ''
  const { signal, code, stdout, stderr } = await way.run(place, killAt(place.home, point, BESIDE), node)
  const faults = faultsOf(place).map(({ fault }) => fault)
  const end = `exit ${code} ${[stderr, ...faults].join(' ')}`
  return { place, isKilled: signal === 'SIGKILL', end, shown: `${shownBefore}${stdout}` }
}

/** What is wrong after a kill: now, and after another session has come much later. */
async function inspect(place: Place, printed: string): Promise<string[]> {
  const isMoved = (name: string) => !isIn(place, name) && isIn(place, `processed/${name}`)
  const moved = ITEMS.filter(isMoved)
  const waits = ITEMS.filter((name) => isIn(place, name) && !isIn(place, `processed/${name}`))
  age(place)
  const shown = await inheritLater(place)
  const last = await inheritLater(place)
  return ITEMS.flatMap((name) => {
    const wasPrinted = printed.includes(bodyOf(name))
    const isShown = shown.includes(name)
    return [
      ...(moved.includes(name) && !wasPrinted ? [`${name} was moved and never shown`] : []),
      ...(moved.includes(name) && isShown ? [`${name} was moved and is shown again`] : []),
      ...(!wasPrinted && !isShown ? [`${name} was never shown`] : []),
      ...(waits.includes(name) && !isShown ? [`${name} waits and is not shown again`] : []),
      ...(last.includes(name) ? [`${name} is shown once too often`] : []),
      ...(isMoved(name) ? [] : [`${name} did not end in processed/`]),
      ...(textOf(place, name) === contentOf(name) ? [] : [`${name} is not what it was`]),
    ]
  })
}

/** An hour passes. */
function age({ home }: Place): void {
  const database = new DatabaseSync(storeOf(home), { timeout: 5_000 })
  database.exec(
    `UPDATE inheritances SET offered_at = offered_at - ${HOUR_MS}, printed_at = printed_at - ${HOUR_MS} WHERE closed_at IS NULL`,
  )
  database.close()
}

/** Names of what somebody is shown who then says so. */
function inheritLater({ home, project }: Place): Promise<string[]> {
  return withStore(home, async ({ handoff }) => {
    const { id, items } = await handoff.inherit({ project })
    if (id !== null) await handoff.confirm({ id, printed: true })
    return items.map(({ name }) => name)
  })
}

/** A session has begun, and was shown everything. */
function beginSession({ home, project }: Place): Promise<string> {
  return withStore(home, async ({ sessions, handoff }) => {
    await sessions.begin({ id: 'ses-1', agent: 'quinn', project })
    const { id, items } = await handoff.inherit({ project, agent: 'quinn', session: 'ses-1' })
    await handoff.printed({ id: id ?? '' })
    return items.map(({ body }) => body).join('\n')
  })
}

async function inheritByCommand({ home, project }: Place, wrap: readonly string[], node: readonly string[]) {
  const out = join(home, 'out')
  const ran = await runCli(home, ['handoff', 'inherit', '--project', project], { wrap: into(wrap, out), node })
  return { ...ran, stdout: readFileSync(out, 'utf8') }
}

function hookOf(event: string): Way['run'] {
  return async (place, wrap, node) => {
    const [input, out] = [join(place.project, 'in'), join(place.home, 'out')]
    writeFileSync(input, JSON.stringify(describeEvent(place, event, {})))
    const fired = await fire(place, event, { wrap: into(wrap, out, input), node })
    return { ...fired, stdout: readFileSync(out, 'utf8') }
  }
}

/** Input and output are files, whose paths a tracer can watch. */
function into(wrap: readonly string[], out: string, input = '/dev/null'): string[] {
  const words = wrap.map((word) => `'${word}'`).join(' ')
  return ['bash', '-c', `exec ${words} "$@" < '${input}' > '${out}'`, 'bash']
}

/** Lets sessions begin at once, over and over, until nothing waits. Returns what was shown more or less often than once. */
async function shareAmong(items: number, placesOf: (place: Place) => readonly Place[]): Promise<string[]> {
  const names = Array.from({ length: items }, (_, at) => `${1_736_528_400 + at}-learning.md`)
  const places = placesOf(await prepare(names, { handoff: { maxTokens: 160 } }))
  const shown: string[] = []
  for (let round = 0; round <= names.length; round++) {
    const sessions = places.map((place, at) => ({ place, session: `ses-${round}-${at}` }))
    const fired = await Promise.all(sessions.map(({ place, session }) => fire(place, 'SessionStart', { session })))
    const found = fired.flatMap(({ context }) =>
      [...context.matchAll(/^├─ \[learning from s\]\n│ The words of (.*)\.$/gm)].map(([, name = '']) => name),
    )
    shown.push(...found)
    if (found.length === 0) break
    await Promise.all(sessions.map(({ place, session }) => fire(place, 'UserPromptSubmit', { session })))
  }
  const [place] = places
  return names.flatMap((name) => {
    const times = shown.filter((each) => each === name).length
    const isLeft = place !== undefined && isIn(place, name)
    return [...(times === 1 ? [] : [`${name} was shown ${times} times`]), ...(isLeft ? [`${name} is still there`] : [])]
  })
}

function withOtherHome(place: Place): Place {
  const home = join(temporaryFolder(), 'home')
  cpSync(place.home, home, { recursive: true })
  return { ...place, home }
}

async function prepare(names: readonly string[], config: Parameters<typeof makePlace>[0] = {}): Promise<Place> {
  const place = await makePlace(config)
  await askCli(place.home, ['handoff', 'init', '--project', place.project])
  for (const name of names) {
    const path = join(place.project, 'inbox', name)
    writeFileSync(path, contentOf(name))
    // Nobody has to wait whether more is written.
    utimesSync(path, 1_736_528_400, 1_736_528_400)
  }
  return place
}

function contentOf(name: string): string {
  const fields = ['from_session: s', 'type: learning', 'priority: high', 'created: 2026-01-10T18:30:00Z']
  return ['---', ...fields, '---', '', bodyOf(name), ''].join('\n')
}

function copyPlace(place: Place): Place {
  const folder = temporaryFolder()
  cpSync(dirname(place.home), folder, { recursive: true, preserveTimestamps: true })
  return { home: join(folder, 'home'), project: join(folder, 'project') }
}

const isIn = ({ project }: Place, path: string) => existsSync(join(project, 'inbox', path))

function textOf({ project }: Place, name: string): string {
  const path = join(project, 'inbox', 'processed', name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
