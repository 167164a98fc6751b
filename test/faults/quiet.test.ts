import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { looksQuiet, plantQuiet } from '../helpers/quiet.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL, TIER } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { copyHome, deliveriesIn, makeHome, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { AGENTS, Auditor, QUIET_PATHS, type QuietRole, readRecords, startQuietWorker } from './harness/quiet.ts'
import { doctorFault, integrityFault, storeFault } from './harness/soundness.ts'
import { failAlways, killAt, needsTrace, type Point, pointsIn, spread, watchInto } from './harness/strace.ts'

const AT_ONCE = 3
/** Rounds over all points of a worker: a few of them, each of them once, and each of them many times. */
const ROUNDS = { quick: 0.01, full: 1, long: 12, most: 1 }
const KILLS = { quick: 2, full: 60, long: 3_000, most: 60 }
const CREW: readonly QuietRole[] = ['pusher', 'pusher', 'hook', 'hook', 'gatekeeper']
/** A kill comes at any moment of a worker's life: while it opens the store, or up to so long after. */
const LONGEST_LIFE_MS = 150
/** Calls by which quiet files come and go. */
const MOVES_FILES = ['unlink', 'rename']
/** Calls that only the store makes, and so often that the next process is not started after each of them. */
const STORES = ['pwrite64', 'fsync']

interface Planted {
  readonly plant?: 'late-removal'
}

describe('a process killed at a call on the store or its quiet files', needsTrace(), () => {
  campaign(
    'a process killed at a storage syscall leaves nobody quiet for whom anything waits',
    ROUNDS,
    async (rounds) => {
      verifies('G4.quiet')
      expect(await strike({ rounds })).toEqual([])
    },
  )

  it('finds a planted process that removes quiet files after the commit', FULL, async () => {
    const isChosen = ({ syscall }: Point) => MOVES_FILES.includes(syscall)
    const faults = await strike({ rounds: 1, plant: 'late-removal', isChosen })
    expect(faults).toContainEqual(expect.stringMatching(/quinn is quiet, but has 1 pending messages/))
    expect(faults).toContainEqual(expect.stringMatching(/quinn is quiet, but has 1 broadcasts to take up/))
    expect(faults).toContainEqual(expect.stringMatching(/quinn is quiet, but has 1 open gates/))
  })
})

describe('a quiet file that cannot be removed', needsTrace(), () => {
  for (const error of ['EACCES', 'EPERM', 'EROFS', 'EIO']) {
    it(`a push that a quiet file would hide is refused: ${error}`, error === 'EACCES' ? {} : FULL, async () => {
      const home = await prepare(join(temporaryFolder(), 'home'))
      expect(await pushWith(home, failAlways(home, ['unlink', 'rename'], error, QUIET_PATHS))).toEqual([
        { kind: 'refused', what: 'STORE_IO' },
        { kind: 'refused', what: 'STORE_IO' },
      ])
      expect(await deliveriesIn(home)).toEqual([])
      expect(await storeFault(home)).toBeNull()
    })
  }

  it('a quiet file that cannot be removed is moved out of sight with its folder', async () => {
    const home = await prepare(join(temporaryFolder(), 'home'))
    const records = await pushWith(home, failAlways(home, ['unlink'], 'EACCES', QUIET_PATHS))
    expect(records.map(({ kind }) => kind)).toEqual(['acknowledged', 'acknowledged'])
    for (const agent of AGENTS) expect(looksQuiet(home, agent)).toBe(false)
  })
})

async function pushWith(home: string, wrap: readonly string[]): Promise<ReturnType<typeof readRecords>> {
  const log = join(home, 'log')
  expect(await startQuietWorker({ role: 'once', home, log, wrap }).gone).toMatchObject({ code: 0, stderr: '' })
  return readRecords(log)
}

interface Strike extends Planted {
  readonly rounds: number
  readonly isChosen?: (point: Point) => boolean
}

/** Lets a worker do everything once and kills it at its points, each time in a fresh copy of the same home. */
async function strike({ rounds, isChosen = () => true, ...planted }: Strike): Promise<string[]> {
  const folder = temporaryFolder()
  const template = await prepare(join(folder, 'template'))
  const counted = copyHome(template, join(folder, 'counted'))
  const calls = join(folder, 'calls')
  const log = join(folder, 'counted.log')
  const whole = await startQuietWorker({
    role: 'all',
    home: counted,
    log,
    wrap: watchInto(calls, counted, QUIET_PATHS),
    ...planted,
  }).gone
  expect(whole).toMatchObject({ code: 0, stderr: '' })
  const marked = readRecords(log).filter(({ kind }) => kind === 'marked').length
  expect(marked, 'the worker has marked whom it should').toBeGreaterThanOrEqual(7)
  const points = pointsIn(calls)
  for (const syscall of [...MOVES_FILES, ...STORES]) {
    expect(points.map((point) => point.syscall)).toContain(syscall)
  }

  const chosen = spread(points.filter(isChosen), rounds, MOVES_FILES)
  const found = await inTurn(chosen, AT_ONCE, (point, at) =>
    strikeOnce(point, copyHome(template, join(folder, `${at}`)), planted),
  )
  const faults = [...faultsIn(log), ...found.flat()]
  const name = planted.plant ? 'quiet, planted' : 'quiet'
  figures(name, `${chosen.length} kills at ${points.length} points, ${faults.length} faults`)
  return faults
}

