import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DeliveryState } from '../../src/model/delivery.ts'
import { checkHistory, describeVerdict, type HistoryEvent, type Verdict } from '../helpers/history.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { createDisk, type Disk, needsPowerCuts } from './harness/disk.ts'
import { listEverything, storeOf, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { integrityFault } from './harness/soundness.ts'
import { type Role, readLogs, startWorker, type WorkerSettings } from './harness/workers.ts'

/** How often the power goes. A disk that has seen it go 30 times gives way to a new one, before it is full. */
const CYCLES = { quick: 1, full: 8, long: 1_500, most: 30 }
const PLANTED_CYCLES = 10
const LONGEST_LIFE_MS = 400

const PLANTED = { cycles: PLANTED_CYCLES, plant: 'synchronous-normal' } as const

describe('a disk that loses power', needsPowerCuts(), () => {
  campaign('keeps every acknowledged message on a disk that loses power', CYCLES, async (cycles) => {
    verifies('G1.power-loss')
    const { verdict, faults } = await powerLoop({ cycles })
    figures('power loss', `${cycles} cycles: ${describeVerdict(verdict)}, ${faults.length} faults`)
    expect(faults).toEqual([])
    expect(verdict).toMatchObject({ lost: [], phantom: [] })
    expect(verdict.acknowledged).toBeGreaterThanOrEqual(cycles)
  })

  it('loses messages with the power where a weaker synchronous setting is planted', FULL, async () => {
    verifies('G1.power-loss')
    const { verdict, cycles } = await powerLoop({ ...PLANTED, until: ({ verdict: { lost } }) => lost.length > 0 })
    figures('power loss, planted', `${cycles} cycles: ${describeVerdict(verdict)}`)
    expect(verdict.lost.length).toBeGreaterThan(0)
  })

  campaign(
    'keeps every confirmation on a disk that loses power, though no offer waits for it',
    CYCLES,
    async (cycles) => {
      verifies('G1.power-loss')
      const { verdict, forgotten, faults } = await powerLoop({ cycles, crew: ['writer', 'drainer'] })
      figures(
        'power loss while draining',
        `${cycles} cycles: ${describeVerdict(verdict)}, ${forgotten.length} forgotten`,
      )
      expect(faults).toEqual([])
      expect(forgotten).toEqual([])
      expect(verdict).toMatchObject({ lost: [], phantom: [] })
      expect(verdict.shown).toBeGreaterThanOrEqual(cycles)
    },
  )

  it('forgets confirmations with the power where a weaker synchronous setting is planted', FULL, async () => {
    verifies('G1.power-loss')
    const crew: readonly Role[] = ['writer', 'drainer']
    const { forgotten, cycles } = await powerLoop({ ...PLANTED, crew, until: ({ forgotten: all }) => all.length > 0 })
    figures('power loss while draining, planted', `${cycles} cycles: ${forgotten.length} forgotten`)
    expect(forgotten.length).toBeGreaterThan(0)
  })
})

interface Loop {
  readonly cycles: number
  readonly crew?: readonly Role[]
  readonly plant?: 'synchronous-normal'
  /** The loop ends as soon as what it looks for is there. */
  readonly until?: (found: Pick<Outcome, 'verdict' | 'forgotten'>) => boolean
}

interface Outcome {
  readonly verdict: Verdict
  /** Confirmed to whoever showed it, but not any more. */
  readonly forgotten: readonly string[]
  readonly faults: readonly string[]
  readonly cycles: number
}

/** A crew works until the power goes; when it is back, what it was promised must be there. Records lie elsewhere. */
async function powerLoop({ cycles, crew = ['writer', 'writer'], plant, until = () => false }: Loop): Promise<Outcome> {
  const disk = createDisk()
  onTestFinished(() => disk.remove())
  const home = join(disk.folder, 'home')
  const logs = join(temporaryFolder(), 'logs')
  mkdirSync(logs)
  await withStore(home, async ({ agents }) => {
    for (const id of ['quinn', 'robin']) await agents.add({ id })
  })

  const faults: string[] = []
  for (let cycle = 1; ; cycle++) {
    await workUntilDark(disk, crew, { store: storeOf(home), logs, ...(plant && { plant }) })
    const integrity = integrityFault(storeOf(home))
    if (integrity !== null) faults.push(`cycle ${cycle}: ${integrity}`)
    const events = readLogs(logs)
    const kept = await statesIn(home)
    const verdict = checkHistory([...events.filter(isOfWriter), ...[...kept.keys()].map(waiting)])
    const forgotten = events.flatMap(({ kind, ...event }) =>
      kind === 'confirmed' && 'key' in event && kept.get(event.key) !== 'seen' ? [event.key] : [],
    )
    const isOver = cycle === cycles || until({ verdict, forgotten })
    const shown = new Set(events.flatMap((event) => (event.kind === 'shown' ? [event.key] : []))).size
    if (isOver) return { verdict: { ...verdict, shown }, forgotten, faults, cycles: cycle }
  }
}

async function workUntilDark(disk: Disk, crew: readonly Role[], settings: WorkerSettings): Promise<void> {
  const workers = crew.map((role) => startWorker(role, settings))
  const gone = workers.map((worker) => worker.gone)
  try {
    await Promise.all(workers.map((worker) => worker.ready))
    await Promise.race([untilMore(settings.logs, crew.includes('drainer') ? 'confirmed' : 'acknowledged'), ...gone])
    await delay(Math.random() * LONGEST_LIFE_MS)
    // A process does not outlive the power: ext4 answers some fsyncs that it cuts short with success, to nobody in truth.
    for (const worker of workers) worker.freeze()
    disk.cutPower()
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
  disk.restorePower()
}

/** Resolves when something more of this kind stands in the records. */
async function untilMore(logs: string, kind: HistoryEvent['kind']): Promise<void> {
  const count = () => readLogs(logs).filter((event) => event.kind === kind).length
  const before = count()
  while (count() <= before) await delay(10)
}

/** What is in the store for quinn, by key; whatever is not there was lost, also if somebody was shown it. */
async function statesIn(home: string): Promise<ReadonlyMap<string, DeliveryState>> {
  const items = await withStore(home, listEverything)
  return new Map(items.filter(({ agent }) => agent === 'quinn').map(({ content, state }) => [content, state]))
}

function isOfWriter({ kind }: HistoryEvent): boolean {
  return kind === 'attempted' || kind === 'acknowledged'
}

function waiting(key: string): HistoryEvent {
  return { kind: 'waiting', key }
}
