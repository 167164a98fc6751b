import fs, { appendFileSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  openTestBus,
  PROJECT,
  plant,
  plantEntries,
  plantedEntry,
  post,
  replaceForTest,
  TASK,
} from '../../../test/helpers/bus/bus-files.ts'

const LONG_MS = 60_000

function replaceAsEditorsDo(path: string): void {
  writeFileSync(`${path}~`, 'x')
  renameSync(`${path}~`, path)
}

/** Whether the wait is over by now, without waiting for it. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  return (
    (await Promise.race([wait.then(() => 'over'), new Promise((resolve) => setImmediate(resolve, 'on'))])) === 'over'
  )
}

describe('whoever waits for a change', () => {
  it.each([
    ['another program writes', (path: string) => appendFileSync(path, plantedEntry(1))],
    ['an editor replaces the file', replaceAsEditorsDo],
    ['the file is set aside', (path: string) => renameSync(path, path.replace('.md', '.0001.md'))],
    ['the file is removed', (path: string) => rmSync(path)],
    ['the folder is removed', (path: string) => rmSync(dirname(path), { recursive: true })],
  ])('is told when %s', async (_, act) => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 1)
    const changed = shelf.changed([PROJECT, TASK], { timeoutMs: LONG_MS })
    expect(await isOver(changed)).toBe(false)
    act(path)
    await changed
  })

  it('is told at once when this process writes', async () => {
    const { shelf } = openTestBus()
    await post(shelf, 'one')
    replaceForTest({
      watch: () => {
        throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' })
      },
    })
    const changed = shelf.changed([TASK], { timeoutMs: LONG_MS })
    expect(await isOver(changed)).toBe(false)
    await post(shelf, 'two')
    expect(await isOver(changed)).toBe(true)
  })

  it('is told where the machine has no watches left, and where events get lost', async () => {
    const { watch } = fs
    for (const deaf of [
      () => {
        throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' })
      },
      () => watch(import.meta.dirname, { persistent: false }),
    ]) {
      const { shelf, path } = openTestBus()
      plantEntries(path, 1)
      replaceForTest({ watch: deaf as typeof watch })
      const changed = shelf.changed([TASK], { timeoutMs: LONG_MS })
      appendFileSync(path, plantedEntry(1))
      await changed
    }
  })

  it('is told of a bus whose folders come into being', async () => {
    const { shelf, path } = openTestBus()
    const changed = shelf.changed([TASK], { timeoutMs: LONG_MS })
    expect(await isOver(changed)).toBe(false)
    plantEntries(path, 1)
    await changed
  })

  it('is told again and again, also once the folder is another', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 1)
    for (let round = 0; round < 3; round++) {
      const changed = shelf.changed([TASK], { timeoutMs: LONG_MS })
      expect(await isOver(changed)).toBe(false)
      renameSync(dirname(path), `${dirname(path)}-${round}`)
      plantEntries(path, 2 + round)
      await changed
    }
  })

  it('is left alone by what happens to other files', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 1)
    const changed = shelf.changed([TASK], { timeoutMs: LONG_MS })
    const other = shelf.changed([PROJECT], { timeoutMs: LONG_MS })
    plant(join(dirname(path), 'attachments/a'), 'a')
    plant(join(dirname(path), 'TASK-MESSAGE-BUS.md.swp'), 'a')
    plant(join(dirname(dirname(path)), 'PROJECT-MESSAGE-BUS.md'), '')
    await other
    expect(await isOver(changed)).toBe(false)
  })

  it('goes when its time is over, when it is called off, and when the bus is closed', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 1)
    await shelf.changed([TASK], { timeoutMs: 5 })
    const controller = new AbortController()
    const calledOff = shelf.changed([TASK], { timeoutMs: LONG_MS, signal: controller.signal })
    expect(await isOver(calledOff)).toBe(false)
    controller.abort()
    await calledOff
    await shelf.changed([TASK], { timeoutMs: LONG_MS, signal: controller.signal })
    const closed = shelf.changed([TASK], { timeoutMs: LONG_MS })
    shelf.close()
    await closed
    await shelf.changed([TASK], { timeoutMs: LONG_MS })
  })

  it('shares one watch with all others, which goes with the last', async () => {
    const before = watchesOf()
    const { shelf, path } = openTestBus()
    plantEntries(path, 1)
    const waits = Array.from({ length: 50 }, () => shelf.changed([TASK], { timeoutMs: LONG_MS }))
    expect(watchesOf()).toBe(before + 1)
    utimesSync(path, 1, 1)
    await Promise.all(waits)
    for (let round = 0; round < 50; round++) await shelf.changed([TASK], { timeoutMs: 0 })
    expect(watchesOf()).toBe(before + 1)
    shelf.close()
    await expect.poll(watchesOf).toBe(before)
  })
})

/** How many folders and files this process watches. */
function watchesOf(): number {
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => {
      try {
        return fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').match(/^inotify /gm)?.length ?? 0
      } catch {
        return 0
      }
    })
    .reduce((sum, count) => sum + count, 0)
}
