import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { letOthersRead, withoutRoot } from '../../../test/helpers/needs.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { BusShelf } from '../bus-shelf.ts'
import { openBusShelf } from '../file-bus-shelf.ts'
import { locate } from '../files/places.ts'
import { openRun } from './open-run.ts'
import { readRunInfo } from './run-info.ts'

const PLACE = { project_id: 'p', task_id: 't' }
const DONE = { exitCode: 0, signal: null, failure: null, durationMs: 5 }

function makeTask() {
  const root = temporaryFolder()
  const shelf = openBusShelf({ root })
  onTestFinished(() => shelf.close())
  const location = locate({ root }, PLACE)
  const plan = {
    ...{ location, taskId: 't', agentType: 'codex', words: ['codex', '--token', 'x'], cwd: '/', hasPrompt: false },
    ...{ previousRunId: undefined, parentRunId: undefined, parentStartId: undefined },
  }
  return {
    root,
    folder: location.folder,
    open: (own: BusShelf = shelf) => openRun({ ...plan, shelf: own }),
    shelf,
    told: async () => (await shelf.read(PLACE, { tail: 0, limit: 100, maxBytes: 1_000_000 })).items,
    marks: () => readdirSync(join(location.folder, '.running')),
  }
}

describe('a run', () => {
  it('is looked after from its folder to its end', async () => {
    const task = makeTask()
    const run = await task.open()
    expect(statSync(run.paths.folder).mode & 0o777).toBe(0o700)
    expect(task.marks()).toEqual([run.id])
    const startId = await run.begin(process.pid)
    expect(readRunInfo(run.paths.info)).toMatchObject({ status: 'running', start_msg_id: startId, exit_code: -1 })
    const ended = await run.end(DONE)
    expect(ended).toMatchObject({ status: 'completed', exitCode: 0, fault: null })
    expect(readRunInfo(run.paths.info)).toMatchObject({
      status: 'completed',
      exit_code: 0,
      commandline: 'codex --token ***',
    })
    expect((await task.told()).map(({ type, msg_id }) => [type, msg_id])).toEqual([
      ['START', startId],
      ['STOP', ended.msgId],
    ])
    expect(task.marks()).toEqual([])
  })

  it('has a folder of its own, also within the same second of the same process', async () => {
    const task = makeTask()
    const runs = await Promise.all(Array.from({ length: 5 }, () => task.open()))
    expect(new Set(runs.map(({ id }) => id)).size).toBe(5)
    for (const { id } of runs) expect(id).toMatch(/^run_\d{8}-\d{6}-\d+(-[2-5])?$/)
  })

  it('leaves nothing behind where it is given up', async () => {
    const task = makeTask()
    const run = await task.open()
    run.abandon()
    expect([existsSync(run.paths.folder), task.marks()]).toEqual([false, []])
  })

  it('is not given up once it has begun', async () => {
    const task = makeTask()
    const run = await task.open()
    await run.begin(undefined)
    run.abandon()
    expect([existsSync(run.paths.info), task.marks()]).toEqual([true, [run.id]])
  })

  it('keeps its mark where its end cannot be told, so that somebody else does', async () => {
    const task = makeTask()
    const run = await task.open()
    await run.begin(undefined)
    const bus = join(task.folder, 'TASK-MESSAGE-BUS.md')
    renameSync(bus, `${bus}.away`)
    mkdirSync(bus)
    const ended = await run.end({ ...DONE, exitCode: 3 })
    expect(ended).toMatchObject({ status: 'failed', exitCode: 3, msgId: null, fault: { code: 'BUS_UNUSABLE' } })
    expect(task.marks()).toEqual([run.id])
    expect(readRunInfo(run.paths.info)).toMatchObject({ status: 'failed', exit_code: 3 })
  })

  it.each(['runs', '.running'])('is not made behind a link (%s)', async (name) => {
    const task = makeTask()
    const elsewhere = temporaryFolder()
    mkdirSync(task.folder, { recursive: true })
    symlinkSync(elsewhere, join(task.folder, name))
    await expect(task.open()).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it('leaves nothing behind where it cannot be marked', async () => {
    const task = makeTask()
    mkdirSync(task.folder, { recursive: true })
    writeFileSync(join(task.folder, '.running'), 'in the way')
    await expect(task.open()).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    expect(readdirSync(join(task.folder, 'runs'))).toEqual([])
  })

  it('says which folder it may not use', async () => {
    const task = makeTask()
    mkdirSync(task.folder, { recursive: true })
    letOthersRead(task.root)
    chmodSync(task.folder, 0o555)
    const opened = withoutRoot(() => task.open())
    await expect(opened).rejects.toMatchObject({ code: 'BUS_UNUSABLE', details: { path: join(task.folder, 'runs') } })
  })
})
