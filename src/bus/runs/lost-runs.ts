import { networkFileSystem } from '../../kit/node/file-systems.ts'
import { isAlive, machineName } from '../../kit/node/processes.ts'
import { PosternError } from '../../model/errors.ts'
import type { BusShelf } from '../bus-shelf.ts'
import type { Location } from '../files/places.ts'
import { findTrail } from './find-entries.ts'
import { endEntry } from './run-entries.ts'
import { isRunFolder, runPaths } from './run-folder.ts'
import { idBefore } from './run-id.ts'
import { RUN_STATUSES, type RunInfo, type RunStatus, readRunInfo, writeRunInfo } from './run-info.ts'
import { markedRuns, takeMark } from './running.ts'

/** A run whose end nobody had told. */
export interface ClosedRun {
  readonly run_id: string
  readonly status: RunStatus
  readonly msg_id: string
}

/**
 * Tells the end of every run of a task whose runner has died before it did so: as it was, where the runner still wrote it
 * down, else as lost. Whoever does it holds the run's own lock, so it is told once, however many look at the same time;
 * and whoever is killed over it has written nothing, or something that the next one finds.
 */
export async function closeLostRuns(shelf: BusShelf, location: Location): Promise<readonly ClosedRun[]> {
  const closed: ClosedRun[] = []
  for (const runId of markedRuns(location)) {
    // What belongs to another user is for that one to end.
    const mark = await takeMark(location.folder, runId).catch(() => undefined)
    if (!mark) continue
    try {
      const info = isRunFolder(location, runId) ? readRunInfo(runPaths(location.folder, runId).info) : undefined
      if (info && mayHaveRunner(info, location.folder)) continue
      // Without this file its command was never begun.
      if (info?.run_id === runId) closed.push(...(await tryToClose(shelf, location, info)))
      mark.remove()
    } finally {
      mark.close()
    }
  }
  return closed
}

/** The lock is free; but somebody may have taken its file away, or it means nothing on another machine. */
function mayHaveRunner({ machine, runner_pid, runner_started_ms }: RunInfo, folder: string): boolean {
  if (machine !== machineName()) return networkFileSystem(folder) !== undefined
  return runner_started_ms !== undefined && isAlive(runner_pid, runner_started_ms) === 'alive'
}

/** What makes no entry is not told: it must not keep every later run of the task from being begun. */
async function tryToClose(shelf: BusShelf, location: Location, info: RunInfo): Promise<ClosedRun[]> {
  try {
    return await closeRun(shelf, location, info)
  } catch (error) {
    if (error instanceof PosternError && error.code === 'BUS_ENTRY_INVALID') return []
    throw error
  }
}

async function closeRun(shelf: BusShelf, { place, folder }: Location, info: RunInfo): Promise<ClosedRun[]> {
  const { info: path } = runPaths(folder, info.run_id)
  const { start, end } = await findTrail(shelf, place, info.run_id, info.start_msg_id ?? idBefore(info.run_id))
  if (end) {
    tryToWrite(path, { ...info, status: statusIn(end.meta?.['status']) ?? info.status })
    return []
  }
  const status = info.status === 'running' ? 'lost' : info.status
  const startId = info.start_msg_id ?? start?.msg_id
  // The folder may have been given another name meanwhile.
  const ended: RunInfo = { ...info, ...place, status, ...(startId !== undefined && { start_msg_id: startId }) }
  const { msg_id, ts } = await shelf.append(place, endEntry(ended, isProcessAlive(info)))
  tryToWrite(path, { ...ended, end_time: ended.end_time ?? ts })
  return [{ run_id: info.run_id, status, msg_id }]
}

function tryToWrite(path: string, info: RunInfo): void {
  try {
    writeRunInfo(path, info)
  } catch {
    // The bus tells it, and there it counts.
  }
}

function statusIn(value: unknown): RunStatus | undefined {
  return RUN_STATUSES.find((status) => status === value)
}

/** Undefined where it cannot be told: the process is one of another machine, or of an earlier start of this one. */
function isProcessAlive({ machine, pid, pid_started_ms }: RunInfo): boolean | undefined {
  if (machine !== machineName() || pid === undefined || pid_started_ms === undefined) return undefined
  const state = isAlive(pid, pid_started_ms)
  return state === 'unknown' ? undefined : state === 'alive'
}
