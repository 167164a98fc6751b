import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/requirements.ts'
import { createDisk, type Disk } from './harness/disk.ts'
import { checkHistory, describeVerdict, type HistoryEvent, type Verdict } from './harness/history.ts'
import { listEverything, storeOf, withStore } from './harness/home.ts'
import { canDo, figures, isLong } from './harness/need.ts'
import { integrityFault } from './harness/soundness.ts'
import { readLogs, startWorker, type WorkerSettings } from './harness/workers.ts'

const CYCLES = isLong ? 150 : 8
const PLANTED_CYCLES = 10
const LONGEST_LIFE_MS = 400

const canCutPower = canDo('cut the power of a disk', () => {
  const disk = createDisk()
  try {
    disk.cutPower()
    disk.restorePower()
  } finally {
    disk.remove()
  }
})

describe.runIf(canCutPower)('a disk that loses power', () => {
  it('keeps every acknowledged message', async () => {
    verifies('G1.power-loss')
    const { verdict, faults, cycles } = await powerLoop({ cycles: CYCLES })
    figures('power loss', `${cycles} cycles: ${describeVerdict(verdict)}, ${faults.length} faults`)
    expect(faults).toEqual([])
    expect(verdict).toMatchObject({ lost: [], phantom: [] })
    expect(verdict.acknowledged).toBeGreaterThan(cycles)
  })

  it('loses messages where a weaker synchronous setting is planted', async () => {
    verifies('G1.power-loss')
    const { verdict, cycles } = await powerLoop({ cycles: PLANTED_CYCLES, plant: 'synchronous-normal' })
    figures('power loss, planted', `${cycles} cycles: ${describeVerdict(verdict)}`)
    expect(verdict.lost.length).toBeGreaterThan(0)
  })
})

interface Loop {
  readonly cycles: number
  /** With it the loop ends as soon as something is lost. */
  readonly plant?: 'synchronous-normal'
}

/** Writers push until the power goes; when it is back, what they were promised must be there. Records lie elsewhere. */
async function powerLoop({ cycles, plant }: Loop): Promise<{ verdict: Verdict; faults: string[]; cycles: number }> {
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
    await writeUntilDark(disk, { store: storeOf(home), logs, ...(plant && { plant }) })
    const integrity = integrityFault(storeOf(home))
    if (integrity !== null) faults.push(`cycle ${cycle}: ${integrity}`)
    const verdict = checkHistory([...readLogs(logs), ...(await waitingIn(home))])
    if (cycle === cycles || (plant && verdict.lost.length > 0)) return { verdict, faults, cycles: cycle }
  }
}

async function writeUntilDark(disk: Disk, settings: WorkerSettings): Promise<void> {
  const writers = [startWorker('writer', settings), startWorker('writer', settings)]
  try {
    await Promise.all(writers.map((writer) => writer.ready))
    await delay(50 + Math.random() * LONGEST_LIFE_MS)
    // A process does not outlive the power: ext4 answers some fsyncs that it cuts short with success, to nobody in truth.
    for (const writer of writers) writer.freeze()
    disk.cutPower()
  } finally {
    await Promise.all(writers.map((writer) => writer.kill()))
  }
  disk.restorePower()
}

/** What is in the store for quinn; whatever is not there was lost. */
async function waitingIn(home: string): Promise<HistoryEvent[]> {
  const items = await withStore(home, listEverything)
  return items.filter(({ agent }) => agent === 'quinn').map(({ content }) => ({ kind: 'waiting', key: content }))
}
