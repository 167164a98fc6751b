import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { checkHistory, describeVerdict, type HistoryEvent, type Verdict } from '../helpers/history.ts'
import { openLocal } from '../helpers/open-local.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { listEverything, makeHome, storeOf, withStore } from './harness/home.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import { doctorFault, integrityFault, storeFault } from './harness/soundness.ts'
import { type Role, readErrors, readLogs, startWorker, type Worker, type WorkerSettings } from './harness/workers.ts'

const KILLS = { quick: 8, full: 200, long: 12_000, most: 200 }
/** Messages that a crew sends in peace. */
const MESSAGES = { quick: 40, full: 1_500, long: 200_000, most: 2_000 }
const CHECK_EVERY = 50
const LEASE_MS = 2_000
const CREW: readonly Role[] = ['writer', 'writer', 'drainer', 'drainer', 'acker', 'opener']
/** A kill comes at any moment of a worker's life: while it opens the store, or up to so long after. */
const LONGEST_LIFE_MS = 100
/** Kills that go on side by side. */
const KILLERS = 2

campaign('keeps every acknowledged message through random kills, and shows it', KILLS, async (kills) => {
  verifies('G1.kill', 'G4.crash')
  const { verdict, faults } = await killLoop({ kills })
  figures('kill loop', `${kills} kills: ${describeVerdict(verdict)}, ${faults.length} faults`)
  expect(faults).toEqual([])
  expect(verdict).toMatchObject({ lost: [], duplicate: [], phantom: [], reordered: [] })
  expect(verdict.acknowledged).toBeGreaterThan(kills)
  // With few kills chance may spare every offer.
  if (kills === KILLS.full) expect(verdict.repeated).toBeGreaterThan(0)
})

campaign('shows every message exactly once while nobody is killed', MESSAGES, async (messages) => {
  const { verdict, faults } = await killLoop({ kills: 0, messages, leaseMs: 30_000 })
  figures('no kills', describeVerdict(verdict))
  expect(faults).toEqual([])
  expect(verdict).toMatchObject({ lost: [], duplicate: [], phantom: [], reordered: [], repeated: 0 })
  expect(verdict.acknowledged).toBeGreaterThanOrEqual(messages)
})

it('finds a planted drain that confirms before it has printed', FULL, async () => {
  let lost = 0
  for (let round = 1; lost === 0 && round <= 10; round++) {
    const { verdict } = await killLoop({ kills: 20, plant: 'confirm-before-print', victims: ['drainer'] })
    figures('kill loop, planted', `round ${round}: ${describeVerdict(verdict)}`)
    lost = verdict.lost.length
  }
  expect(lost).toBeGreaterThan(0)
})

interface Loop {
  readonly kills: number
  /** How many messages are acknowledged before the first kill. */
  readonly messages?: number
  readonly leaseMs?: number
  readonly plant?: 'confirm-before-print'
  readonly victims?: readonly Role[]
}

/** Lets a crew work on one store while its members are killed and replaced, then drains what is left and judges. */
async function killLoop(loop: Loop): Promise<{ verdict: Verdict; faults: string[] }> {
  const folder = temporaryFolder()
  const home = makeHome(join(folder, 'home'))
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  await withStore(home, async ({ agents }) => {
    for (const id of ['quinn', 'robin']) await agents.add({ id })
  })
  const settings: WorkerSettings = {
    store: storeOf(home),
    logs,
    leaseMs: loop.leaseMs ?? LEASE_MS,
    printMs: 4,
    paceMs: 4,
    ...(loop.plant && { plant: loop.plant }),
  }
  const lives: Worker[] = []
  const start = (role: Role) => {
    const worker = startWorker(role, settings)
    lives.push(worker)
    return worker
  }
  const crew = CREW.map(start)
  const faults: string[] = []
  const crashed: HistoryEvent[] = []
  try {
    await Promise.all(crew.map((worker) => worker.ready))
    while (acknowledgedIn(logs) < (loop.messages ?? 0)) await delay(50)
    const kills = Array.from({ length: loop.kills }, (_, index) => index + 1)
    await inTurn(kills, KILLERS, async (kill) => {
      crashed.push(await killOne(crew, start, loop.victims ?? CREW))
      if (kill % CHECK_EVERY === 0) faults.push(...(await inspect(home, storeFault)))
    })
  } finally {
    await Promise.all(lives.map((worker) => (loop.kills > 0 ? worker.kill() : worker.stop())))
  }
  if (loop.kills > 0) crashed.push(...crew.map(({ by }): HistoryEvent => ({ kind: 'crashed', by })))
  const rest = await drainTheRest(home)
  faults.push(...(await inspect(home, doctorFault)), ...readErrors(logs))
  faults.push(...lives.flatMap(({ failure }) => failure ?? []))
  return { verdict: checkHistory([...readLogs(logs), ...crashed, ...rest]), faults }
}

async function killOne(crew: Worker[], start: (role: Role) => Worker, victims: readonly Role[]): Promise<HistoryEvent> {
  const candidates = crew.filter(({ role }) => victims.includes(role))
  const victim = candidates[Math.floor(Math.random() * candidates.length)] as Worker
  // Another killer may not choose it too.
  crew.splice(crew.indexOf(victim), 1)
  // One kill in five falls while the store is being opened.
  if (Math.random() > 0.2) await victim.ready
  await delay(Math.random() * LONGEST_LIFE_MS)
  await victim.kill()
  crew.push(start(victim.role))
  return { kind: 'crashed', by: victim.by }
}

function acknowledgedIn(logs: string): number {
  return readLogs(logs).filter(({ kind }) => kind === 'acknowledged').length
}

async function inspect(home: string, check: (home: string) => Promise<string | null>): Promise<string[]> {
  return [await check(home), integrityFault(storeOf(home))].filter((fault) => fault !== null)
}

/** Shows what nobody has been shown yet. A clock that is ahead lets the offers of the dead lapse at once. */
async function drainTheRest(home: string): Promise<HistoryEvent[]> {
  const by = 'the last'
  const events: HistoryEvent[] = []
  const postern = await openLocal(storeOf(home), { upkeep: false, now: () => Date.now() + 3_600_000 })
  try {
    for (;;) {
      const { offer, messages } = await postern.inbox.drain({ agent: 'quinn', maxMessages: 1_000 })
      if (!offer) break
      await postern.inbox.confirm({ offerId: offer.id, printed: true, evidence: 'the end' })
      events.push(
        ...messages.map(({ content, attempt }): HistoryEvent => ({ kind: 'shown', key: content, attempt, by })),
      )
    }
    const stuck = (await listEverything(postern)).filter(
      ({ agent, state }) => agent === 'quinn' && state !== 'seen' && state !== 'acted',
    )
    expect(stuck).toEqual([])
  } finally {
    await postern.close()
  }
  return events
}
