import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeRepository, namesIn, plantFile } from '../../../test/helpers/handoff/projects.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { closer, createContext, type OpenOptions } from '../../host/context.ts'
import { openEmbedded } from '../../host/embedded.ts'
import { PosternError } from '../../model/errors.ts'
import { createPostern } from '../postern.ts'
import { startUpkeep } from './loops.ts'

const SOON_MS = 100
const DAY_MS = 24 * 3_600_000

interface Wait {
  readonly ms: number
  readonly end: () => void
}

/** Upkeep that waits until it is told to go on, on a store whose clock stands still. */
async function openTended(options: OpenOptions = {}) {
  const clock = { now: Date.UTC(2026, 0, 15, 9) }
  const { store, wire } = await openEmbedded(join(temporaryFolder(), 'postern.db'), { now: () => clock.now })
  const notes: string[] = []
  const waits: Wait[] = []
  const inBackground = (ms: number, end: () => void) => {
    waits.push({ ms, end })
    return () => {}
  }
  const context = createContext(store, wire, { note: (event) => notes.push(event), ...options })
  const ctx = { ...context, timers: { ...context.timers, inBackground } }
  const upkeep = startUpkeep(ctx)
  const postern = createPostern(
    ctx,
    closer(store, wire, () => upkeep.stop()),
  )
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  /** Ends the wait; tells how long the next one is. */
  const goOn = async () => {
    waits.shift()?.end()
    return vi.waitFor(() => waits[0]?.ms ?? expect.fail('it is still at work'))
  }
  return { postern, store, clock, notes, goOn }
}

it('tries a plan again soon where another has the store at its instant, and complains of nothing', async () => {
  const { postern, store, clock, notes, goOn } = await openTended()
  await goOn()
  await postern.plans.set({ plans: [{ agent: 'quinn', name: 'soon', runAfter: '1s', instruction: 'look' }] })
  clock.now += 1_000
  const busy = new PosternError('STORE_BUSY', { path: store.location, waited: '50 ms' })
  const taken = vi.spyOn(store, 'transact').mockRejectedValue(busy)
  expect(await goOn()).toBeLessThan(SOON_MS)
  expect(await goOn()).toBeLessThan(SOON_MS)
  taken.mockRestore()
  await goOn()
  expect(await postern.inbox.list({ agent: 'quinn' })).toMatchObject({ items: [{ content: 'look' }] })
  expect(notes).toEqual([])
})

it('removes what sessions have inherited as long ago as the configuration says', async () => {
  const { postern, clock, notes, goOn } = await openTended({ handoff: { keepProcessedMs: 30 * DAY_MS } })
  const project = makeRepository(join(temporaryFolder(), 'atlas'))
  await postern.handoff.init({ project })
  const processed = join(project, 'inbox', 'processed')
  for (const [name, days] of [
    ['old.md', 31],
    ['young.md', 29],
  ] as const) {
    const then = (clock.now - days * DAY_MS) / 1_000
    utimesSync(plantFile(join(processed, name), 'x'), then, then)
  }
  await goOn()
  expect([namesIn(processed), notes]).toEqual([['young.md'], []])
})
