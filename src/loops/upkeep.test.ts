import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeRepository, namesIn, plantFile } from '../../test/helpers/handoff/projects.ts'
import { PATIENTLY } from '../../test/helpers/patience.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createPostern } from '../core/postern.ts'
import { type OpenOptions, openContext } from '../host/open/context.ts'
import { openEmbedded } from '../host/open/store.ts'
import type { Sleep } from '../kit/clock/sleep.ts'
import { PosternError } from '../model/errors.ts'
import { DEFAULT_LIMITS } from '../model/limits.ts'
import { startUpkeep } from './upkeep.ts'

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
  const sleep: Sleep = (ms, { subscribe } = {}) =>
    new Promise((resolve) => {
      waits.push({ ms, end: resolve })
      subscribe?.(resolve)
    })
  const { ctx, close } = openContext(store, wire, { note: (event) => notes.push(event), ...options })
  const upkeep = startUpkeep(ctx, sleep)
  const postern = createPostern(ctx, async () => {
    await upkeep.close()
    await close()
  })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn' })
  /** Ends the wait; tells how long the next one is. */
  const goOn = async () => {
    waits.shift()?.end()
    return vi.waitFor(() => waits[0]?.ms ?? expect.fail('it is still at work'), PATIENTLY)
  }
  return { postern, store, clock, notes, upkeep, waits, goOn }
}

it('runs the due jobs at once when it is woken, and none once it is closed', async () => {
  const { postern, clock, upkeep, waits, goOn } = await openTended()
  await goOn()
  await postern.plans.set({ plans: [{ agent: 'quinn', name: 'soon', runAfter: '1s', instruction: 'look' }] })
  clock.now += 1_000
  upkeep.wake()
  await vi.waitFor(
    async () => expect(await postern.inbox.list({ agent: 'quinn' })).toMatchObject({ items: [{}] }),
    PATIENTLY,
  )
  await upkeep.close()
  await upkeep.close()
  const before = waits.length
  upkeep.wake()
  await new Promise(setImmediate)
  expect(waits).toHaveLength(before)
})

it('retries a due plan soon if another process has locked the store, and logs nothing', async () => {
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

it('removes published parcels after the retention of messages, and transactions after a day', async () => {
  const { store, clock, notes, goOn } = await openTended()
  const { now } = clock
  const parcel = { ...PARCEL, state: 'published', doneAt: now, createdAt: now, nextAt: now } as const
  await store.transact(async ({ ledger }) => {
    await ledger.insertParcel(parcel)
    await ledger.insertParcel({ ...parcel, id: 'par_2', state: 'waiting', doneAt: null })
    await ledger.putTransaction({ ...NOTHING, id: '0.0.2@1.000000001', createdAt: now })
  })
  const left = async () => [
    (await store.read.ledger.listParcels({ limit: 9 })).map(({ id }) => id),
    (await store.read.ledger.getTransaction({ id: '0.0.2@1.000000001' })) !== undefined,
  ]
  clock.now += DAY_MS - 1
  await goOn()
  expect(await left()).toEqual([['par_2', 'par_1'], true])
  clock.now += 3_600_000
  await goOn()
  expect(await left()).toEqual([['par_2', 'par_1'], false])
  clock.now += DEFAULT_LIMITS.retentionMs
  await goOn()
  expect([await left(), notes]).toEqual([[['par_2'], false], []])
})

const NOTHING = { topicId: null, account: null, sequence: null, runningHash: null }
const WHAT = { id: 'par_1', network: 'testnet', about: null, lane: 'a', payer: '0.0.2', steps: [], price: 0 }
const HOW = { message: null, done: 0, made: {}, sequence: null, transaction: null, attempts: 0, error: null }
const PARCEL = { ...WHAT, ...HOW, purpose: 'work' } as const

it('removes inherited items after the time that the configuration sets', async () => {
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
