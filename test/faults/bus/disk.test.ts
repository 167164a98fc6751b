import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bodiesOf, openTestBus, post } from '../../helpers/bus/bus-files.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { campaign, FULL } from '../../helpers/tier.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { createDisk, mountMemory, needsMounts, needsPowerCuts } from '../harness/disk.ts'
import { figures } from '../harness/need.ts'
import { type Crew, readErrors, readLogs, startPoster } from './crew.ts'
import { judge } from './verdict.ts'

/** How often the power goes. A bus that has seen it go 20 times gives way to a new one, before the disk is full. */
const CYCLES = { quick: 1, full: 5, long: 1_500, most: 20 }
const PLANTED_CYCLES = 10
const LONGEST_LIFE_MS = 300
const ENDLESS = 1_000_000

describe('a disk that loses power', needsPowerCuts(), () => {
  campaign('a bus keeps every acknowledged entry on a disk that loses power', CYCLES, async (cycles) => {
    verifies('S002.disk')
    const { lost, acknowledged, faults } = await powerLoop(cycles)
    figures('bus power loss', `${cycles} cycles: ${acknowledged} acknowledged, ${lost.length} lost`)
    expect({ lost, faults }).toEqual({ lost: [], faults: [] })
    expect(acknowledged).toBeGreaterThanOrEqual(cycles)
  })

  it('finds planted writers that do not wait for a disk that loses power', FULL, async () => {
    const { lost, acknowledged } = await powerLoop(PLANTED_CYCLES, 'no-sync')
    figures('bus power loss, planted', `${acknowledged} acknowledged, ${lost.length} lost`)
    expect(lost.length).toBeGreaterThan(0)
  })
})

/** Two processes post until the power goes; when it is back, what they were promised must be there. */
async function powerLoop(cycles: number, plant?: 'no-sync') {
  const disk = createDisk()
  onTestFinished(() => disk.remove())
  const logs = join(temporaryFolder(), 'logs')
  mkdirSync(logs)
  const crew: Crew = {
    root: join(disk.folder, 'root'),
    logs,
    posters: 2,
    entries: ENDLESS,
    kills: 0,
    deadliness: 0,
    ...(plant && { plant }),
  }
  for (let cycle = 1; ; cycle++) {
    const children = [0, 1].map((poster) => startPoster(crew, `c${cycle}-p${poster}`, ENDLESS))
    // One that has ended by itself says why in its log.
    const closed = Promise.all(children.map((child) => once(child, 'close')))
    await Promise.race([closed, untilMore(logs)])
    await delay(Math.random() * LONGEST_LIFE_MS)
    // A process does not outlive the power.
    for (const child of children) child.kill('SIGSTOP')
    disk.cutPower()
    for (const child of children) child.kill('SIGKILL')
    await closed
    disk.restorePower()
    const acknowledged = readLogs(logs)
    const { lost, twice, notRising } = await judge(crew.root, acknowledged)
    const faults = [...twice, ...notRising, ...readErrors(logs)]
    if (cycle === cycles || lost.length + faults.length > 0) return { lost, acknowledged: acknowledged.length, faults }
  }
}

/** Resolves when one more entry was acknowledged. */
async function untilMore(logs: string): Promise<void> {
  const before = readLogs(logs).length
  while (readLogs(logs).length <= before) await delay(10)
}

/** The disk is known to be quick after some entries; from then on the process stands still for it. */
const ENOUGH_TO_TRUST = 20

it.each([1, ENOUGH_TO_TRUST])(
  'a full disk takes an entry whole or not at all, after %d others',
  needsMounts(),
  async (others) => {
    verifies('S002.disk')
    const root = join(temporaryFolder(), 'disk')
    onTestFinished(mountMemory(root, 'size=256k'))
    const { shelf, path } = openTestBus({ root })
    for (let i = 0; i < others; i++) await post(shelf, 'one')
    const filler = join(root, 'filler')
    fill(filler)
    const before = readFileSync(path, 'utf8')
    // There is room to the end of the page that the file has begun, so the kernel writes a part of it.
    await expect(post(shelf, 'x'.repeat(20_000))).rejects.toMatchObject({
      code: 'BUS_UNUSABLE',
      message: expect.stringMatching(/only \d+ of 2\d{4} bytes could be written/),
    })
    expect(readFileSync(path, 'utf8')).toBe(before)
    await post(shelf, 'two')
    rmSync(filler)
    await post(shelf, 'x'.repeat(20_000))
    expect((await bodiesOf(shelf)).slice(others)).toEqual(['two', 'x'.repeat(20_000)])
  },
)

function fill(path: string): void {
  const fd = openSync(path, 'a')
  try {
    while (writeSync(fd, Buffer.alloc(4_096)) > 0);
  } catch {
    // It is full.
  } finally {
    closeSync(fd)
  }
}