async function strikeOnce(point: Point, home: string, planted: Planted): Promise<string[]> {
  const log = join(home, 'log')
  const killed = await startQuietWorker({
    role: 'all',
    home,
    log,
    wrap: killAt(home, point, QUIET_PATHS),
    ...planted,
  }).gone
  const faults = killed.signal === 'SIGKILL' ? [] : [`was not killed (exit ${killed.code}) ${killed.stderr}`]
  const auditor = new Auditor(home)
  faults.push(...faultsIn(log), ...(await auditor.look()).faults)
  auditor.close()
  if (!planted.plant && (TIER === 'long' || !STORES.includes(point.syscall))) faults.push(...(await goOn(home)))
  return faults.map((fault) => `${point.syscall} ${point.nth}: ${fault}`)
}

/** The next one finds everything in order, and leaves nothing of the dead behind. */
async function goOn(home: string): Promise<string[]> {
  const log = join(home, 'next')
  const next = await startQuietWorker({ role: 'all', home, log }).gone
  const left = existsSync(join(home, 'quiet/.partial')) ? ['a partial file is left'] : []
  return [...faultsIn(log), ...left, ...(next.code === 0 ? [] : [`the next one failed: ${next.stderr}`])]
}

describe('processes that push, broadcast, drain, hold and mark quiet at once, and are killed', () => {
  campaign('processes that are killed never leave an agent quiet for whom anything waits', KILLS, async (kills) => {
    verifies('G4.quiet')
    const { faults, acknowledged, marked, quiet, looks } = await crew({ kills })
    figures('quiet crew', `${kills} kills, ${acknowledged} pushes, ${marked} marked, ${quiet} quiet in ${looks} looks`)
    expect(faults).toEqual([])
    expect(acknowledged).toBeGreaterThan(kills)
    // Who is killed when is chance, and with it how often nothing waits: from a dozen times to hundreds.
    if (kills === KILLS.full) expect(marked).toBeGreaterThan(0)
    if (kills === KILLS.full) expect(quiet).toBeGreaterThan(10)
  })

  it('finds planted processes that remove quiet files after the commit', FULL, async () => {
    let found = 0
    for (let round = 1; found === 0 && round <= 10; round++) {
      const { faults } = await crew({ kills: 20, plant: 'late-removal' })
      figures('quiet crew, planted', `round ${round}: ${faults.length} faults, ${faults[0] ?? ''}`)
      expect(faults.filter((fault) => !fault.includes('is quiet'))).toEqual([])
      found = faults.length
    }
    expect(found).toBeGreaterThan(0)
  })
})

/** Lets a crew work on one store while its members are killed and replaced, and somebody looks all the time. */
async function crew({ kills, plant }: Planted & { readonly kills: number }) {
  const folder = temporaryFolder()
  const home = await prepare(join(folder, 'home'))
  let lives = 0
  const start = (role: QuietRole) =>
    startQuietWorker({ role, home, log: join(folder, `${++lives}.log`), ...(plant && { plant }) })
  const members = CREW.map(start)
  const seen = { quiet: 0, looks: 0, faults: [] as string[] }
  let isOver = false
  const watching = watch(home, seen, () => isOver)
  const died: string[] = []
  try {
    await Promise.all(members.map(({ ready }) => ready))
    for (let kill = 0; kill < kills; kill++) {
      const at = Math.floor(Math.random() * members.length)
      const victim = members[at] as (typeof members)[number]
      if (Math.random() > 0.2) await victim.ready
      await delay(Math.random() * LONGEST_LIFE_MS)
      if (victim.child.exitCode !== null) died.push((await victim.gone).stderr)
      victim.child.kill('SIGKILL')
      await victim.gone
      members[at] = start(victim.role)
    }
  } finally {
    for (const { child } of members) child.kill('SIGKILL')
    await Promise.all(members.map(({ gone }) => gone))
    isOver = true
    await watching
  }
  const records = Array.from({ length: lives }, (_, index) => readRecords(join(folder, `${index + 1}.log`))).flat()
  const count = (kind: string) => records.filter((record) => record.kind === kind).length
  const told = records.filter(({ kind }) => kind === 'fault').map(({ what }) => what)
  const integrity = plant ? [] : [integrityFault(join(home, 'postern.db')), await doctorFault(home)]
  const faults = [...seen.faults, ...told, ...died, ...integrity.filter((fault) => fault !== null)]
  return { ...seen, faults, acknowledged: count('acknowledged'), marked: count('marked') }
}

async function watch(
  home: string,
  seen: { quiet: number; looks: number; faults: string[] },
  isOver: () => boolean,
): Promise<void> {
  const auditor = new Auditor(home)
  try {
    while (!isOver()) {
      const { quiet, faults } = await auditor.look()
      seen.looks++
      seen.quiet += quiet.length
      seen.faults.push(...faults)
      await delay(1)
    }
  } finally {
    auditor.close()
  }
}

function faultsIn(log: string): string[] {
  return readRecords(log)
    .filter(({ kind }) => kind === 'fault')
    .map(({ what }) => what)
}

/** A home with two agents for whom nothing waits, and who are quiet. */
async function prepare(home: string): Promise<string> {
  makeHome(home)
  await withStore(home, async ({ agents }) => {
    for (const id of AGENTS) await agents.add({ id })
  })
  plantQuiet(home, AGENTS)
  for (const agent of AGENTS) expect(looksQuiet(home, agent)).toBe(true)
  return home
}
