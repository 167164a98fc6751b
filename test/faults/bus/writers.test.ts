import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL, TIER } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { figures } from '../harness/need.ts'
import { type Crew, letPost, readErrors, readLogs } from './crew.ts'
import { judge, type Verdict } from './verdict.ts'

/** Entries of each poster. */
const ENTRIES = { quick: 10, full: 60, long: 15_000, most: 100 }
const POSTERS = TIER === 'quick' ? 8 : 16
/** How likely a poster dies in a write. */
const DEADLINESS = TIER === 'quick' ? 0.1 : 0.03
const SOUND = { lost: [], twice: [], notRising: [], reordered: [], strange: [] }

campaign('keeps every acknowledged entry of processes that are killed, once and in order', ENTRIES, async (entries) => {
  verifies('S002.writers')
  const { verdict, told } = await runCrew('kills', { entries, kills: entries, deadliness: DEADLINESS })
  expect(verdict).toMatchObject(SOUND)
  expect(verdict.entries).toBeGreaterThanOrEqual(entries * POSTERS)
  // With few entries chance may spare every poster, or let it die between two writes.
  if (entries < ENTRIES.full) return
  expect(told.deaths).toBeGreaterThan(POSTERS / 4)
  expect(verdict.torn).toBeGreaterThan(0)
})

campaign('writes every entry exactly once while nobody is killed', ENTRIES, async (entries) => {
  verifies('S002.writers')
  const { verdict } = await runCrew('no kills', { entries, kills: 0, deadliness: 0 })
  expect(verdict).toMatchObject({ ...SOUND, torn: 0, entries: entries * POSTERS })
})

it('finds planted writers that take no lock', FULL, async () => {
  let found = 0
  for (let round = 0; found === 0 && round < 5; round++) {
    const { verdict } = await runCrew('planted: no lock', { entries: 60, kills: 0, deadliness: 0, plant: 'no-lock' })
    found = verdict.notRising.length + verdict.lost.length
  }
  expect(found).toBeGreaterThan(0)
})

it('finds planted writers that do not close what a dead one left', FULL, async () => {
  let found = 0
  for (let round = 0; found === 0 && round < 5; round++) {
    const { verdict } = await runCrew('planted: no repair', {
      posters: 4,
      entries: 60,
      kills: 0,
      deadliness: 0.05,
      plant: 'no-repair',
    })
    found = verdict.lost.length
  }
  expect(found).toBeGreaterThan(0)
})

type Told = Awaited<ReturnType<typeof letPost>>

async function runCrew(
  name: string,
  settings: Omit<Crew, 'root' | 'logs' | 'posters'> & { readonly posters?: number },
): Promise<{ readonly verdict: Verdict; readonly told: Told }> {
  const folder = temporaryFolder()
  const [root, logs] = [join(folder, 'root'), join(folder, 'logs')]
  const told = await letPost({ posters: POSTERS, ...settings, root, logs })
  if (settings.plant !== 'no-lock') expect(readErrors(logs)).toEqual([])
  const acknowledged = readLogs(logs)
  const verdict = await judge(root, acknowledged)
  const { lost, twice, notRising, reordered, strange, torn, entries } = verdict
  const wrong = [lost, twice, notRising, reordered, strange].map(({ length }) => length).join('/')
  figures(
    'bus writers',
    `${name}: ${acknowledged.length} acknowledged, ${entries} there, ${told.deaths} deaths, ${torn} torn, faults ${wrong}`,
  )
  return { verdict, told }
}
