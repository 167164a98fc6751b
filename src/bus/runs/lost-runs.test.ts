import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { machineName, processStart } from '../../kit/node/processes.ts'
import { openBusShelf } from '../file-bus-shelf.ts'
import { locate } from '../files/places.ts'
import { closeLostRuns } from './lost-runs.ts'
import { endEntry, startEntry } from './run-entries.ts'
import { runPaths } from './run-folder.ts'
import { type RunInfo, readRunInfo, writeRunInfo } from './run-info.ts'

const PLACE = { project_id: 'p', task_id: 't' }
const RUN = 'run_20260205-123456-12345'
const NOBODY = 2 ** 22 + 1

/** A task with a run whose runner is gone. */
function makeTask(change: Partial<RunInfo> = {}) {
  const root = temporaryFolder()
  const shelf = openBusShelf({ root })
  onTestFinished(() => shelf.close())
  const location = locate({ root }, PLACE)
  const paths = runPaths(location.folder, RUN)
  const marks = join(location.folder, '.running')
  mkdirSync(paths.folder, { recursive: true })
  mkdirSync(marks)
  writeFileSync(join(marks, RUN), '')
  const info: RunInfo = {
    version: 1,
    run_id: RUN,
    ...PLACE,
    agent: 'codex',
    pid: NOBODY,
    pgid: NOBODY,
    start_time: '2026-02-05T12:34:56.789Z',
    exit_code: -1,
    status: 'running',
    cwd: '/',
    output_path: paths.output,
    stdout_path: paths.stdout,
    stderr_path: paths.stderr,
    commandline: 'codex exec',
    pid_started_ms: 0,
    runner_pid: NOBODY,
    runner_started_ms: 0,
    machine: machineName(),
    ...change,
  }
  writeRunInfo(paths.info, info)
  return {
    shelf,
    info,
    path: paths.info,
    close: () => closeLostRuns(shelf, location),
    told: async () => (await shelf.read(PLACE, { tail: 0, limit: 100, maxBytes: 1_000_000 })).items,
    marks: () => readdirSync(marks),
    marksFolder: marks,
  }
}

describe('a run whose runner is gone', () => {
  it('is told as lost, after its start', async () => {
    const task = makeTask()
    const { msg_id } = await task.shelf.append(PLACE, startEntry(task.info))
    expect(await task.close()).toMatchObject([{ run_id: RUN, status: 'lost' }])
    const [, crash] = await task.told()
    expect(crash).toMatchObject({ type: 'CRASH', run_id: RUN, parents: [{ msg_id }] })
    expect(crash?.meta).toMatchObject({ status: 'lost', pid_alive: false })
    expect(readRunInfo(task.path)).toMatchObject({ status: 'lost', start_msg_id: msg_id, end_time: crash?.ts })
    expect(task.marks()).toEqual([])
    expect(await task.close()).toEqual([])
  })

  it('is told as it ended, where only that could not be told', async () => {
    const task = makeTask({ status: 'failed', exit_code: 3, duration_ms: 5 })
    const { msg_id } = await task.shelf.append(PLACE, startEntry(task.info))
    expect(await task.close()).toMatchObject([{ run_id: RUN, status: 'failed' }])
    const [, crash] = await task.told()
    expect(crash).toMatchObject({ type: 'CRASH', parents: [{ msg_id }], meta: { exit_code: 3, status: 'failed' } })
  })

  it('is not told again, where that was the last thing that was done', async () => {
    const task = makeTask()
    await task.shelf.append(PLACE, startEntry(task.info))
    await task.shelf.append(PLACE, endEntry({ ...task.info, status: 'completed', exit_code: 0 }))
    expect(await task.close()).toEqual([])
    expect(await task.told()).toHaveLength(2)
    expect(readRunInfo(task.path)).toMatchObject({ status: 'completed' })
    expect(task.marks()).toEqual([])
  })

  it('is told once by however many look at once', async () => {
    const task = makeTask()
    await task.shelf.append(PLACE, startEntry(task.info))
    const closed = await Promise.all(Array.from({ length: 20 }, () => task.close()))
    expect(closed.flat()).toHaveLength(1)
    expect(await task.told()).toHaveLength(2)
  })

  it('is told without its process where that was one of another machine', async () => {
    const task = makeTask({ machine: 'another' })
    await task.close()
    const [crash] = await task.told()
    expect(crash?.meta).not.toHaveProperty('pid_alive')
  })

  it('is found behind a thousand other entries', async () => {
    const task = makeTask()
    await task.shelf.append(PLACE, startEntry(task.info))
    const talk = { type: 'INFO', ...PLACE, body: Buffer.from('talk') }
    await Promise.all(Array.from({ length: 1_500 }, () => task.shelf.append(PLACE, talk)))
    await task.shelf.append(PLACE, endEntry({ ...task.info, status: 'killed', signal: 'SIGKILL' }))
    expect(await task.close()).toEqual([])
    expect(readRunInfo(task.path)).toMatchObject({ status: 'killed' })
  })
})

describe('a run that cannot be told or noted', () => {
  it('does not keep others from being begun, where it makes no entry', async () => {
    const task = makeTask({ cwd: `/${'x'.repeat(20_000)}` })
    expect(await task.close()).toEqual([])
    expect(task.marks()).toEqual([])
  })

  it('is told on the bus, where its own file cannot be written', async () => {
    const task = makeTask()
    mkdirSync(`${task.path}.partial-${process.pid}`)
    expect(await task.close()).toMatchObject([{ run_id: RUN, status: 'lost' }])
    expect(task.marks()).toEqual([])
  })

  it('is nothing where a link leads to its folder', async () => {
    const task = makeTask()
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    renameSync(dirname(task.path), elsewhere)
    symlinkSync(elsewhere, dirname(task.path))
    expect(await task.close()).toEqual([])
    expect(readRunInfo(join(elsewhere, 'run-info.yaml'))).toMatchObject({ status: 'running' })
  })
})

describe('a mark', () => {
  it('is never something that a link leads to', async () => {
    const task = makeTask()
    const elsewhere = temporaryFolder()
    writeFileSync(join(elsewhere, 'id_rsa'), 'a key')
    rmSync(task.marksFolder, { recursive: true })
    symlinkSync(elsewhere, task.marksFolder)
    await expect(task.close()).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    expect(readdirSync(elsewhere)).toEqual(['id_rsa'])
  })

  it('is left alone while its runner lives, whatever became of its lock', async () => {
    const startedMs = processStart(process.pid)
    const task = makeTask({ runner_pid: process.pid, ...(startedMs !== undefined && { runner_started_ms: startedMs }) })
    expect(await task.close()).toEqual([])
    expect(task.marks()).toEqual([RUN])
    expect(readRunInfo(task.path)).toMatchObject({ status: 'running' })
  })

  it('is taken away where nothing was begun', async () => {
    const task = makeTask()
    writeFileSync(join(task.marksFolder, 'run_20260205-123456-1'), '')
    writeFileSync(join(task.marksFolder, '.not-a-run'), '')
    await task.close()
    expect(task.marks()).toEqual(['.not-a-run'])
  })

  it('of a run under another name tells nothing', async () => {
    const task = makeTask({ run_id: '../../elsewhere' })
    expect(await task.close()).toEqual([])
    expect(existsSync(join(task.marksFolder, '..', 'TASK-MESSAGE-BUS.md'))).toBe(false)
  })
})
