import { linkSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openHandoff } from '../../../src/handoff/open-handoff.ts'
import { DRAFT, makeOld, makeRepository, namesIn, plantFile, seedItem } from '../../helpers/handoff/projects.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { inTurn } from '../harness/in-turn.ts'
import { figures } from '../harness/need.ts'
import { needsTrace, type Point, pointsIn, spread } from '../harness/strace.ts'
import { runVictim, type Victim } from './victims.ts'

const AT_ONCE = 3
const item = (body: string) => seedItem({ from_session: 's-0', type: 'learning', priority: 'high' }, body)
const LEFT = 'left'
/** Rounds over all points of an act: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.1, full: 1, long: 250, most: 1 }

/** One act that is killed at its points, and what must be true of the project afterwards. */
interface Act {
  readonly name: string
  readonly act: Victim['act']
  readonly plant?: Victim['plant']
  readonly isChosen?: (point: Point) => boolean
  prepare(root: string): void
  /** What was acknowledged stands in `said`. */
  inspect(root: string, said: readonly unknown[]): Promise<string[]>
}

const leave: Act = {
  name: 'leave',
  act: 'leave',
  prepare: (root) => plantFile(join(root, 'inbox', 'earlier.md'), item('earlier')),
  inspect: (root, said) => inspectLeft(root, said, ['earlier']),
}

const archive: Act = {
  name: 'archive',
  act: 'archive',
  prepare(root) {
    plantFile(join(root, 'inbox', 'note.md'), item('shown'))
    plantFile(join(root, 'inbox', 'raw.md'), 'raw')
    plantFile(join(root, 'inbox', 'processed', 'note.md'), item('older'))
  },
  inspect: inspectArchived,
}

describe('a process that is killed at a syscall on the folders of a project', needsTrace(), () => {
  campaign('a process that is killed leaves all of an item or nothing', ROUNDS, async (rounds) => {
    verifies('S004.files.killed')
    expect(await strike(leave, rounds)).toEqual([])
  })

  campaign('a process that is killed leaves all of the first item or nothing', ROUNDS, async (rounds) => {
    verifies('S004.files.killed')
    const first: Act = {
      ...leave,
      name: 'first leave',
      prepare: () => {},
      inspect: (root, said) => inspectLeft(root, said, []),
    }
    expect(await strike(first, rounds)).toEqual([])
  })

  campaign('a process that is killed takes an item out of its box once, or not at all', ROUNDS, async (rounds) => {
    verifies('S004.files.killed')
    expect(await strike(archive, rounds)).toEqual([])
  })

  campaign('a process that is killed leaves what others began as it was, or finished', ROUNDS, async (rounds) => {
    verifies('S004.files.killed')
    const look: Act = { name: 'look', act: 'look', prepare: prepareUnfinished, inspect: inspectFinished }
    expect(await strike(look, rounds)).toEqual([])
  })

  for (const act of [leave, archive]) {
    campaign(
      `a process that is killed harms nothing where a file has only one name: ${act.name}`,
      ROUNDS,
      async (rounds) => {
        verifies('S004.files.killed')
        expect(await strike({ ...act, name: `${act.name}, without links`, plant: 'no-links' }, rounds)).toEqual([])
      },
    )
  }

  it('finds a planted process that writes under the name of the item at once', FULL, async () => {
    const faults = await strike({ ...leave, name: 'leave, planted', plant: 'direct', isChosen: isWriting }, 1)
    expect(faults).toContainEqual(expect.stringContaining('half of an item'))
  })

  it('finds a planted process that takes an item out before it has put it anywhere', FULL, async () => {
    const faults = await strike({ ...archive, name: 'archive, planted', plant: 'unlink-first', isChosen: isWriting }, 1)
    expect(faults).toContainEqual(expect.stringContaining('"shown" is there 0 times'))
  })
})

function isWriting({ syscall }: Point): boolean {
  return ['openat', 'write', 'unlink'].includes(syscall)
}

async function strike(struck: Act, rounds: number): Promise<string[]> {
  const { name, act, plant, isChosen = () => true } = struck
  const folder = temporaryFolder()
  const log = join(folder, 'strace.log')
  const victimIn = (nth: string): Victim => {
    const root = makeRepository(join(folder, nth, 'atlas'))
    struck.prepare(root)
    return { root, act, plant, isFixed: true }
  }
  const counted = victimIn('counted')
  await runVictim(counted, [...trace(counted), '-o', log])
  const all = pointsIn(log)
  expect(all.length).toBeGreaterThan(6)
  const points = spread(all.filter(isChosen), rounds, ['link', 'write'])
  const found = await inTurn(points, AT_ONCE, async ({ syscall, nth }, at) => {
    const victim = victimIn(`${at}`)
    const what = ['-e', `trace=${syscall}`, '-e', `inject=${syscall}:signal=SIGKILL:when=${nth}`]
    const { said, isKilled } = await runVictim(victim, [...trace(victim), '-o', '/dev/null', ...what])
    const faults = isKilled ? await struck.inspect(victim.root, said) : ['it was not killed']
    return faults.map((fault) => `${syscall} ${nth}: ${fault}`)
  })
  figures('handoff killed', `${name}: ${points.length} kills at ${all.length} points, ${found.flat().length} faults`)
  return found.flat()
}

