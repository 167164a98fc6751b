import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  bodiesOf,
  openTestBus,
  plant,
  plantEntries,
  plantedEntry,
  post,
  TASK,
} from '../../../test/helpers/bus/bus-files.ts'

it('is set aside under the next name', async () => {
  const { shelf, path } = openTestBus()
  plantEntries(path, 2)
  plant(path.replace('.md', '.0007.md'), plantedEntry(0))
  expect(await shelf.rotate(TASK, {})).toEqual({
    ...TASK,
    archive: 'TASK-MESSAGE-BUS.0008.md',
    bytes: plantedEntry(0).length + plantedEntry(1).length,
  })
  expect(readdirSync(dirname(path)).sort()).toEqual([
    'TASK-MESSAGE-BUS.0007.md',
    'TASK-MESSAGE-BUS.0008.md',
    'TASK-MESSAGE-BUS.md',
  ])
})

it('is never set aside under a name that nobody would look for', async () => {
  const { shelf, path } = openTestBus()
  plant(path.replace('.md', '.999999999.md'), '')
  await post(shelf, 'one')
  await expect(shelf.rotate(TASK, {})).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
  const rotating = openTestBus({ root: dirname(dirname(dirname(path))), rotateBytes: 1 }).shelf
  for (const body of ['two', 'three']) await post(rotating, body)
  expect(await bodiesOf(shelf)).toEqual(['one', 'two', 'three'])
})

it('may be out of reach, and the next entry is written all the same', async () => {
  const { shelf, path } = openTestBus()
  await post(shelf, 'one')
  await shelf.rotate(TASK, {})
  const archive = path.replace('.md', '.0001.md')
  renameSync(archive, `${archive}.moved`)
  symlinkSync(`${archive}.moved`, archive)
  const { msg_id } = await post(shelf, 'two')
  expect(await shelf.lastId(TASK)).toBe(msg_id)
})

it('is left where it is if it is empty, or not larger than asked for', async () => {
  const { shelf, path } = openTestBus()
  plantEntries(path, 1)
  const none = { ...TASK, archive: null, bytes: 0 }
  expect(await shelf.rotate(TASK, { overBytes: plantedEntry(0).length })).toEqual(none)
  expect(await shelf.rotate(TASK, { overBytes: plantedEntry(0).length - 1 })).toMatchObject({
    archive: expect.any(String),
  })
  expect(await shelf.rotate(TASK, {})).toEqual(none)
})

it('waits for whoever is writing, and no entry is lost', async () => {
  const { shelf, root } = openTestBus()
  await post(shelf, 'first')
  const other = openTestBus({ root }).shelf
  const bodies = Array.from({ length: 200 }, (_, at) => `${at}`)
  const rotating = (async () => {
    for (let round = 0; round < 10; round++) await other.rotate(TASK, {})
  })()
  for (const body of bodies) await post(shelf, body)
  await rotating
  expect(await bodiesOf(shelf)).toEqual(['first', ...bodies])
})

it('is refused where somebody holds the lock for too long', async () => {
  const { shelf, path } = openTestBus({ lockTimeoutMs: 30 })
  plantEntries(path, 1)
  const holder = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await expect(shelf.rotate(TASK, {})).rejects.toMatchObject({ code: 'BUS_BUSY' })
  expect(readdirSync(dirname(path))).toEqual(['TASK-MESSAGE-BUS.md'])
})

it('may be taken away: the rest is read', async () => {
  const { shelf, path } = openTestBus()
  for (const body of ['one', 'two', 'three']) {
    await post(shelf, body)
    await shelf.rotate(TASK, {})
  }
  rmSync(path.replace('.md', '.0002.md'))
  expect(existsSync(path)).toBe(true)
  expect(await bodiesOf(shelf)).toEqual(['one', 'three'])
})
