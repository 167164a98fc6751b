import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { checkHistory, type HistoryEvent } from '../helpers/history.ts'
import { removeFolder, temporaryFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { expectFailure, runCli } from './harness/cli.ts'
import { copyHome, deliveriesIn, makeHome, storeOf, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { integrityFault, storeFault } from './harness/soundness.ts'
import { readErrors, readLogs, startWorker, type Worker } from './harness/workers.ts'

const COPIES = { quick: 1, full: 5, long: 1_200, most: 10 }
const WRITERS = 4

campaign(
  'copies a store that processes write, with all that was acknowledged before the copy',
  COPIES,
  copyWhileWritten,
)

async function copyWhileWritten(copies: number): Promise<void> {
  const folder = temporaryFolder()
  const home = await prepare(join(folder, 'home'))
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const settings = { store: storeOf(home), logs, paceMs: 2 }
  const crew: Worker[] = Array.from({ length: WRITERS }, () => startWorker('writer', settings))
  crew.push(startWorker('drainer', settings))
  let copied = 0
  try {
    await Promise.all(crew.map((worker) => worker.ready))
    for (let round = 1; round <= copies; round++) {
      await delay(200)
      copied = await backUpAndCompare(home, join(folder, `copy-${round}`), logs)
    }
  } finally {
    await Promise.all(crew.map((worker) => worker.stop()))
  }
  expect(readErrors(logs)).toEqual([])
  figures('backup', `${copies} copies beside ${WRITERS} writers, the last of ${copied} messages, nothing missing`)
}

it('never overwrites a file, and leaves nothing behind where it fails', async () => {
  const folder = temporaryFolder()
  const home = await prepare(join(folder, 'home'))
  const place = join(folder, 'backups')
  mkdirSync(place)
  writeFileSync(join(place, 'there'), 'something dear')
  expectFailure(await runCli(home, ['backup', join(place, 'there')]), 'BACKUP_EXISTS')
  expect(readFileSync(join(place, 'there'), 'utf8')).toBe('something dear')
  expectFailure(await runCli(home, ['backup', join(place, 'missing', 'copy')]), 'BACKUP_FAILED')
  expect(readdirSync(place)).toEqual(['there'])
})

/** Copies, then opens the copy as a store of its own and looks for whatever was acknowledged before. */
async function backUpAndCompare(home: string, copy: string, logs: string): Promise<number> {
  const before = readLogs(logs).filter(({ kind }) => kind === 'acknowledged')
  const ran = await runCli(home, ['backup', `${copy}.db`])
  expect(ran.code, ran.stderr).toBe(0)
  expect(integrityFault(`${copy}.db`)).toBeNull()

  const restored = makeHome(copy)
  copyHome(`${copy}.db`, storeOf(restored))
  expect(await storeFault(restored)).toBeNull()
  const kept = (await deliveriesIn(restored)).filter(({ agent }) => agent === 'quinn')
  const inside = kept.map(({ content }): HistoryEvent => ({ kind: 'waiting', key: content }))
  expect(checkHistory([...before, ...inside]).lost).toEqual([])
  removeFolder(copy)
  removeFolder(`${copy}.db`)
  return kept.length
}

async function prepare(home: string): Promise<string> {
  await withStore(makeHome(home), async ({ agents }) => {
    for (const id of ['quinn', 'robin']) await agents.add({ id })
  })
  return home
}