/** All names that these acts use: with a fixed clock and fixed dice they are known. */
function trace({ root }: Victim): string[] {
  const inbox = join(root, 'inbox')
  const own = '1768069800-gggggggggggggggg-learning.md'
  const names = [own, 'earlier.md', 'note.md', 'note.2.md', 'raw.md', 'published.md', 'moved.md', 'old.md']
  const files = names.flatMap((name) => [
    join(inbox, name),
    join(inbox, `.${name}.partial`),
    join(inbox, 'processed', name),
    join(inbox, 'quarantine', name),
  ])
  const ignores = ['processed', 'quarantine'].flatMap((each) => [join(inbox, each), join(inbox, each, '.gitignore')])
  return ['strace', '-f', '-qq', ...[root, inbox, ...ignores, ...files].flatMap((path) => ['-P', path])]
}

/** What a project holds once somebody has looked at it, long after the death. */
async function lookLater(root: string) {
  const inbox = join(root, 'inbox')
  mkdirSync(inbox, { recursive: true })
  for (const name of readdirSync(inbox)) if (name.endsWith('.partial')) makeOld(join(inbox, name), 120_000)
  const shelf = openHandoff({ sharedInbox: null, shared: false })
  const place = await shelf.locate({ project: root })
  const { items, refused } = await shelf.look(place)
  const strange = [
    ...refused.map(({ name, reason }) => `${name} is refused: ${reason}`),
    ...namesIn(inbox)
      .filter((name) => name.startsWith('.'))
      .map((name) => `${name} is left over`),
  ]
  return { shelf, place, items, strange, processed: (await shelf.processed(place)).items }
}

async function inspectLeft(root: string, said: readonly unknown[], earlier: readonly string[]): Promise<string[]> {
  const { shelf, place, items, strange } = await lookLater(root)
  const bodies = items.map(({ body }) => body)
  const copies = bodies.filter((body) => body === LEFT).length
  const next = await shelf.leave(place, { ...DRAFT, body: 'next' })
  return [
    ...strange,
    ...earlier.filter((body) => !bodies.includes(body)).map((body) => `"${body}" is lost`),
    ...(bodies.every((body) => body === LEFT || earlier.includes(body)) ? [] : ['there is half of an item']),
    ...(copies === 1 || (copies === 0 && said.length === 0) ? [] : [`it is there ${copies} times`]),
    ...(items.length <= earlier.length + 1 ? [] : [`there are ${items.length}`]),
    ...((await shelf.find(place, next.name))?.body === 'next' ? [] : ['the next one is not there']),
  ]
}

async function inspectArchived(root: string, said: readonly unknown[]): Promise<string[]> {
  const { shelf, place, items, strange, processed } = await lookLater(root)
  const waiting = items.map(({ body }) => body)
  const again = await Promise.all(items.map((each) => shelf.archive(place, each, 'processed')))
  const all = [...waiting, ...processed.map(({ body }) => body)]
  const confirmed = said as readonly { readonly name: string }[]
  return [
    ...strange,
    ...['shown', 'raw', 'older'].flatMap((body) => {
      const copies = all.filter((each) => each === body).length
      return copies === 1 ? [] : [`"${body}" is there ${copies} times`]
    }),
    ...(again.includes(undefined) ? ['what waits cannot be archived'] : []),
    ...(confirmed.some(({ name }) => items.some((each) => each.name === name))
      ? ['what was archived waits again']
      : []),
    ...(readFileSync(join(root, 'inbox', 'processed', 'note.md'), 'utf8') === item('older')
      ? []
      : ['one was replaced']),
  ]
}

/** A writer and a reader that died, an item that waits, and what never became one. */
function prepareUnfinished(root: string): void {
  const inbox = join(root, 'inbox')
  plantFile(join(inbox, 'earlier.md'), item('earlier'))
  linkSync(plantFile(join(inbox, 'published.md'), item('published')), join(inbox, '.published.md.partial'))
  const moved = plantFile(join(inbox, 'moved.md'), item('moved'))
  const archived = join(inbox, 'processed', 'moved.md')
  mkdirSync(dirname(archived))
  linkSync(moved, archived)
  makeOld(plantFile(join(inbox, '.old.md.partial'), 'half'), 120_000)
}

async function inspectFinished(root: string): Promise<string[]> {
  const { items, strange, processed } = await lookLater(root)
  const waiting = items
    .map(({ body }) => body)
    .sort()
    .join()
  const moved = processed.map(({ body }) => body).join()
  return [
    ...strange,
    ...(waiting === 'earlier,published' ? [] : [`these wait: ${waiting}`]),
    ...(moved === 'moved' ? [] : [`these were moved: ${moved}`]),
  ]
}
